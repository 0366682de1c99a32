import { taskStates } from '@parley/core';
import { TaskCause } from '@parley/protocol';
import { expect, test } from 'vitest';
import { task } from '../../test/fixtures.ts';
import { clockWords, stateWords } from './words.ts';

test.each([
  [{ state: 'active' }, 'working'],
  [{ state: 'queued' }, 'queued'],
  [{ state: 'waiting' }, 'waits for your answer'],
  [{ state: 'completed', cause: 'answered' }, 'answered'],
  [{ state: 'declined', cause: 'declined' }, 'declined'],
] as const)('[SYS-8] %j is "%s"', (extra, words) => {
  expect(stateWords(task('t', extra), 'you')).toBe(words);
});

test('[PAP-17] one whose agent is away says so', () => {
  expect(stateWords(task('t', { state: 'queued', agentOnline: false }), 'you')).toBe('offline, queued until it is back');
  expect(stateWords(task('t', { state: 'timed_out', cause: 'offline' }), 'you')).toBe('did not come back in time');
});

test('[PAP-8] [PAP-15] [PAP-14] how it ended is told apart', () => {
  const ends = [
    ['timed_out', 'run_time'],
    ['cancelled', 'stopped'],
    ['declined', 'blocked'],
    ['failed', 'budget'],
  ] as const;
  const words = ends.map(([state, cause]) => stateWords(task('t', { state, cause }), 'Ben'));
  expect(words).toEqual(['ran out of time', 'stopped', 'blocked', 'its budget is spent']);
});

test('every state and cause has words', () => {
  for (const state of taskStates)
    for (const cause of [null, ...TaskCause.options]) expect(stateWords(task('t', { state, cause }), 'Ben')).toMatch(/^[a-z]/);
});

test('[PAP-8] its clock counts down, stands while it waits, and is gone at the end', () => {
  const running = task('t', { timer: { running: true, endsAt: 100_000, leftMs: null, outerAt: 500_000 } });
  expect(clockWords(running, 40_500)?.text).toBe('1:00');
  expect(clockWords(running, 200_000)?.text).toBe('0:00');
  const standing = task('t', { state: 'waiting', timer: { running: false, endsAt: null, leftMs: 90_000, outerAt: 7_200_000 } });
  expect(clockWords(standing, 0)).toEqual({
    text: 'clock stands',
    hint: 'The clock stands. 1:30 left when it goes on; ends in 2 h at the latest.',
  });
  expect(clockWords(task('t', { state: 'completed', timer: null }), 0)).toBeNull();
});
