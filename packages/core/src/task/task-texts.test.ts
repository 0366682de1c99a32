import { TaskCause } from '@parley/protocol';
import { expect, test } from 'vitest';
import { taskStates } from './task.ts';
import { taskText } from './task-texts.ts';

type Shown = Parameters<typeof taskText>[0];
const task = (extra: Partial<Shown>): Shown => ({
  state: 'active',
  cause: null,
  reason: null,
  failure: null,
  agentOnline: true,
  agentId: 'orac',
  composingUntil: null,
  ...extra,
});

test.each<[Partial<Shown>, string]>([
  [{ state: 'active' }, 'working'],
  [{ state: 'queued' }, 'queued'],
  [{ state: 'queued', agentOnline: false, agentId: null }, 'waiting for an agent that can take it'],
  [{ state: 'offered', agentId: null }, 'offered, not taken yet'],
  [{ state: 'waiting' }, 'waiting for your reply'],
  [{ state: 'awaiting_approval' }, 'waiting for approval'],
  [{ state: 'awaiting_delegation' }, 'waiting for others'],
  [{ state: 'completed', cause: 'answered' }, 'answered'],
  [{ state: 'completed', cause: 'signalled' }, 'done: it sent no message'],
  [{ state: 'declined', cause: 'declined' }, 'declined'],
  [{ state: 'failed', cause: 'brain_failed', failure: 'no_key', reason: 'There is no key' }, 'needs a key'],
])('[SYS-8] %j is "%s"', (extra, words) => {
  expect(taskText(task(extra), 'you')).toBe(words);
});

test.each<[Partial<Shown>, string]>([
  [{ state: 'timed_out', cause: 'run_time' }, 'out of time'],
  [{ state: 'cancelled', cause: 'stopped' }, 'stopped'],
  [{ state: 'declined', cause: 'blocked' }, 'declined: it is blocked'],
  [{ state: 'failed', cause: 'budget' }, 'failed: its budget is exhausted'],
  [{ state: 'failed', cause: 'brain_failed' }, 'failed'],
  [
    { state: 'failed', cause: 'brain_failed', reason: 'Rate limit exceeded (anthropic, 429)' },
    'failed: Rate limit exceeded (anthropic, 429)',
  ],
])('[PAP-8] [PAP-15] [PAP-14] how it ended is told apart: %j is "%s"', (extra, words) => {
  expect(taskText(task(extra))).toBe(words);
});

test('[PAP-17] a task whose agent is away says so', () => {
  expect(taskText(task({ state: 'queued', agentOnline: false }))).toBe('queued, offline');
  expect(taskText(task({ state: 'timed_out', cause: 'offline' }))).toBe('out of time: it was offline and did not come back');
});

test('[C2A-4] while the request is being written, the task says when it begins', () => {
  for (const agentId of ['orac', null]) {
    const composing = task({ state: 'queued', composingUntil: 5000, agentId });
    expect(taskText(composing, 'you')).toBe('starts when you have finished writing');
    expect(taskText(composing, '@ben')).toBe('starts when @ben has finished writing');
  }
});

test('[C2A-25] a request that is edited to somebody else says that it was stopped, and why', () => {
  expect(taskText(task({ state: 'cancelled', cause: 'request_edited' }))).toBe('stopped: the edited request no longer addresses it');
});

test('every state and cause has words', () => {
  for (const state of taskStates)
    for (const cause of [null, ...TaskCause.options]) expect(taskText(task({ state, cause }), 'Ben')).toMatch(/^[a-z]/);
});
