// A turn is a journal (SYS-12). Its hub is killed (SIGKILL) between every two entries of it, and goes on after a start:
// what cannot be repeated is never called twice, what can be is called under the same key, and there is one answer.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rows } from '@parley/hub';
import type { Task } from '@parley/protocol';
import { ChildHub, Ear, freshGround, type Ground, onBothEngines, Person, Random } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printedSeed } from '../kit/bare.ts';
import { type Call, plain, points, tools } from '../kit/children/journal-points.ts';
import { inStore } from '../kit/stores.ts';

const script = fileURLToPath(new URL('../kit/children/journal.ts', import.meta.url));
const seed = printedSeed('journal kill');

/** Killed there, it is intended and not known to be done. */
const inDoubt = [`after intend ${plain}`, `called ${plain}`, `before done ${plain}`];
const leavesUnknown = (kills: string[]): boolean => kills.some((point) => inDoubt.includes(point));

/** One kill at each point; then some turns that are killed again on their way. */
const once = points.map((point) => [point]);
const random = new Random(seed);
const again = [
  [`after intend ${plain}`, 'before unknown'],
  [`called ${plain}`, 'after unknown'],
  [`called ${plain}`, 'before unknown', 'after unknown', 'before answer'],
  ...Array.from({ length: 6 }, () => {
    // Where it is in doubt it goes on only when a person says so: those are above.
    const first = random.pick(points.slice(0, -1).filter((point) => !inDoubt.includes(point)));
    return [first, random.pick(points.slice(points.indexOf(first) + 1))];
  }),
];

const all = [...once, ...again];
const most = Math.max(...all.map((kills) => kills.length));

onBothEngines('a turn that is killed', (kind) => {
  let ground: Ground;
  let hub: ChildHub;
  let ann: { token: string; id: string };
  let callsFile: string;
  /** Of each turn: where it is asked for, and its task. */
  const turns: { kills: string[]; room: string; taskId: string; asked: boolean }[] = [];
  /** Tasks that stand where they were told to. */
  const standing = new Map<string, string>();
  let stir: () => void = () => {};

  beforeAll(async () => {
    ground = await freshGround(kind);
    callsFile = join(ground.dataDir, 'calls.jsonl');
    hub = new ChildHub({
      ground,
      script,
      env: { PARLEY_TEST_CALLS: callsFile },
      // A killed process loses nothing that the system has: only a killed machine does.
      sync: false,
      onLine: (line) => {
        const { at, task } = JSON.parse(line) as { at: string; task: string };
        standing.set(task, at);
        stir();
      },
    });
    await hub.start();
    ann = await hub.person('ann', 'owner');
    await askAll();
    for (let kill = 0; kill < most; kill++) {
      await allStandAt(kill);
      standing.clear();
      await hub.kill(kill + 1 < most);
      await hub.start([`killed ${kill + 1}`]);
      await settle(kill + 1);
    }
  });
  afterAll(async () => {
    await hub.end();
    await ground.clear();
  });

  const me = async (): Promise<Person> => new Person((await hub.up()).url, ann.token, ann.id, 'ann');

  /** Each in a room of its own: in one room an agent does one thing after the other. */
  async function askAll(): Promise<void> {
    const person = await me();
    const { agents } = await person.call('listAgents', {});
    const orac = agents.find((agent) => agent.handle === 'ORAC')!.id;
    for (const [i, kills] of all.entries()) {
      const room = (await person.call('createChannel', { body: { name: `room-${i}` } })).id;
      await person.call('addToConversation', { params: { conversationId: room }, body: { memberId: orac } });
      const { id } = await person.post(room, `^ORAC ${JSON.stringify(kills)}`);
      const { tasks } = await person.call('listTasks', { query: { state: 'all', conversationId: room } });
      turns.push({ kills, room, taskId: tasks.find((task) => task.messageId === id)!.id, asked: false });
    }
  }

  /** Every turn that is to be killed now has come to where it is to be killed. */
  async function allStandAt(kill: number): Promise<void> {
    const due = turns.filter(({ kills }) => kill < kills.length);
    while (due.some(({ taskId }) => !standing.has(taskId))) await new Promise<void>((resolve) => (stir = resolve));
    for (const { taskId, kills } of due) expect(standing.get(taskId)).toBe(kills[kill]);
  }

  /** Those that are killed no more come to their end; whoever waits for a person is told to go on. */
  async function settle(kill: number): Promise<void> {
    for (const turn of turns) {
      const over = kill >= turn.kills.length;
      if (!over && turn.kills[kill - 1] !== 'after unknown') continue;
      let task = await until(turn.taskId, ({ endedAt, state }) => endedAt !== null || state === 'awaiting_approval');
      if (task.state !== 'awaiting_approval') continue;
      const person = await me();
      const { checkpoints } = await person.call('listCheckpoints', { query: { limit: 200 } });
      const asked = checkpoints.filter((one) => one.conversationId === turn.room);
      expect(asked).toMatchObject([{ kind: 'may_have_happened', agentId: task.agentId }]);
      turn.asked = true;
      await person.call('closeCheckpoint', { params: { checkpointId: asked[0]!.id }, body: { choice: 'leave' } });
      if (over) task = await until(turn.taskId, ({ endedAt }) => endedAt !== null);
    }
  }

  /** Waits until the task stands as it should; the test's own timeout is the limit. */
  async function until(taskId: string, fits: (task: Task) => boolean): Promise<Task> {
    const person = await me();
    const ear = new Ear(person);
    try {
      await ear.ready();
      for (let heard = 0; ;) {
        const task = await person.call('getTask', { params: { taskId } });
        if (fits(task)) return task;
        heard = await ear.until((events) => (events.length > heard ? events.length : undefined));
      }
    } finally {
      ear.close();
    }
  }

  const callsOf = async (taskId: string): Promise<Call[]> =>
    (await readFile(callsFile, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Call)
      .filter(({ task }) => task === taskId);

  test.each(all.map((kills, i) => [kills.join(', then '), i] as const))('[SYS-12] %s', async (_title, i) => {
    const { kills, room, taskId, asked } = turns[i]!;
    const unknown = leavesUnknown(kills);
    const person = await me();
    const result = await person.call('getTask', { params: { taskId } });
    // Only what may have happened waits for a person.
    expect(asked).toBe(unknown);
    expect(result).toMatchObject({ state: 'completed', cause: 'answered' });

    const calls = await callsOf(taskId);
    const byStep = tools.map((_, n) => calls.filter((call) => call.n === n));
    // The one that cannot be repeated: at most once, and not at all only when it was killed before it came to that.
    const came = !unknown || kills.some((point) => [`called ${plain}`, `before done ${plain}`].includes(point));
    expect(byStep[plain]).toHaveLength(came ? 1 : 0);
    // The others: again only when they were under way at a kill, and always under the key they had.
    for (const [n, own] of byStep.entries()) {
      const underWay = kills.filter((point) => [`called ${n}`, `before done ${n}`].includes(point)).length;
      if (n !== plain) expect(own).toHaveLength(1 + underWay);
      expect(new Set(own.map((call) => call.key)).size).toBeLessThanOrEqual(1);
    }

    // What it got is what its last call gave, however often it was replayed since.
    const { messages } = await person.call('listMessages', { params: { conversationId: room }, query: { limit: 200 } });
    const words = messages.filter((message) => message.authorId === result.agentId);
    expect(words.map(({ task }) => [task!.id, task!.kind])).toEqual([
      [taskId, 'progress'],
      [taskId, 'answer'],
    ]);
    expect(words[1]!.id).toBe(result.answerId);
    expect(JSON.parse(words[1]!.body!)).toEqual(byStep.map((own, n) => (n === plain && unknown ? 'unknown' : own.at(-1)!.result)));

    await inStore(ground, async (store) => {
      const had = await store.rows('turns', 'where task_id = ?', [taskId]);
      expect(had).toMatchObject([{ state: 'done' }]);
      const journal = await store.rows('journal', 'where turn_id = ? order by n', [had[0]!.id]);
      const steps = ['context', ...tools.map(({ name }) => name), 'say'];
      expect(journal.map(({ n, name, done_at }) => [n, name, done_at !== null])).toEqual(steps.map((name, n) => [n, name, true]));
      const facts = await store.rows('facts', "where subject_id = ? and type in ('turn.intended', 'turn.done') order by seq", [taskId]);
      const seen = (fact: Rows['facts']): unknown[] => [fact.type, (JSON.parse(fact.data) as { n: number }).n];
      expect(facts.map(seen)).toEqual(
        steps.flatMap((_, n) => [['turn.intended', n], ...(n === plain + 1 && unknown ? [] : [['turn.done', n]])]),
      );
    });
  });
});
