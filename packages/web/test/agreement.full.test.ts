// One decision, asked for in four ways: before it is sent by the composer's forecast, and by `parley decide` from the
// same facts; after it was sent by the page and the API, and by `parley explain`.

import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Explanation } from '@parley/protocol';
import { onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageForecast, type RoomKnowledge } from '../src/forecast/page-forecast.ts';
import { roomOf } from '../src/forecast/room.ts';
import { byId } from '../src/state/model.ts';
import { type Author, type Row, table, type Where } from './agreement-table.ts';

const launcher = fileURLToPath(new URL('../../cli/bin/parley.mjs', import.meta.url));

async function parley(args: string[], env: Record<string, string>, input = ''): Promise<string> {
  const running = promisify(execFile)(process.execPath, [launcher, ...args], { cwd: tmpdir(), env: { ...process.env, ...env } });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

interface Place {
  id: string;
  /** Where its members are: the place itself, or what the thread hangs in. */
  home: string;
  root: { id: string; authorId: string } | null;
}

type Verdict = [policy: string, mode: string, reason: string];
type Verdicts = Record<string, Verdict>;
const verdict = ({ policy, mode, reason }: { policy: string; mode: string; reason: string }): Verdict => [policy, mode, reason];

onBothEngines('the page, the API and the command line', (engine) => {
  let kit: TestHub;
  let people: Record<Author, Person>;
  let places: Record<Where, Place>;
  /** What does not change while this is said. */
  let known: Pick<RoomKnowledge, 'members' | 'roles' | 'agents'>;

  const settled = () => kit.hub.kernel.scheduler.settled();
  const handleOf = (id: string): string => Object.values(people).find((one) => one.id === id)!.handle;

  beforeAll(async () => {
    kit = await startTestHub(engine, { clock: new SimClock(), agents: [] });
    const [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
    const [A, B, C] = [await kit.agent('A', ann), await kit.agent('B', ann), await kit.agent('C', ann)];
    people = { ann, bob, A, B, C };
    for (const agent of [A, B, C]) {
      const principal = await kit.hub.kernel.auth.principal(agent.token);
      await kit.hub.kernel.engine.submit({ type: 'agent.connect', by: principal!.by });
    }
    await kit.owner.call('addRole', { body: { handle: 'oncall', holderIds: [B.id] } });
    await kit.owner.call('addRole', { body: { handle: 'night', holderIds: [kit.owner.id] } });
    const room = async (name: string, settings: { floor?: 'open'; composeMs?: number } = {}): Promise<Place> => {
      const { id } = await ann.call('createChannel', { body: { name } });
      for (const { id: memberId } of [bob, A, B, C])
        await ann.call('addToConversation', { params: { conversationId: id }, body: { memberId } });
      if (Object.keys(settings).length > 0) await ann.call('editConversation', { params: { conversationId: id }, body: settings });
      return { id, home: id, root: null };
    };
    const dm = async (...members: Person[]): Promise<Place> => {
      const { id } = await ann.call('openDm', { body: { memberIds: members.map((one) => one.id) } });
      return { id, home: id, root: null };
    };
    const thread = async ({ id: home }: Place): Promise<Place> => {
      const root = await ann.post(home, '^A begin with this');
      await settled();
      const { id } = await ann.call('openThread', { params: { messageId: root.id } });
      return { id, home, root: { id: root.id, authorId: ann.id } };
    };
    places = {
      polite: await room('polite'),
      open: await room('open', { floor: 'open' }),
      pieces: await room('pieces', { composeMs: 2500 }),
      thread: await thread(await room('with-thread')),
      openThread: await thread(await room('with-open-thread', { floor: 'open' })),
      dm: await dm(A),
      group: await dm(bob, A, B),
    };
    known = {
      members: byId((await ann.call('listMembers', { query: {} })).members),
      roles: byId((await ann.call('listRoles', {})).roles),
      agents: byId((await ann.call('listAgents', {})).agents),
    };
  });
  afterAll(() => kit.stop());

  /** What the page of this person knows, fetched as the page does. */
  async function foretold({ by, text }: Row, { id, home, root }: Place): Promise<Verdicts> {
    const me = people[by];
    const params = { conversationId: home };
    const [open, all, { memberships }, { leaves }, conversation] = await Promise.all([
      me.call('listTasks', { query: { state: 'open', limit: 200 } }),
      me.call('listTasks', { query: { conversationId: id, state: 'all', limit: 200 } }),
      me.call('listMemberships', { params }),
      me.call('listLeaves', { params }),
      me.call('getConversation', { params }),
    ]);
    const { verdicts } = pageForecast(
      {
        myId: me.id,
        ...known,
        tasks: byId([...open.tasks, ...all.tasks]),
        leaves,
        halt: { halted: false, since: null, by: null },
      },
      {
        room: roomOf(conversation, memberships, known.members, known.roles)!,
        conversationId: id,
        root: root?.id ?? null,
        rootAuthorId: root?.authorId ?? null,
        text,
        attachments: 0,
      },
    );
    return Object.fromEntries([...verdicts].map(([handle, decided]) => [handle, verdict(decided)]));
  }

  /** The question to `parley decide`, from the table alone. */
  async function question({ where, by, text, standing = {}, speaking }: Row): Promise<object> {
    const { home, root } = places[where];
    const { kind, floor } = await people.ann.call('getConversation', { params: { conversationId: home } });
    const here = { dm: ['ann', 'A'], group: ['ann', 'bob', 'A', 'B'] }[where as string] ?? ['ann', 'bob', 'A', 'B', 'C'];
    const members = here.map((handle) => ({
      handle,
      kind: handle === handle.toUpperCase() ? 'agent' : 'human',
      ...(handle === 'B' ? { roles: ['oncall'] } : {}),
      ...standing[handle as 'A'],
    }));
    return {
      conversation: { kind: root ? 'thread' : kind, floor, members },
      author: by,
      content: text,
      ...(speaking ? { path: speaking.path, final: speaking.kind === 'answer' } : {}),
    };
  }

  /** The latest that an agent is at, there or in the thread on it; of this requester's. */
  const taskOf = async (agent: Person, { id, home }: Place, requester?: Person) => {
    const rows = await kit.hub.kernel.store.rows('tasks', "where agent_id = ? and state = 'active' order by seq desc", [agent.id]);
    return rows.find((row) => [id, home].includes(row.conversation_id) && (!requester || row.requester_id === requester.id))!;
  };

  async function say(row: Row): Promise<string> {
    const [author, place] = [people[row.by], places[row.where]];
    const params = { conversationId: place.id };
    let extra: object = {};
    if (row.speaking) {
      const { id, lease } = await taskOf(author, place);
      extra = { task: { id, lease, kind: row.speaking.kind } };
    }
    if (row.replyTo) {
      const { messages } = await people.ann.call('listMessages', { params, query: {} });
      extra = { replyTo: messages.findLast(({ authorId }) => authorId === people[row.replyTo!].id)!.id };
    }
    const { id } = await author.call('postMessage', { params, body: { body: row.text, ...extra } });
    await settled();
    if (row.next === 'A asks') {
      const { id: taskId, lease } = await taskOf(people.A, place, author);
      const body = { body: 'Which of them?', task: { id: taskId, lease, kind: 'question' as const } };
      await people.A.call('postMessage', { params, body });
    }
    return id;
  }

  test('[C2A-1] [C2A-16] [C2A-32] [SYS-3] decide the same for every agent, whichever of them is asked', async () => {
    const said: { row: Row; id: string; foretold: Verdicts | undefined }[] = [];
    const questions: object[] = [];
    for (const row of table) {
      // The composer is a person's, and replies in the thread.
      const before = row.speaking || row.replyTo ? undefined : await foretold(row, places[row.where]);
      questions.push(await question(row));
      said.push({ row, id: await say(row), foretold: before });
    }
    const lines = (await parley(['decide'], {}, questions.map((one) => `${JSON.stringify(one)}\n`).join(''))).trimEnd().split('\n');
    expect(lines).toHaveLength(table.length);

    // A process for each takes its time: it is asked about the first message that each line of the list decided.
    const lineOf = ({ row }: (typeof said)[number]): string => Object.values(row.reasons).find((reason) => !seen.has(reason)) ?? '';
    const seen = new Set<string>();
    const asking = said.filter((one) => lineOf(one) !== '' && seen.add(lineOf(one))).map(({ id }) => id);
    const told = new Map<string, string>();
    const env = { PARLEY_URL: kit.url, PARLEY_TOKEN: people.ann.token };
    const ask = async (): Promise<void> => {
      for (let id = asking.pop(); id !== undefined; id = asking.pop()) told.set(id, await parley(['explain', id, '--json'], env));
    };
    await Promise.all([ask(), ask(), ask()]);
    expect(told.size).toBeGreaterThan(15);

    const verdictsOf = (all: [handle: string, decided: Parameters<typeof verdict>[0]][]): Verdicts =>
      Object.fromEntries(all.map(([handle, decided]) => [handle, verdict(decided)]));
    for (const [n, { row, id, foretold: before }] of said.entries()) {
      const answer = await people.ann.call('explainMessage', { params: { messageId: id }, query: {} });
      const recorded = verdictsOf(answer.recorded!.agents.map((one) => [handleOf(one.agentId), one]));
      const shown = verdictsOf(answer.agents.map((one) => [one.handle, one]));
      const { verdicts } = JSON.parse(lines[n]!) as { verdicts: Record<string, Parameters<typeof verdict>[0]> };
      const explained = told.has(id) ? (JSON.parse(told.get(id)!) as Explanation) : answer;
      const about = `${row.where}: ${row.text}`;
      const reasons = Object.fromEntries(Object.entries(recorded).map(([handle, [, , reason]]) => [handle, reason]));
      expect.soft(reasons, about).toEqual(row.reasons);
      expect.soft(shown, `the page: ${about}`).toEqual(recorded);
      expect.soft(before ?? recorded, `the composer: ${about}`).toEqual(recorded);
      expect.soft(verdictsOf(Object.entries(verdicts)), `parley decide: ${about}`).toEqual(recorded);
      expect.soft(explained, `parley explain: ${about}`).toEqual(answer);
    }
  });
});
