import { expect, test } from 'vitest';
import { agent, task } from '../../test/fixtures.ts';
import { byId } from '../state/model.ts';
import { chainWords, clockWords, activityWords, editWords, elapsedWords, nowWords, sinceWords } from './task-words.ts';

test('[PAP-8] a task’s clock counts down, pauses while the task waits, and is gone at the end', () => {
  const running = task('t', { timer: { running: true, endsAt: 100_000, leftMs: null, outerAt: 500_000 } });
  expect(clockWords(running, 40_500)?.text).toBe('1:00');
  expect(clockWords(running, 200_000)?.text).toBe('0:00');
  expect(clockWords(running, 40_500, true)?.text).toBe('paused');
  const standing = task('t', { state: 'waiting', timer: { running: false, endsAt: null, leftMs: 90_000, outerAt: 7_200_000 } });
  expect(clockWords(standing, 0)).toEqual({
    text: 'timer paused',
    hint: 'Timer paused. 1:30 left when it resumes; ends in 2 h at the latest.',
  });
  expect(clockWords(task('t', { state: 'completed', timer: null }), 0)).toBeNull();
});

test('[C2A-4] while its request is being written, the clock says when it begins', () => {
  const asked = task('t', { state: 'queued', composingUntil: 5_000, timer: null });
  expect(clockWords(asked, 2_400)).toEqual({ text: '3 s', hint: 'Starts in 3 seconds, unless more is written.' });
  expect(clockWords(asked, 9_000)?.text).toBe('0 s');
  expect(clockWords(asked, 2_400, true)?.text).toBe('paused');
});

test('[SYS-8] an agent is what its record and its tasks say, by precedence', () => {
  const works = byId([task('t1'), task('t2', { state: 'awaiting_delegation' }), task('t3', { agentId: 'stef' })]);
  expect(activityWords(agent('orac'), works)).toBe('working');
  expect(activityWords(agent('orac', { status: 'sleeping' }), works)).toBe('asleep');
  expect(activityWords(agent('orac', { status: 'offline' }), works)).toBe('offline');
  expect(activityWords(agent('bot'), works)).toBe('ready');
  expect(activityWords(undefined, works)).toBe('offline');
  expect(activityWords(agent('bot', { woken: 'working' }), works)).toBe('working');
  expect(activityWords(agent('bot', { woken: 'awaiting_approval' }), works)).toBe('waiting for approval');
  expect(activityWords(agent('orac', { woken: 'awaiting_approval' }), works)).toBe('working');
});

test('[C2A-25] [C2A-26] an edited request says what followed', () => {
  const words = (extra: Parameters<typeof task>[1], editedAt: number | null) => editWords(task('t', { createdAt: 5, ...extra }), editedAt);
  expect(words({}, null)).toBe('');
  expect(words({}, 3)).toBe('');
  expect(words({}, 7)).toBe('with the new text');
  expect(words({ state: 'completed' }, 7)).toBe('');
  expect(words({ addressedBy: 'edit' }, 5)).toBe('again, as it was edited');
});

test('[IAC-18] how long a task has been, and what its chain has taken and may still', () => {
  expect(sinceWords(task('t', { createdAt: 1_000 }), 66_000)).toBe('for 1:05');
  expect(sinceWords(task('t', { createdAt: 1_000, endedAt: 42_000 }), 99_000)).toBe('took 0:41');
  const begun = {
    startedAt: 0,
    endedAt: null,
    turns: 1,
    micros: 4_200,
    reservedMicros: 0,
    timer: { running: true, endsAt: 100_000, leftMs: null, outerAt: 500_000 },
  };
  expect(chainWords(begun, 40_000)).toEqual(['0:40 so far', '1 turn', '$0.0042', '1:00 left']);
  expect(chainWords({ ...begun, reservedMicros: 370_000 }, 40_000)).toEqual([
    '0:40 so far',
    '1 turn',
    '$0.0042',
    'up to $0.37 more reserved',
    '1:00 left',
  ]);
  expect(chainWords(begun, 40_000, true).at(-1)).toBe('1:00 left, timer paused');
  const standing = { running: false, endsAt: null, leftMs: 90_000, outerAt: 500_000 };
  expect(chainWords({ ...begun, turns: 2, timer: standing }, 400_000)).toEqual([
    '6:40 so far',
    '2 turns',
    '$0.0042',
    '1:30 left, timer paused',
  ]);
  expect(chainWords({ ...begun, endedAt: 61_000, timer: null }, 400_000)).toEqual(['took 1:01', '1 turn', '$0.0042']);
});

test('[SYS-8] one that sleeps says until when, and a record asked for just now counts what one cannot see', () => {
  const noon = new Date(2026, 4, 14, 12).getTime();
  expect(activityWords(agent('orac', { status: 'sleeping', asleepUntil: noon + 3_600_000 }), {}, noon)).toMatch(/^asleep until 1/);
  // Another day has an hour as well.
  expect(activityWords(agent('orac', { status: 'sleeping', asleepUntil: noon + 90_000_000 }), {}, noon)).toMatch(/^asleep until .*\d:00/);
  expect(activityWords(agent('orac', { status: 'awaiting_approval' }), {}, noon)).toBe('ready');
  expect(activityWords(agent('orac', { status: 'awaiting_approval' }), {}, noon, true)).toBe('waiting for approval');
  expect(activityWords(agent('orac', { status: 'awaiting_delegation' }), {}, noon, true)).toBe('waiting for others');
});

const idle = { drafting: false, brain: 'model', tools: [], since: 0, delegatedTo: [], asksMe: false } as const;
test.each([
  ['active', {}, 'thinking'],
  ['active', { drafting: true }, 'writing'],
  ['active', { brain: 'remote' }, 'working'],
  ['active', { tools: ['depot__stock'], drafting: true }, 'using depot.stock'],
  ['active', { tools: ['depot__stock', 'query_workspace'] }, 'using depot.stock and query_workspace'],
  ['active', { tools: ['one', 'two', 'three'] }, 'using one and 2 other tools'],
  ['active', { tools: ['contact_agent'], delegatedTo: ['STEF'] }, 'waiting for ^STEF'],
  ['active', { tools: ['contact_agent'] }, 'using contact_agent'],
  ['awaiting_delegation', { delegatedTo: ['STEF', 'PLAN'] }, 'waiting for ^STEF and ^PLAN'],
  ['awaiting_delegation', {}, 'waiting for others'],
  ['awaiting_approval', { asksMe: true }, 'waiting for your approval'],
  ['awaiting_approval', {}, 'waiting for approval'],
] as const)('[SYS-8] %s says what goes on now', (state, doing, words) => {
  expect(nowWords(task('t', { state }), 'you', { ...idle, ...doing })).toBe(words);
});

test('an active task shows how long it has run, and its limit in the hint', () => {
  const timer = { running: true, endsAt: 1_800_000, leftMs: null, outerAt: 86_400_000 };
  const at = task('t', { state: 'active', updatedAt: 0, timer });
  expect(elapsedWords(at, 12_000)).toEqual({ text: 'for 0:12', hint: 'for 0:12. 29:48 left' });
  // A tool that it began later counts from then.
  expect(elapsedWords(at, 12_000, 10_000)?.text).toBe('for 0:02');
  expect(elapsedWords(task('t', { state: 'completed' }), 12_000)).toBeNull();
});
