import { expect, test } from 'vitest';
import { type Floor, isUnanswered, maySpeak, type Speech, type SpeechRefusal, type SpokenTask, type Utterance } from './floor-check.ts';
import { endStates, openStates, type TaskState } from './task.ts';

const task: SpokenTask = {
  agentId: 'orac',
  requesterId: 'ann',
  conversationId: 'general',
  messageId: 'request',
  outputs: ['report'],
  state: 'active',
  lease: 3,
};
const place = (over: Partial<Floor> = {}): Floor => ({
  id: 'general',
  rootMessageId: null,
  pair: null,
  agentIn: true,
  requesterIn: true,
  archived: false,
  ...over,
});
const speech = (over: Partial<Speech> = {}): Speech => ({
  kind: 'progress',
  agentId: 'orac',
  where: place(),
  task,
  lease: 3,
  halted: false,
  ...over,
});
const kinds: Utterance[] = ['progress', 'question', 'answer', 'decline', 'draft'];
const said = (over: Partial<Speech>): true | SpeechRefusal => {
  const verdict = maySpeak(speech(over));
  return verdict.ok || verdict.reason;
};

test.each<[string, Floor]>([
  ['where it was opened', place()],
  ['in the thread on its request', place({ id: 'thread', rootMessageId: 'request' })],
  ['in the DM of it and its requester', place({ id: 'dm', pair: ['ann', 'orac'] })],
  ['where its requester named, and is', place({ id: 'report' })],
])('[PAP-1] inside its task an agent speaks: %s', (_, where) => {
  for (const kind of kinds.filter((one) => one !== 'question')) expect(said({ kind, where })).toBe(true);
});

test('[PAP-1] it asks where its requester would find it, and not where the result goes', () => {
  expect(said({ kind: 'question' })).toBe(true);
  expect(said({ kind: 'question', where: place({ id: 'report' }) })).toBe('task_elsewhere');
});

test.each<[string, Partial<Speech>, SpeechRefusal]>([
  ['without a task', { task: undefined }, 'agent_without_task'],
  ['in another’s task', { task: { ...task, agentId: 'stef' } }, 'task_of_another'],
  ['in a task that nobody has taken yet', { task: { ...task, agentId: null, state: 'offered' } }, 'task_of_another'],
  ['in another conversation', { where: place({ id: 'private' }) }, 'task_elsewhere'],
  ['where there is nothing', { where: undefined }, 'task_elsewhere'],
  ['in the thread on another message', { where: place({ id: 'thread', rootMessageId: 'other' }) }, 'task_elsewhere'],
  ['in its DM with someone else', { where: place({ id: 'dm', pair: ['bob', 'orac'] }) }, 'task_elsewhere'],
  ['in a DM of three', { where: place({ id: 'dm', pair: ['ann', 'bob', 'orac'] }) }, 'task_elsewhere'],
  [
    'in a DM of its own, for a task whose requester is gone',
    { task: { ...task, requesterId: null }, where: place({ id: 'dm', pair: ['ann', 'orac'] }) },
    'task_elsewhere',
  ],
  ['where its requester no longer is', { where: place({ id: 'report', requesterIn: false }) }, 'task_elsewhere'],
  ['where it no longer is itself', { where: place({ agentIn: false }) }, 'task_elsewhere'],
  ['with the lease of a runner that was replaced', { lease: 2 }, 'stale_lease'],
  ['with a lease from the future', { lease: 4 }, 'stale_lease'],
  ['without a lease', { lease: undefined }, 'stale_lease'],
  ['while everything is stopped', { halted: true }, 'halted'],
  ['in reply to what was not said to it', { repliesToOwnWork: false }, 'must_not_respond'],
  ['where nothing more is said', { where: place({ archived: true }) }, 'archived'],
  [
    'as another in a task that is over: whose it is comes first',
    { task: { ...task, agentId: 'stef', state: 'failed' } },
    'task_of_another',
  ],
])('[PAP-1] not %s, whatever it is', (_, over, reason) => {
  for (const kind of kinds) expect(said({ kind, ...over })).toBe(reason);
});

test('[C2A-16] [PAP-1] asked to leave, it says nothing there in any task, and that is the reason it is given', () => {
  const left = place({ left: { goodbye: true } });
  for (const kind of kinds)
    for (const state of ['active', 'cancelled'] as const)
      expect(said({ kind, where: left, task: { ...task, state } })).toBe('asked_to_leave');
  expect(said({ where: left, task: { ...task, agentId: 'stef' } })).toBe('task_of_another');
});

test.each<[string, Partial<Speech>, true | SpeechRefusal]>([
  ['once, where it was asked to', { where: place({ left: { goodbye: true } }) }, true],
  ['not twice, nor late', { where: place({ left: { goodbye: false } }) }, 'asked_to_leave'],
  ['not where nobody asked it to', { where: place() }, 'agent_without_task'],
  ['not where it is not', { where: place({ agentIn: false, left: { goodbye: true } }) }, 'agent_without_task'],
  ['not nowhere', { where: undefined }, 'agent_without_task'],
  ['not while everything is stopped', { where: place({ left: { goodbye: true } }), halted: true }, 'halted'],
  ['not where nothing more is said', { where: place({ left: { goodbye: true }, archived: true }) }, 'archived'],
])('[C2A-16] [PAP-1] goodbye is said without a task: %s', (_, over, expected) => {
  expect(said({ kind: 'goodbye', task: undefined, lease: undefined, ...over })).toBe(expected);
});

test.each(endStates)('[PAP-7] after the end (%s) nothing', (state) => {
  for (const kind of kinds) expect(said({ kind, task: { ...task, state } })).toBe('task_over');
});

test.each<[TaskState, decline: true | SpeechRefusal]>(
  openStates.filter((state) => state !== 'active').map((state) => [state, state === 'offered' ? 'task_not_active' : true]),
)('[PAP-7] [PAP-14] while the task is %s it says nothing but that it will not', (state, decline) => {
  for (const kind of kinds) expect(said({ kind, task: { ...task, state } })).toBe(kind === 'decline' ? decline : 'task_not_active');
});

test.each(kinds)('[PAP-14] what was never begun has no lease: %s', (kind) => {
  const waiting: SpokenTask = { ...task, state: 'queued', lease: 0 };
  expect(said({ kind, task: waiting, lease: undefined })).toBe(kind === 'decline' ? true : 'stale_lease');
});

test.each([
  ['nothing was added', { begunAt: 10, acked: 0 }, [], false],
  ['it began with all of it', { begunAt: 10, acked: 0 }, [4, 9], false],
  ['something came after it began', { begunAt: 10, acked: 0 }, [9, 11], true],
  ['its agent has acknowledged that', { begunAt: 10, acked: 12 }, [9, 11], false],
  ['and then came something else', { begunAt: 10, acked: 12 }, [11, 13], true],
  ['something is being said at this very moment', { begunAt: 10, acked: 12 }, [Infinity], true],
])('[PAP-9] [PAP-14] whether an answer leaves something unanswered: %s', (_case, known, followUps, left) => {
  expect(isUnanswered(known, followUps)).toBe(left);
});
