import { expect, test } from 'vitest';
import { dismissHint, isHintDue, keepHint } from './hints.ts';

test('[A2C-39] a capability is introduced in one place, stays there, and comes nowhere else', () => {
  expect(isHintDue('calendar', 'thr_1')).toBe(true);
  keepHint('calendar', 'thr_1');
  expect([isHintDue('calendar', 'thr_1'), isHintDue('calendar', 'thr_2'), isHintDue('memory', 'list')]).toEqual([true, false, true]);
});

test('[A2C-39] a dismissed hint never returns', () => {
  keepHint('always', 'thr_1');
  dismissHint('always');
  expect([isHintDue('always', 'thr_1'), isHintDue('always', 'thr_2')]).toEqual([false, false]);
});
