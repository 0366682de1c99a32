import { describe, expect, test } from 'vitest';
import { agent, checkpoint, fact, member, message, notice, obligation, stateOf, task, timeline } from '../../test/fixtures.ts';
import { applyEvent } from './apply.ts';
import type { State } from './model.ts';
import { toAnswer, withAgent, withFetched, withObligation } from './work.ts';

const after = (state: State, ...events: Parameters<typeof applyEvent>[1][]) =>
  events.reduce((now, event) => applyEvent(now, event, 0)[0], state);
const draft = (text: string | null, taskId = 't1') => ({ type: 'draft', conversationId: 'con', memberId: 'orac', taskId, text }) as const;

describe('[SYS-8] a task', () => {
  test('is found by the message that asked for it, and shown as it last was told', () => {
    const opened = after(
      stateOf(),
      fact('task.opened', { task: task('t1') }),
      fact('task.opened', { task: task('t2', { agentId: 'stef' }) }),
    );
    expect(opened.asked['m1']).toEqual(['t1', 't2']);
    const ended = after(opened, fact('task.changed', { task: task('t1', { state: 'completed', updatedAt: 5 }) }));
    expect(ended.tasks['t1']?.state).toBe('completed');
    expect(ended.asked).toBe(opened.asked);
  });

  test('that ended meanwhile is not opened again by a page fetched before', () => {
    const state = after(stateOf(), fact('task.changed', { task: task('t1', { state: 'completed', updatedAt: 5 }) }));
    expect(withFetched(state, [task('t1', { updatedAt: 4 })], []).tasks['t1']?.state).toBe('completed');
    expect(withFetched(state, [task('t1', { updatedAt: 5 })], []).tasks['t1']?.state).toBe('completed');
    expect(withFetched(state, [task('t1', { state: 'failed', updatedAt: 6 })], []).tasks['t1']?.state).toBe('failed');
  });

  test('is not set back by the answer to one’s own command, when its facts were quicker', () => {
    const state = after(stateOf(), fact('task.changed', { task: task('t1', { state: 'waiting', updatedAt: 5 }) }));
    expect(withFetched(state, [task('t1', { state: 'active', updatedAt: 5 })])).toBe(state);
    const writing = after(state, draft('Hel'));
    expect(withFetched(writing, [task('t1', { state: 'cancelled', updatedAt: 6 })]).drafts).toEqual([]);
  });
});

describe('a draft', () => {
  const writing = after(stateOf({ timelines: { con: timeline([]) } }), draft('Hel'), draft('Hello'));
  test('is replaced as it grows, and withdrawn when the agent takes it back', () => {
    expect(writing.drafts).toMatchObject([{ text: 'Hello' }]);
    expect(after(writing, draft(null)).drafts).toEqual([]);
  });
  test('gives way to the message it becomes, in the same step', () => {
    const said = message('m2', 2, { authorId: 'orac', task: { id: 't1', kind: 'answer' } });
    const next = after(writing, fact('message.posted', { message: said, rootMessageId: null, parentId: null }));
    expect([next.drafts, next.timelines['con']?.ids]).toEqual([[], ['m2']]);
  });
  test('does not outlive its task, and none begins after its end', () => {
    const over = after(writing, fact('task.changed', { task: task('t1', { state: 'cancelled' }) }));
    expect(over.drafts).toEqual([]);
    expect(after(over, draft('late')).drafts).toEqual([]);
  });
  test('is forgotten when the connection was lost: nobody would say that it is gone', () => {
    expect(after({ ...writing, connection: 'reconnecting' }, { type: 'ready', cursor: 'e:1' }).drafts).toEqual([]);
  });
});

test('notices stand in their order, once each, also when they are fetched and told', () => {
  const told = after(stateOf(), fact('notice', { notice: notice(7) }));
  const both = withFetched(told, [], [notice(3), notice(7), notice(5, { conversationId: 'other' })]);
  expect(both.notices['con']?.map(({ seq }) => seq)).toEqual([3, 7]);
  expect(after(both, fact('notice', { notice: notice(3) }))).toBe(both);
});

test('[SYS-10] stop everything is known as soon as it is told, and so is its release', () => {
  const halted = after(stateOf(), fact('workspace.halted', { halt: { halted: true, since: 4, by: 'ben' } }));
  expect(halted.halt).toEqual({ halted: true, since: 4, by: 'ben' });
  expect(after(halted, fact('workspace.halted', { halt: { halted: false, since: null, by: null } })).halt.halted).toBe(false);
});

test('[SYS-8] what events have an agent do is known as soon as it is told', () => {
  const state = stateOf({ agents: { orac: agent('orac') } });
  const works = after(state, { type: 'woken', agentId: 'orac', woken: 'working' });
  expect(works.agents['orac']).toEqual(agent('orac', { woken: 'working' }));
  expect(after(works, { type: 'woken', agentId: 'orac', woken: null }).agents['orac']?.woken).toBeNull();
  // One that is not known yet is asked for with its member.
  expect(after(state, { type: 'woken', agentId: 'new', woken: 'working' })).toBe(state);
});

test('[SYS-8] an agent’s record is the latest one told, and says whether it is here', () => {
  const state = stateOf({ members: { orac: member('orac', { kind: 'agent' }) } });
  const idle = after(state, fact('agent.changed', { agent: agent('orac') }));
  expect(idle.members['orac']?.online).toBe(true);
  expect(after(idle, fact('agent.changed', { agent: agent('orac', { status: 'offline' }) })).members['orac']?.online).toBe(false);

  expect(after(stateOf(), fact('agent.changed', { agent: agent('orac', { status: 'working' }) })).agents['orac']?.status).toBe('working');
});

describe('[C2A-31] what is owed', () => {
  test('is asked for again when it comes, changes or goes', () => {
    expect(applyEvent(stateOf(), fact('obligation.changed', { obligationId: 'o1' }), 0)[1]).toEqual([{ type: 'owed' }]);
  });

  test('is asked for again when one is reminded of it', () => {
    const due = fact('notice', { notice: notice(1, { kind: 'obligation_due' }) });
    expect(applyEvent(stateOf(), due, 0)[1]).toEqual([{ type: 'owed' }]);
    expect(applyEvent(stateOf(), fact('notice', { notice: notice(1) }), 0)[1]).toEqual([]);
  });

  test('is shown as it stands after one said something about it, and gone when it is settled', () => {
    const state = stateOf({ owed: { owe: [obligation('o1'), obligation('o2')], waiting: [obligation('o3')] } });
    expect(withObligation(state, obligation('o2', { extended: true })).owed.owe.map(({ extended }) => extended)).toEqual([false, true]);
    expect(withObligation(state, obligation('o3', { open: false })).owed).toEqual({ ...state.owed, waiting: [] });
  });

  test('is told of once: not beside the checkpoint that asks about it', () => {
    const asked = { c: { obligationIds: ['o2'] } } as unknown as State['checkpoints'];
    expect(toAnswer([obligation('o1'), obligation('o2')], asked).map(({ id }) => id)).toEqual(['o1']);
  });
});

test('[SYS-6] that a tool server of an agent is one person’s own stands until the list says otherwise', () => {
  const told = withAgent(withAgent(stateOf({}), agent('orac', { privateTools: ['cal'] })), agent('orac', { status: 'working' }));
  expect(told.agents['orac']?.privateTools).toEqual(['cal']);
  expect(withAgent(told, agent('orac', { privateTools: [] })).agents['orac']?.privateTools).toEqual([]);
});

test('[SYS-8] that an agent needs a key stands until the list says otherwise', () => {
  const before = withAgent(stateOf({}), agent('orac', { needsKey: 'anthropic' }));
  const told = withAgent(before, agent('orac', { status: 'working' }));
  expect(told.agents['orac']?.needsKey).toBe('anthropic');
  expect(withAgent(told, agent('orac', { needsKey: null })).agents['orac']?.needsKey).toBeNull();
});

test('[SYS-11] a failure for want of a key asks which agents need one, once', () => {
  const failed = fact('task.changed', { task: task('t1', { agentId: 'orac', state: 'failed', failure: 'no_key' }) });
  const needs = (needsKey: string | null) => applyEvent(withAgent(stateOf(), agent('orac', { needsKey })), failed, 0)[1];
  expect(needs(null)).toContainEqual({ type: 'members' });
  expect(needs('anthropic')).not.toContainEqual({ type: 'members' });
});

test('[SYS-8] the tools of a task are those last told, and none once it waits, has ended or the connection was lost', () => {
  const tool = (...tools: string[]) => ({ type: 'tool', taskId: 't1', tools, since: 3 }) as const;
  const working = after(stateOf(), fact('task.opened', { task: task('t1') }), tool('depot__stock'));
  expect(working.tools['t1']).toEqual({ names: ['depot__stock'], since: 3 });
  expect(after(working, tool()).tools['t1']).toEqual({ names: [], since: 3 });
  const waiting = after(working, fact('task.changed', { task: task('t1', { state: 'awaiting_approval', updatedAt: 5 }) }));
  expect([waiting.tools, after(waiting, tool('late')).tools]).toEqual([{}, {}]);
  expect(after({ ...working, connection: 'reconnecting' }, { type: 'ready', cursor: 'e:1' }).tools).toEqual({});
});

test('[SYS-1] what was answered leaves the inbox and is kept, and an older answer of the list does not open it again', () => {
  const open = checkpoint('c');
  const closed = { ...open, open: false, choice: 'approve', closedBy: 'ada', closedAt: 1 };
  const state = after(stateOf({ checkpoints: { c: open } }), fact('checkpoint.closed', { checkpoint: closed }));
  expect([state.checkpoints, state.settled]).toEqual([{}, { c: closed }]);
  expect(withFetched(state, [], [], [open]).checkpoints).toEqual({});
  expect(withFetched(stateOf(), [], [], [closed, checkpoint('d')])).toMatchObject({ checkpoints: {}, settled: { c: closed } });
});

test('[SYS-2] the timer is the chain’s: what a fact says of it holds for every open task of the chain', () => {
  const paused = { running: false, endsAt: null, leftMs: 5, outerAt: 9 };
  const chained = { chainId: 'c' };
  const before = stateOf({ tasks: { a: task('a', chained), b: task('b', chained), other: task('other') } });
  const { tasks } = after(before, fact('task.changed', { task: task('b', { ...chained, state: 'awaiting_approval', timer: paused }) }));
  expect([tasks['a']?.timer, tasks['b']?.timer, tasks['other']?.timer?.running]).toEqual([paused, paused, true]);
});
