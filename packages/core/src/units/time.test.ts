import { expect, test } from 'vitest';
import { spanText, stampText, timeText } from './time.ts';

test.each([
  ['2026-03-11T06:00:00.000Z', '11 March 2026, 06:00 UTC'],
  ['2026-12-01T23:59:05.999Z', '1 December 2026, 23:59:05 UTC'],
  ['2026-01-31T00:00:00.250Z', '31 January 2026, 00:00 UTC'],
])('[PRV-18] %s is said as %s', (iso, words) => {
  expect(timeText(Date.parse(iso))).toBe(words);
});

test.each([
  ['2026-03-11T06:00:00Z', '11 March 2026, 06:00 UTC'],
  ['2026-03-11T00:30:00+02:00', '10 March 2026, 22:30 UTC'],
  ['2026-03-11T06:00:00.123456789Z', '11 March 2026, 06:00 UTC'],
  ['2026-13-41T06:00:00Z', '2026-13-41T06:00:00Z'],
  ['2026-03-11', '2026-03-11'],
  ['5', '5'],
  ['noon', 'noon'],
  ['', ''],
])('[PRV-18] what a monitor wrote as a time, and nothing else: %s is said as %s', (text, words) => {
  expect(stampText(text)).toBe(words);
});

test.each([
  [-1, '0:00'],
  [59_001, '1:00'],
  [3_599_000, '59:59'],
  [3_600_000, '1 h'],
  [11_100_000, '3 h 5 min'],
  [86_399_999, '24 h'],
])('[PAP-8] %d ms are said as %s', (ms, words) => {
  expect(spanText(ms)).toBe(words);
});
