import { Mode, Policy } from '@parley/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Address, AddressKind } from '../address/address.ts';
import { attend, type Listener, type MessageFacts, type Verdict } from './attend.ts';
import { reasons } from './why-texts.ts';

const to = (...whom: [AddressKind, string][]): Address[] =>
  whom.map(([kind, handle], at) => ({ kind, handle, start: at * 10, end: at * 10 + 1 + handle.length }));
const orac: [AddressKind, string] = ['agent', 'ORAC'];
const stef: [AddressKind, string] = ['agent', 'STEF'];
const matt: [AddressKind, string] = ['human', 'matt'];
const all: [AddressKind, string] = ['all_agents', 'ALL'];
const any: [AddressKind, string] = ['any_agent', 'ANY'];
const oncall: [AddressKind, string] = ['role', 'oncall'];

const channel = { kind: 'channel', floor: 'polite' } as const;
const open = { kind: 'channel', floor: 'open' } as const;
const dm = { kind: 'dm', floor: 'polite' } as const;
const group = { kind: 'group_dm', floor: 'polite' } as const;

const said = (over: Partial<MessageFacts> = {}): MessageFacts => ({
  authorId: 'ann',
  authorKind: 'human',
  conversation: channel,
  addresses: [],
  filler: false,
  ...over,
});
const ORAC = (over: Partial<Listener> = {}): Listener => ({ id: 'orac', handle: 'ORAC', ...over });
const byAgent = { authorId: 'stef', authorKind: 'agent', path: ['stef'] } as const;

const no = (reason: Verdict['reason'], mode: Verdict['mode'] = 'tool_mailbox'): Verdict => ({
  policy: 'must_not_respond',
  mode,
  reason,
  task: false,
});
const must = (reason: Verdict['reason'], mode: Verdict['mode'] = 'buffered'): Verdict => ({
  policy: 'must_respond',
  mode,
  reason,
  task: true,
});

type Row = [string, MessageFacts, Listener, Verdict];
/** One block per line of the list: what fits it, what only nearly does, and that it comes before the lines below. */
// prettier-ignore
const list: Record<string, Row[]> = {
  'line 1, its own message': [
    ['its own words', said({ authorId: 'orac', authorKind: 'agent' }), ORAC(), no('own_message', 'silent')],
    ['though it names itself', said({ authorId: 'orac', authorKind: 'agent', addresses: to(orac) }), ORAC(), no('own_message', 'silent')],
    ['though it calls all', said({ authorId: 'orac', authorKind: 'agent', addresses: to(all) }), ORAC(), no('own_message', 'silent')],
    ['another agent is not it', said({ ...byAgent, addresses: to(orac) }), ORAC(), must('mention')],
  ],
  'line 2, blocked or gone': [
    ['the author is blocked', said({ addresses: to(orac) }), ORAC({ blocks: true }), no('author_blocked', 'silent')],
    ['blocked in a DM, too', said({ conversation: dm }), ORAC({ blocks: true }), no('author_blocked', 'silent')],
    ['it left', said(), ORAC({ left: true }), no('left')],
    ['it left, and all are called', said({ addresses: to(all) }), ORAC({ left: true }), no('left')],
    ['it left, and any is called', said({ addresses: to(any) }), ORAC({ left: true }), no('left')],
    ['it left, and a role of its is called', said({ addresses: to(oncall) }), ORAC({ left: true, roles: ['oncall'] }), no('left')],
    ['it is asked to leave', said({ addresses: to(orac) }), ORAC({ leaving: true }), no('asked_to_leave')],
    ['it is asked to leave again', said({ addresses: to(orac) }), ORAC({ leaving: true, left: true }), no('asked_to_leave')],
    ['it is asked to leave a DM of several', said({ conversation: group, addresses: to(orac) }), ORAC({ leaving: true }), no('asked_to_leave')],
    ['there is nothing to leave in a DM of two', said({ conversation: dm, addresses: to(orac) }), ORAC({ leaving: true }), must('mention')],
    ['an agent cannot ask it to', said({ ...byAgent, addresses: to(orac) }), ORAC({ leaving: true }), must('mention')],
    ['nor can anyone without naming it', said({ addresses: to(all) }), ORAC({ leaving: true }), must('all_agents')],
    ['it left, on an open floor', said({ conversation: open }), ORAC({ left: true }), no('left')],
    ['it left and is named', said({ addresses: to(orac) }), ORAC({ left: true }), must('mention')],
    ['it left and is named beside its role', said({ addresses: to(oncall, orac) }), ORAC({ left: true, roles: ['oncall'] }), must('mention')],
  ],
  'line 3, a notification': [
    ['wakes nobody', said({ ...byAgent, notification: true }), ORAC(), no('notification')],
    ['though it names it', said({ ...byAgent, notification: true, addresses: to(orac) }), ORAC(), no('notification')],
    ['nor in a DM', said({ conversation: dm, notification: true }), ORAC(), no('notification')],
  ],
  'line 4, filler': [
    ['in a channel', said({ filler: true }), ORAC(), no('filler')],
    ['after its handle', said({ filler: true, addresses: to(orac) }), ORAC(), no('filler')],
    ['in a DM', said({ filler: true, conversation: dm }), ORAC(), no('filler')],
    ['on an open floor', said({ filler: true, conversation: open }), ORAC(), no('filler')],
    ['from its requester', said({ filler: true }), ORAC({ continuing: 'requester' }), no('filler')],
    ['to all', said({ filler: true, addresses: to(all) }), ORAC(), no('filler')],
    ['but it may be the answer to what it asked', said({ filler: true }), ORAC({ continuing: 'asked' }), must('follow_up')],
  ],
  'line 5, called': [
    ['by its handle', said({ addresses: to(orac) }), ORAC(), must('mention')],
    ['whatever the case', said({ addresses: to(['agent', 'orac']) }), ORAC(), must('mention')],
    ['beside others', said({ addresses: to(matt, stef, orac) }), ORAC(), must('mention')],
    ['by a role it holds', said({ addresses: to(oncall) }), ORAC({ roles: ['OnCall'] }), must('role', 'notify')],
    ['by name and by role: by name', said({ addresses: to(oncall, orac) }), ORAC({ roles: ['oncall'] }), must('mention')],
    ['by a role of somebody else', said({ addresses: to(oncall) }), ORAC({ roles: ['qa'] }), no('addressed_to_others')],
    ['with all', said({ addresses: to(all) }), ORAC(), must('all_agents')],
    ['with any', said({ addresses: to(any) }), ORAC(), must('any_agent')],
    ['by name and with all: by name', said({ addresses: to(all, orac) }), ORAC(), must('mention')],
    ['on an open floor', said({ conversation: open, addresses: to(orac) }), ORAC(), must('mention')],
    ['by an agent inside a task', said({ ...byAgent, addresses: to(orac) }), ORAC(), must('mention')],
    ['by whoever works for it: that is an answer', said({ ...byAgent, path: ['orac', 'stef'], addresses: to(orac) }), ORAC(), no('in_path')],
    ['with all, by an agent', said({ ...byAgent, addresses: to(all) }), ORAC(), no('one_responder')],
    ['with any, by an agent', said({ ...byAgent, addresses: to(any) }), ORAC(), no('one_responder')],
    ['with all, by whoever works for it', said({ ...byAgent, path: ['orac', 'stef'], addresses: to(all) }), ORAC(), no('one_responder')],
    ['with all and by name, by an agent', said({ ...byAgent, addresses: to(all, orac) }), ORAC(), must('mention')],
    ['in a final answer', said({ ...byAgent, final: true, addresses: to(orac) }), ORAC(), no('final_answer')],
  ],
  'line 6, a DM': [
    ['a person’s', said({ conversation: dm }), ORAC(), must('dm')],
    ['that names somebody else', said({ conversation: dm, addresses: to(matt) }), ORAC(), must('dm')],
    ['another agent’s is none', said({ ...byAgent, conversation: dm }), ORAC(), no('ambient')],
    ['of one person and several agents: for any of them', said({ conversation: group }), ORAC(), must('any_agent')],
    ['of one person and several agents, and another one’s task goes on', said({ conversation: group, continued: true }), ORAC(), no('ambient')],
    ['of one person and several agents, and its own task goes on', said({ conversation: group, continued: true }), ORAC({ continuing: 'requester' }), must('follow_up')],
    ['of several that names another', said({ conversation: group, addresses: to(stef) }), ORAC(), no('addressed_to_others')],
    ['of several that names nobody there is', said({ conversation: group, addresses: to(['unknown', 'x']) }), ORAC(), must('any_agent')],
  ],
  'line 7, others only': [
    ['another agent', said({ addresses: to(stef) }), ORAC(), no('addressed_to_others')],
    ['a person', said({ addresses: to(matt) }), ORAC(), no('addressed_to_others')],
    ['all people', said({ addresses: to(['all_humans', 'all']) }), ORAC(), no('addressed_to_others')],
    ['any person', said({ addresses: to(['any_human', 'any']) }), ORAC(), no('addressed_to_others')],
    ['its own owner', said({ conversation: open, addresses: to(matt) }), ORAC(), no('addressed_to_others')],
    ['though its requester goes on', said({ addresses: to(matt) }), ORAC({ continuing: 'requester' }), no('addressed_to_others')],
    ['a name that nobody has is nobody’s', said({ addresses: to(['unknown', 'x']) }), ORAC(), no('ambient')],
  ],
  'line 8, continuing': [
    ['a reply to its message', said(), ORAC({ continuing: 'reply' }), must('reply')],
    ['its requester in the thread of its task', said(), ORAC({ continuing: 'requester' }), must('follow_up')],
    ['who asked nobody by name, and asks more', said({ clearQuestion: true }), ORAC({ continuing: 'asker', inThread: 'alone' }), must('follow_up')],
    ['and tells something', said({ question: true }), ORAC({ continuing: 'asker', inThread: 'alone' }), no('statement')],
    ['and tells it on an open floor', said({ conversation: open }), ORAC({ continuing: 'asker', inThread: 'alone' }), { policy: 'may_respond', mode: 'notify', reason: 'thread', task: false }],
    ['and names it', said({ addresses: to(orac) }), ORAC({ continuing: 'asker', inThread: 'alone' }), must('mention')],
    ['the answer to what it asked', said(), ORAC({ continuing: 'asked' }), must('follow_up')],
    ['on an open floor', said({ conversation: open }), ORAC({ continuing: 'requester' }), must('follow_up')],
    ['a piece of what is still being written', said(), ORAC({ continuing: 'fragment' }), must('fragment')],
    ['a piece that turns to somebody else', said({ addresses: to(stef) }), ORAC({ continuing: 'fragment' }), no('addressed_to_others')],
    ['a piece that says nothing', said({ filler: true }), ORAC({ continuing: 'fragment' }), no('filler')],
    ['a status line in its task is said to it', said({ status: true }), ORAC({ continuing: 'requester' }), must('follow_up')],
  ],
  'line 9, given as work, or asked where it is alone': [
    ['given by a person', said(), ORAC({ assigned: true }), must('assigned')],
    ['given, though it is a status line', said({ status: true }), ORAC({ assigned: true }), must('assigned')],
    ['but not what is its own', said({ authorId: 'orac', authorKind: 'agent' }), ORAC({ assigned: true }), no('own_message', 'silent')],
    ['but not to one that was asked to leave', said(), ORAC({ assigned: true, left: true }), no('left')],
    ['asked in a thread where it is the only agent', said({ clearQuestion: true }), ORAC({ inThread: 'alone' }), must('question')],
    ['not asked there', said(), ORAC({ inThread: 'alone' }), no('ambient')],
    ['put in doubtful words', said({ question: true, clearQuestion: false }), ORAC({ inThread: 'alone' }), no('ambient')],
    ['asked where there are others: for any of them', said({ clearQuestion: true }), ORAC({ inThread: 'among' }), must('any_agent')],
    ['told where there are others', said({ clearQuestion: false }), ORAC({ inThread: 'among' }), no('ambient')],
    ['asked where it takes no part', said({ clearQuestion: true }), ORAC(), no('ambient')],
    ['asked by an agent', said({ ...byAgent, clearQuestion: true }), ORAC({ inThread: 'alone' }), no('ambient')],
    ['asked of somebody else', said({ clearQuestion: true, addresses: to(matt) }), ORAC({ inThread: 'alone' }), no('addressed_to_others')],
  ],
  'line 10, a status line': [
    ['polite', said({ status: true }), ORAC(), no('status', 'digest')],
    ['open', said({ status: true, conversation: open }), ORAC(), no('status', 'digest')],
    ['in its thread', said({ status: true, conversation: open }), ORAC({ inThread: 'among' }), no('status', 'digest')],
    ['addressed to it, it is a request', said({ status: true, addresses: to(orac) }), ORAC(), must('mention')],
    ['in a DM, too', said({ status: true, conversation: dm }), ORAC(), must('dm')],
  ],
  'urgent': [
    ['a mention interrupts', said({ urgent: true, addresses: to(orac) }), ORAC(), must('mention', 'immediate')],
    ['a DM interrupts', said({ urgent: true, conversation: dm }), ORAC(), must('dm', 'immediate')],
    ['an agent cannot say so', said({ ...byAgent, urgent: true, addresses: to(orac) }), ORAC(), must('mention')],
    ['a role is still knocked', said({ urgent: true, addresses: to(oncall) }), ORAC({ roles: ['oncall'] }), must('role', 'notify')],
    ['what is not for it stays so', said({ urgent: true, addresses: to(stef) }), ORAC(), no('addressed_to_others')],
    ['filler stays filler', said({ urgent: true, filler: true, addresses: to(orac) }), ORAC(), no('filler')],
  ],
  'line 11, the floor': [
    ['polite', said(), ORAC(), no('ambient')],
    ['polite, an agent’s words', said(byAgent), ORAC(), no('ambient')],
    ['open', said({ conversation: open }), ORAC(), { policy: 'may_respond', mode: 'tool_mailbox', reason: 'ambient', task: false }],
    ['open, in a thread it takes part in: a knock', said({ conversation: open }), ORAC({ inThread: 'among' }), { policy: 'may_respond', mode: 'notify', reason: 'thread', task: false }],
    ['polite, in a thread it takes part in', said(), ORAC({ inThread: 'among' }), no('ambient')],
    ['open, an agent’s words', said({ ...byAgent, conversation: open }), ORAC(), { policy: 'may_respond', mode: 'tool_mailbox', reason: 'ambient', task: false }],
  ],
};

const check = (_: string, message: MessageFacts, agent: Listener, expected: Verdict): void => {
  expect(attend(message, agent)).toEqual(expected);
};
describe('is this agent addressed?', () => {
  test.each(list['line 1, its own message']!)('[PAP-6] line 1, its own message: %s', check);
  test.each(list['line 2, blocked or gone']!)('[PAP-6] line 2, blocked or gone: %s', check);
  test.each(list['line 3, a notification']!)('[PAP-6] line 3, a notification: %s', check);
  test.each(list['line 4, filler']!)('[PAP-2] line 4, filler: %s', check);
  test.each(list['line 5, called']!)('[PAP-2] line 5, called: %s', check);
  test.each(list['line 6, a DM']!)('[PAP-2] line 6, a DM: %s', check);
  test.each(list['line 7, others only']!)('[PAP-5] line 7, others only: %s', check);
  test.each(list['line 8, continuing']!)('[PAP-9] line 8, continuing: %s', check);
  test.each(list['line 9, given as work, or asked where it is alone']!)(
    '[C2A-12] line 9, given as work, or asked where it is alone: %s',
    check,
  );
  test.each(list['line 10, a status line']!)('[C2A-14] line 10, a status line: %s', check);
  test.each(list['urgent']!)('[C2A-9] urgent: %s', check);
  test.each(list['line 11, the floor']!)('[PAP-6] line 11, the floor: %s', check);
});

const rows = Object.values(list).flat();

test('[PAP-6] a task is made by what must be answered, and by nothing else', () => {
  for (const [, message, agent] of rows) {
    const { policy, task, reason } = attend(message, agent);
    expect(task).toBe(policy === 'must_respond');
    expect(reasons[reason]).toMatch(/\.$/);
  }
});

test('[PAP-6] every reason there is occurs in the table', () => {
  expect(new Set(rows.map(([, , , { reason }]) => reason))).toEqual(new Set(Object.keys(reasons)));
});

test('[C2A-1] [C2A-2] [C2A-3] every message has one policy, one mode and one reason for each agent, and one that must not be answered makes no task', () => {
  const bool = fc.boolean();
  const anything = fc.record({
    authorId: fc.constantFrom('ann', 'orac', 'stef'),
    authorKind: fc.constantFrom('human' as const, 'agent' as const),
    conversation: fc.constantFrom(channel, open, dm, group),
    addresses: fc.subarray([orac, stef, matt, all, any, oncall, ['unknown', 'x'] as [AddressKind, string]]).map((whom) => to(...whom)),
    filler: bool,
    status: bool,
    question: bool,
    clearQuestion: bool,
    urgent: bool,
    notification: bool,
    path: fc.subarray(['orac', 'stef']),
    final: bool,
  });
  const anyone = fc.record({
    id: fc.constant('orac'),
    handle: fc.constant('ORAC'),
    roles: fc.subarray(['oncall']),
    blocks: bool,
    left: bool,
    leaving: bool,
    continuing: fc.constantFrom(undefined, 'asked' as const, 'reply' as const, 'requester' as const, 'fragment' as const),
    assigned: bool,
    inThread: fc.constantFrom(undefined, 'alone' as const, 'among' as const),
  });
  fc.assert(
    fc.property(anything, anyone, (message, agent) => {
      const verdict = attend(message, agent);
      expect(Policy.options).toContain(verdict.policy);
      expect(Mode.options).toContain(verdict.mode);
      expect(verdict.task).toBe(verdict.policy === 'must_respond');
      if (message.authorId === agent.id || agent.blocks || message.notification) expect(verdict.policy).toBe('must_not_respond');
      if (verdict.mode === 'digest' || verdict.mode === 'silent') expect(verdict.policy).not.toBe('must_respond');
      if (message.conversation.floor === 'polite') expect(verdict.policy).not.toBe('may_respond');
      if (verdict.mode === 'immediate') expect([message.urgent, message.authorKind]).toEqual([true, 'human']);
    }),
    { numRuns: 20_000 },
  );
});

test('[C2A-33] with ^ALL and ^ANY an agent wakes nobody, in its progress, in its last word, on either floor', () => {
  for (const conversation of [channel, open, group, dm])
    for (const whom of [all, any])
      for (const final of [false, true])
        expect(attend(said({ ...byAgent, conversation, final, addresses: to(whom) }), ORAC()).task).toBe(false);
});

test('[PAP-5] calls of people wake no agent on either floor', () => {
  for (const conversation of [channel, open, group]) {
    for (const person of [matt, ['all_humans', 'all'], ['any_human', 'any']] satisfies [AddressKind, string][]) {
      expect(attend(said({ conversation, addresses: to(person) }), ORAC()).task).toBe(false);
    }
  }
});
