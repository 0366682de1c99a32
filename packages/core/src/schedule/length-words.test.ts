import { expect, test } from 'vitest';
import { datesIn, timesIn, whenProblem } from './day-words.ts';
import { minutesIn, withoutLength } from './length-words.ts';

test.each([
  ['dinner on Friday for 3h', 180],
  ['a call for 2 hours', 120],
  ['for about 90 minutes', 90],
  ['for 45 min on Monday', 45],
  ['call for 1h30', 90],
  ['call for 1 h 15 min', 75],
  ['for 1:30h', 90],
  ['for 1.5 hours', 90],
  ['for 1,5 hours', 90],
  ['for an hour', 60],
  ['for an hour and a half', 90],
  ['for two hours', 120],
  ['for half an hour', 30],
  ['for 1/2 hour', 30],
  ['a 30-minute call', 30],
  ['a 2 hour meeting', 120],
  ['a half-hour call', 30],
  ['for 20 minutes', 30],
])('[A2C-24] %s lasts %i minutes', (words, minutes) => {
  expect(minutesIn(words)).toBe(minutes);
});

test.each([
  'dinner for 2',
  'dinner for two people',
  'call in 2 hours',
  'for 3 days',
  'for 30 hours',
  'for 0 minutes',
  '2 hours after work',
  'before hours',
  'dinner at 19:30',
])('[A2C-24] no length in %s', (words) => {
  expect(minutesIn(words)).toBeUndefined();
});

test('[A2C-24] a length is neither a clock time nor a date', () => {
  const today = Date.parse('2026-11-17') / 86_400_000;
  expect(timesIn(withoutLength('call on Friday for 1:30h'))).toEqual([]);
  expect(datesIn(withoutLength('call on Friday for 1.5 hours'), today)).toEqual(['2026-11-20']);
  expect(withoutLength('dinner on Friday for 3h at Dopo')).toBe('dinner on Friday at Dopo');
  expect(whenProblem('for 2h', today)).toBeUndefined();
});
