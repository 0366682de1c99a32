// A turn is a journal (SYS-12). Its hub is killed (SIGKILL) between every two entries of it, and goes on after a start:
// what cannot be repeated is never called twice, what can be is called under the same key, and there is one answer.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataDir, openStore, type Rows, startKernel, type Store } from '@parley/hub';
import type { Task } from '@parley/protocol';
import { ChildHub, Ear, freshGround, type Ground, onBothEngines, Person, Random } from '@parley/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Brain } from '../../src/brains/brain.ts';
import { operator } from '../../src/engine/command.ts';
import { printedSeed } from './bare.ts';
import { type Call, plain, points, tools } from './journal-points.ts';

const script = fileURLToPath(new URL('./journal-child.ts', import.meta.url));
const seed = printedSeed('journal kill');

/** One kill at each point; then some turns that are killed again on their way. */
const once = points.map((point) => [point]);
const random = new Random(seed);
const again = [
  [`after intend ${plain}`, 'before unknown'],
  [`called ${plain}`, 'after unknown'],
  [`called ${plain}`, 'before unknown', 'after unknown', 'before answer'],
  ...Array.from({ length: 6 }, () => {
    const first = random.int(points.length - 2);
    return [points[first]!, points[first + 1 + random.int(points.length - first - 1)]!];
  }),
];

/** Killed when it was intended and not yet done. */
const leavesUnknown = (kills: string[]): boolean =>
  kills.some((point) => [`after intend ${plain}`, `called ${plain}`, `before done ${plain}`].includes(point));

onBothEngines('a turn that is killed', (kind) => {
  let ground: Ground;
  let hub: ChildHub;
  let ann: { token: string; id: string };
  let general: string;
  let callsFile: string;
  let reached: (point: string) => void = () => {};
  beforeAll(async () => {
    ground = await freshGround(kind);
    callsFile = join(ground.dataDir, 'calls.jsonl');
    hub = new ChildHub({
      ground,
      script,
      env: { PARLEY_TEST_CALLS: callsFile },
      // A killed process loses nothing that the system has: only a killed machine does.
      sync: false,
      onLine: (line) => reached((JSON.parse(line) as { at: string }).at),
    });
    await hub.start();
    ann = await hub.person('ann');
    const { conversations } = await (await me()).call('listConversations', {});
    general = conversations.find((one) => one.name === 'general')!.id;
  });
  afterAll(async () => {
    await hub.end();
    await ground.clear();
  });

  const me = async (): Promise<Person> => new Person((await hub.up()).url, ann.token, ann.id, 'ann');
  const callsOf = async (taskId: string): Promise<Call[]> =>
    (await readFile(callsFile, 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Call)
      .filter(({ task }) => task === taskId);

  /** Waits until the task stands as it should; the test's own timeout is the limit. */
  async function until(taskId: string, fits: (task: Task) => boolean): Promise<Task> {
    const person = await me();
    const ear = new Ear(person);
    try {
      await ear.ready();
      for (let heard = 0; ; ) {
        const task = await person.call('getTask', { params: { taskId } });
        if (fits(task)) return task;
        heard = await ear.until((events) => (events.length > heard ? events.length : undefined));
      }
    } finally {
      ear.close();
    }
  }

  async function inStore<R>(look: (store: Store) => Promise<R>): Promise<R> {
    const store = await openStore({ dataDir: await openDataDir(ground.dataDir), databaseUrl: ground.databaseUrl, epoch: 'unused' });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  }

  /** Kills it at each of these points in turn; the last start is left to go on by itself. */
  async function killed(kills: string[]): Promise<{ taskId: string; asked: boolean; result: Task }> {
    let standing = new Promise<string>((resolve) => (reached = resolve));
    hub.tell(`stand ${kills[0]}`);
    const { id } = await (await me()).post(general, '^ORAC do it all');
    for (const [i, point] of kills.entries()) {
      // An answer that is there already leaves nothing to be killed in.
      expect(await standing).toBe(point);
      standing = new Promise<string>((resolve) => (reached = resolve));
      await hub.kill();
      const next = kills[i + 1];
      if (next === undefined) await hub.start();
      else hub.begin([`stand ${next}`]);
      if (next !== undefined) await hub.up();
      // Past this one it does not come by itself: the person says to go on.
      if (kills[i] === 'after unknown' && next !== undefined) await (await me()).post(general, 'Go on.');
    }
    const person = await me();
    const { tasks } = await person.call('listTasks', { query: { state: 'all', conversationId: general } });
    const taskId = tasks.find((task) => task.messageId === id)!.id;
    let result = await until(taskId, (task) => task.endedAt !== null || task.state === 'waiting');
    const asked = result.state === 'waiting';
    if (asked) {
      const { notices } = await person.call('listNotices', { query: {} });
      expect(notices.filter((notice) => notice.kind === 'may_have_happened' && notice.taskId === taskId)).toMatchObject([
        { agentId: result.agentId, conversationId: general, reason: tools[plain].name },
      ]);
      await person.post(general, 'Go on.');
      result = await until(taskId, (task) => task.endedAt !== null);
    }
    return { taskId, asked, result };
  }

  async function check(kills: string[], { taskId, asked, result }: Awaited<ReturnType<typeof killed>>): Promise<void> {
    const unknown = leavesUnknown(kills);
    expect(asked || kills.includes('after unknown')).toBe(unknown);
    expect(result).toMatchObject({ state: 'completed', cause: 'answered' });

    const calls = await callsOf(taskId);
    const byStep = tools.map((_, n) => calls.filter((call) => call.n === n));
    // The one that cannot be repeated: at most once, and not at all only when it was killed before it came to that.
    expect(byStep[plain]!.length).toBe(unknown && !kills.some((point) => /^(called|before done) 2$/.test(point)) ? 0 : 1);
    // The others: again only when they were under way at a kill, and always under the key they had.
    for (const [n, own] of byStep.entries()) {
      const underWay = kills.filter((point) => [`called ${n}`, `before done ${n}`].includes(point)).length;
      if (n !== plain) expect(own).toHaveLength(1 + underWay);
      expect(new Set(own.map((call) => call.key)).size).toBeLessThanOrEqual(1);
    }

    // What it got is what its last call gave, however often it was replayed since.
    const person = await me();
    const { messages } = await person.call('listMessages', { params: { conversationId: general }, query: { limit: 200 } });
    const words = messages.filter((message) => message.task?.id === taskId && message.authorId === result.agentId);
    expect(words.map(({ task }) => task!.kind)).toEqual(['progress', 'answer']);
    expect(words[1]!.id).toBe(result.answerId);
    expect(JSON.parse(words[1]!.body!)).toEqual(
      byStep.map((own, n) => (n === plain && unknown ? 'unknown' : own.at(-1)!.result)),
    );

    await inStore(async (store) => {
      const turns = await store.rows('turns', 'where task_id = ?', [taskId]);
      expect(turns).toHaveLength(1);
      expect(turns[0]).toMatchObject({ state: 'done' });
      const journal = await store.rows('journal', 'where turn_id = ? order by n', [turns[0]!.id]);
      expect(journal.map(({ n, name, result: kept, done_at }) => [n, name, kept !== null, done_at !== null])).toEqual(
        tools.map(({ name }, n) => [n, name, true, true]),
      );
      const facts = await store.rows('facts', "where subject_id = ? and type in ('turn.intended', 'turn.done') order by seq", [taskId]);
      const seen = (fact: Rows['facts']): unknown[] => [fact.type, (JSON.parse(fact.data) as { n: number }).n];
      expect(facts.map(seen)).toEqual(
        tools.flatMap((_, n) => [['turn.intended', n], ...(n === plain && unknown ? [] : [['turn.done', n]])]),
      );
    });
  }

  test.each([...once, ...again].map((kills) => [kills.join(', then '), kills] as const))('[SYS-12] %s', async (_title, kills) => {
    await check(kills, await killed(kills));
  });
});

onBothEngines('a runner that was replaced', (kind) => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await freshGround(kind);
  });
  afterEach(() => ground.clear());

  /** A kernel whose agents call one tool that is held until let go. */
  async function kernelThat(name: string) {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const calls: string[] = [];
    const refused: string[] = [];
    const errors: unknown[] = [];
    const brain: Brain = {
      turn: async (turn) => {
        const result = await turn
          .step({ kind: 'tool', name: 'look', readOnly: true }, async (key) => {
            calls.push(key);
            reached.resolve();
            await go.promise;
            return name;
          })
          .catch((error: unknown) => {
            refused.push((error as { code?: string }).code ?? String(error));
            throw error;
          });
        return { kind: 'answer', text: `from ${result}` };
      },
    };
    const kernel = await startKernel({
      dataDir: await openDataDir(ground.dataDir),
      databaseUrl: ground.databaseUrl,
      sync: false,
      brain,
      onError: (error) => errors.push(error),
    });
    return { kernel, reached: reached.promise, go: go.resolve, calls, refused, errors };
  }

  describe('by another kernel on the same database', () => {
    test('[SYS-12] it is refused whatever it still writes; the other one goes on and answers once', async () => {
      const first = await kernelThat('first');
      const { engine, store } = first.kernel;
      const { member } = await engine.submit({
        type: 'member.add',
        by: operator,
        kind: 'human',
        handle: 'ann',
        displayName: 'ann',
        about: '',
        role: 'member',
      });
      const { token } = await engine.submit({ type: 'token.create', by: operator, hash: 'h', kind: 'person', memberId: member.id, label: '' });
      const [general] = await store.rows('conversations', "where name = 'general'");
      const { message } = await engine.submit({
        type: 'message.post',
        by: { memberId: member.id, tokenId: token.id },
        conversationId: general!.id,
        body: '^ORAC go',
        attachmentIds: [],
      });
      await first.reached;
      const [task] = await store.rows('tasks', 'where message_id = ?', [message.id]);
      const [turn] = await store.rows('turns', 'where task_id = ?', [task!.id]);
      expect(task).toMatchObject({ state: 'active', lease: 1 });

      // The first one does not notice: its tool has not come back yet.
      const second = await kernelThat('second');
      await second.reached;
      const taken = (await second.kernel.store.rows('tasks', 'where id = ?', [task!.id]))[0]!;
      expect(taken.lease).toBeGreaterThan(task!.lease);
      const stale = { by: operator, taskId: task!.id, lease: task!.lease, agentId: task!.agent_id!, turnId: turn!.id };
      const more = { kind: 'tool', name: 'more', readOnly: true, stepKey: null, input: 'null' } as const;
      const late = [
        () => engine.submit({ type: 'turn.done', ...stale, n: 0, result: '"first"' }),
        () => engine.submit({ type: 'turn.intend', ...stale, n: 1, ...more }),
        () => engine.submit({ type: 'turn.unknown', ...stale, n: 0 }),
        () => engine.submit({ type: 'task.say', ...stale, kind: 'progress', body: 'late' }),
        () => engine.submit({ type: 'task.say', ...stale, kind: 'answer', body: 'late' }),
        () => engine.submit({ type: 'task.decline', ...stale, outcome: 'declined', reason: 'late' }),
        () => engine.submit({ type: 'task.yield', ...stale }),
        () => engine.submit({ type: 'task.pause', ...stale }),
        () => engine.submit({ type: 'task.fail', ...stale }),
      ];
      for (const write of late) await expect(write()).rejects.toMatchObject({ code: 'stale_lease' });

      first.go();
      second.go();
      await second.kernel.scheduler.settled();
      await first.kernel.scheduler.settled();
      await second.kernel.scheduler.settled();
      const words = await second.kernel.store.rows('messages', 'where author_id = ?', [task!.agent_id]);
      expect(words).toHaveLength(1);
      const [ended] = await second.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
      expect(ended).toMatchObject({ state: 'completed', answer_id: words[0]!.id });
      const said = await second.kernel.store.rows('facts', "where type = 'task.complete' and subject_id = ?", [task!.id]);
      expect(said).toHaveLength(1);
      // Each of them called under the same key: whoever takes it knows it for the same.
      expect(new Set([...first.calls, ...second.calls]).size).toBe(1);
      expect([...first.errors, ...second.errors]).toEqual([]);
      await first.kernel.stop();
      await second.kernel.stop();
    });
  });
});
