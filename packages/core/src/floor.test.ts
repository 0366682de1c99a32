import { expect, test } from 'vitest';
import { isUnanswered, maySpeak, type Speech, type SpeechRefusal } from './floor.ts';
import { endStates, openStates } from './task.ts';

const task = { agentId: 'orac', state: 'active', grants: ['general', 'thread'], lease: 3 } as const;
const speech = (over: Partial<Speech> = {}): Speech => ({
  agentId: 'orac',
  conversationId: 'general',
  task,
  lease: 3,
  halted: false,
  ...over,
});

test('[PAP-1] inside its task, where it was opened or granted, an agent speaks', () => {
  expect(maySpeak(speech())).toEqual({ ok: true });
  expect(maySpeak(speech({ conversationId: 'thread' }))).toEqual({ ok: true });
});

test.each<[string, Partial<Speech>, SpeechRefusal]>([
  ['without a task', { task: undefined }, 'agent_without_task'],
  ['in another’s task', { task: { ...task, agentId: 'stef' } }, 'task_of_another'],
  ['in a task that nobody has taken yet', { task: { ...task, agentId: null, state: 'offered' } }, 'task_of_another'],
  ['in another conversation', { conversationId: 'private' }, 'task_elsewhere'],
  ['with the lease of a runner that was replaced', { lease: 2 }, 'stale_lease'],
  ['with a lease from the future', { lease: 4 }, 'stale_lease'],
  ['without a lease', { lease: undefined }, 'stale_lease'],
  ['while everything is stopped', { halted: true }, 'halted'],
  [
    'as another in a task that is over: whose it is comes first',
    { task: { ...task, agentId: 'stef', state: 'failed' } },
    'task_of_another',
  ],
])('[PAP-1] not %s', (_, over, reason) => {
  expect(maySpeak(speech(over))).toEqual({ ok: false, reason });
});

test.each(endStates)('[PAP-7] after the end (%s) nothing', (state) => {
  expect(maySpeak(speech({ task: { ...task, state } }))).toEqual({ ok: false, reason: 'task_over' });
});

test.each(openStates.filter((state) => state !== 'active'))('[PAP-7] not while the task is %s', (state) => {
  expect(maySpeak(speech({ task: { ...task, state } }))).toEqual({ ok: false, reason: 'task_not_active' });
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
