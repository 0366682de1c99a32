import type { StreamEvent } from '@parley/protocol';
import type { Client, StreamOptions, StreamState } from '@parley/sdk';
import { ConnectionError, ParleyError } from '@parley/sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { agent, chain, conversation, fact, member, message, task } from '../../test/fixtures.ts';
import { openWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

/** A hub whose answers are plain values, changed between calls, and whose stream the test speaks. */
let answers: Record<string, unknown>;
let stream: StreamOptions;
let workspace: Workspace;
const signedOut = vi.fn<() => void>();

const client = {
  call: async (name: string) => {
    const answer = answers[name];
    if (answer instanceof Error) throw answer;
    return answer;
  },
  stream: (options: StreamOptions) => {
    stream = options;
    return { close() {}, typing() {}, retryNow() {} };
  },
} as unknown as Client;

beforeEach(async () => {
  vi.useFakeTimers();
  const silent = { addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('document', silent);
  for (const [name, listener] of Object.entries(silent)) vi.stubGlobal(name, listener);
  answers = {
    getSession: { me: member('ada'), workspace: { name: 'Test' }, cursor: 'e1:5' },
    listConversations: { conversations: [conversation('con', { lastSeq: 2 })], next: null, cursor: 'e1:4' },
    listMembers: { members: [member('ada'), member('ben')], next: null },
    listAgents: { agents: [] },
    listRoles: { roles: [] },
    listTasks: { tasks: [] },
    listNotices: { notices: [] },
    listCheckpoints: { checkpoints: [] },
    listObligations: { obligations: [] },
    listLeaves: { leaves: [] },
    getHalt: { halted: false, since: null, by: null },
    listMessages: { messages: [message('m1', 1), message('m2', 2)], moreBefore: false, moreAfter: false },
  };
  workspace = await openWorkspace(client, signedOut);
});
afterEach(() => {
  workspace.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const texts = () => {
  const timeline = workspace.store.get().timelines['con'];
  return timeline?.ids.map((id) => timeline.messages[id]?.body);
};
const told = (event: StreamEvent) => Promise.resolve(stream.onEvent(event));
const settle = () => vi.advanceTimersByTimeAsync(10);

test('the stream is followed from the earlier of the two cursors of a snapshot', () => {
  expect(stream.cursor).toBe('e1:4');
  expect(workspace.store.get().members['ada']?.online).toBe(true);
});

test('[A2C-39] a page on the line names its time zone, also after the hub was away', async () => {
  const call = vi.spyOn(client, 'call');
  answers['noticePeerZone'] = new ParleyError('peer_unavailable');
  for (const status of ['live', 'waiting', 'live'] as const) stream.onState?.({ status } as StreamState);
  await settle();
  const { timeZone: zone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(call.mock.calls).toEqual([1, 2].map(() => ['noticePeerZone', { body: { zone } }]));
  call.mockRestore();
});

test('SYS-4 a reset takes a new snapshot before anything that follows it, and leaves no trace of the old line', async () => {
  workspace.history.show('con');
  await settle();
  await told(fact('message.posted', { message: message('lost', 9), rootMessageId: null, parentId: null }));
  expect(texts()).toEqual(['m1', 'm2', 'lost']);

  answers['listConversations'] = {
    conversations: [conversation('con', { lastSeq: 3 }), conversation('other')],
    next: null,
    cursor: 'e2:3',
  };
  answers['listMessages'] = { messages: [message('m1', 1, { body: 'edited' }), message('m3', 3)], moreBefore: false, moreAfter: false };
  let snapshotTaken = false;
  const reset = told({ type: 'reset', cursor: 'e2:3', reason: 'epoch' }).then(() => (snapshotTaken = true));
  expect(texts()).toEqual(['m1', 'm2', 'lost']);
  expect(snapshotTaken).toBe(false);
  await reset;
  await settle();
  expect(texts()).toEqual(['edited', 'm3']);
  expect(Object.keys(workspace.store.get().conversations)).toEqual(['con', 'other']);
});

test('a snapshot that cannot be had is asked for until it can: what follows waits', async () => {
  const whole = answers['listMembers'];
  answers['listMembers'] = new ConnectionError('network', 'away');
  let done = false;
  void told({ type: 'reset', cursor: 'e2:3', reason: 'too_far_behind' }).then(() => (done = true));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(done).toBe(false);
  answers['listMembers'] = whole;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(done).toBe(true);
});

test('the connection is shown as it is, and an ended session leads out', () => {
  const say = (state: StreamState) => stream.onState?.(state);
  expect(workspace.store.get().connection).toBe('connecting');
  say({ status: 'live' });
  expect(workspace.store.get().connection).toBe('live');
  say({ status: 'waiting', retryAt: 0, reason: 'gone' });
  say({ status: 'connecting' });
  expect(workspace.store.get().connection).toBe('reconnecting');
  say({ status: 'stopped', why: 'unauthenticated' });
  expect(signedOut).toHaveBeenCalledTimes(1);
});

test('SYS-8 an answer that was read before something was told of an agent does not undo that', async () => {
  const bot = member('bot', { kind: 'agent' });
  answers['listMembers'] = { members: [member('ada'), member('ben'), bot], next: null };
  answers['listAgents'] = { agents: [agent('bot', { status: 'offline' })] };
  const joined = told(fact('member.edited', { member: bot }));
  const came = told(fact('agent.changed', { agent: agent('bot', { status: 'idle' }) }));
  await Promise.all([joined, came]);
  await settle();
  const { agents, members } = workspace.store.get();
  expect([agents['bot']?.status, members['bot']?.online]).toEqual(['idle', true]);
});

test('PRV-16 a new agent that has finished before the list came is not shown at work', async () => {
  const bot = member('bot', { kind: 'agent' });
  answers['listMembers'] = { members: [member('ada'), member('ben'), bot], next: null };
  answers['listAgents'] = { agents: [agent('bot', { woken: 'working' })] };
  const joined = told(fact('member.added', { member: bot }));
  answers['listAgents'] = { agents: [agent('bot', { woken: null })] };
  const finished = told({ type: 'woken', agentId: 'bot', woken: null });
  await Promise.all([joined, finished]);
  await settle();
  expect(workspace.store.get().agents['bot']?.woken).toBeNull();
});

test('typing is forgotten when nothing more is heard', async () => {
  await told({ type: 'typing', conversationId: 'con', memberId: 'ben' });
  expect(workspace.store.get().typing['con']).toHaveProperty('ben');
  await vi.advanceTimersByTimeAsync(8_000);
  expect(workspace.store.get().typing['con']).toEqual({});
});

test('who came while the list was on its way is in it', async () => {
  const ben = { conversationId: 'con', memberId: 'ben', role: 'participant' as const, joinedAt: 0 };
  answers['listMemberships'] = { memberships: [] };
  const asked = workspace.refreshMemberships('con');
  answers['listMemberships'] = { memberships: [ben] };
  await told(fact('membership.added', { membership: ben }));
  await asked;
  expect(workspace.store.get().memberships['con']).toEqual([ben]);
});

test('[IAC-18] a chain that is shown is asked for again when it moves, once for a burst; others only while somebody watches', async () => {
  const { chains, store } = workspace;
  const moves = () => Promise.all([told({ type: 'chain', chainId: 'c1' }), told({ type: 'chain', chainId: 'c1' })]);
  const later = () => vi.advanceTimersByTimeAsync(500);
  answers['getChain'] = chain('c1', [task('t1')]);
  await moves();
  await later();
  expect(store.get().chains).toEqual({});
  const stop = chains.watch();
  await moves();
  await later();
  expect(store.get().chains['c1']?.turns).toBe(0);
  stop();
  answers['getChain'] = chain('c1', [task('t1')], { turns: 3 });
  await told(fact('task.changed', { task: task('t1', { chainId: 'c1' }) }));
  await later();
  expect(store.get().chains['c1']?.turns).toBe(3);
  // Signs are not kept: after a time away whatever still runs is asked for.
  answers['getChain'] = chain('c1', [task('t1')], { turns: 4 });
  chains.refreshAll();
  await later();
  expect(store.get().chains['c1']?.turns).toBe(4);
  answers['getChain'] = new ConnectionError('network', 'away');
  await moves();
  await later();
  expect(store.get().chains['c1']?.turns).toBe(4);
  answers['getChain'] = new ParleyError('not_found', 'gone');
  await moves();
  await later();
  expect(store.get().chains).toEqual({});
});

test('SYS-14 what was said while a read was on its way is unread, though the answer was counted before it', async () => {
  answers['markRead'] = { conversationId: 'con', readSeq: 2, lastSeq: 2, unread: 0 };
  answers['getConversation'] = conversation('con', { lastSeq: 4, readSeq: 2, unread: 2 });
  workspace.reading.seen('con', 2);
  for (const seq of [3, 4]) await told(fact('message.posted', { message: message(`m${seq}`, seq), rootMessageId: null, parentId: null }));
  expect(workspace.store.get().conversations['con']).toMatchObject({ lastSeq: 4, unread: 2 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(workspace.store.get().conversations['con']).toMatchObject({ lastSeq: 4, readSeq: 2, unread: 2 });
});

test('SYS-14 a conversation that was read before its last message is asked for again, and never takes a count back', async () => {
  for (const seq of [3, 4]) await told(fact('message.posted', { message: message(`m${seq}`, seq), rootMessageId: null, parentId: null }));
  let asked = 0;
  const answered = (lastSeqs: number[]) =>
    Object.defineProperty(answers, 'getConversation', {
      configurable: true,
      get: () =>
        conversation('con', {
          name: `read ${++asked}`,
          lastSeq: lastSeqs[asked - 1] ?? lastSeqs.at(-1)!,
          unread: lastSeqs[asked - 1] ?? 0,
        }),
    });
  answered([3, 4]);
  await workspace.refreshConversation('con');
  expect(workspace.store.get().conversations['con']).toMatchObject({ name: 'read 2', lastSeq: 4, unread: 4 });
  // Not for ever, if it never catches up.
  asked = 0;
  answered([1]);
  await workspace.refreshConversation('con');
  expect(asked).toBe(3);
  expect(workspace.store.get().conversations['con']).toMatchObject({ name: 'read 3', lastSeq: 4, unread: 4 });
});
