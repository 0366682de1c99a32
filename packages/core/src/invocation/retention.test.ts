import { expect, test } from 'vitest';
import { type ChainOnRecord, keptSince, mayGo } from './retention.ts';

const day = 24 * 3_600_000;
const now = 100 * day;
const over = { open: false, endedAt: 10 * day };
const old: ChainOnRecord = { acceptedAt: [10 * day], invocations: [over], endedAt: 10 * day, places: [11 * day] };

test.each<[boolean, string, Partial<ChainOnRecord>]>([
  [true, 'all of it is old', {}],
  [true, 'it started nothing', { invocations: [], endedAt: undefined, places: [] }],
  [false, 'a later event of it', { acceptedAt: [10 * day, 70 * day] }],
  [false, 'one that waits for approval, a retry or a runner', { invocations: [over, { open: true, endedAt: null }] }],
  [false, 'one that ended lately', { invocations: [{ open: false, endedAt: 71 * day }] }],
  [false, 'a task in it is open', { endedAt: null }],
  [false, 'it was over only lately', { endedAt: 99 * day }],
  [false, 'it takes a place in a long window', { places: [now + 1] }],
  [true, 'its place is free', { places: [now] }],
])('gone after thirty days: %j, %s', (expected, _why, more) => expect(mayGo({ ...old, ...more }, 30 * day, now)).toBe(expected));

test('0 is for ever, and nothing goes before the ids of events are forgotten', () => {
  expect(mayGo(old, 0, now)).toBe(false);
  expect(keptSince(day, now)).toBe(93 * day);
  expect(keptSince(30 * day, now)).toBe(70 * day);
});
