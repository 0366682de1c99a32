import { openNegotiation } from '@parley/core/negotiation';
import { expect, test } from 'vitest';
import { readIntentWords } from './intent-words.ts';
import { utc } from './local-time.ts';
import { readingOf } from './words-for-people.ts';

/** A Tuesday. */
const now = Date.parse('2026-11-17T10:00Z');
const opening = { threadId: 'thr_0123456789', own: 'agent:ann@hub', peer: 'agent:bob@hub' };

function reading(summary: string, role: 'initiator' | 'responder' = 'initiator'): string | null {
  const { event, dates } = readIntentWords(summary, now, utc);
  const stated = { ...(event ? { event_type: event } : {}), ...(dates.length > 0 ? { proposed_date: dates } : {}) };
  return readingOf({ machine: openNegotiation({ ...opening, role }, now), intent: { summary, category: 'scheduling' }, stated });
}

test.each([
  ['sort out dinner on Friday for 3h', 'dinner, Friday 20 November, 3 hours'],
  ['dinner at 7 tomorrow', 'dinner, Wednesday 18 November, at 19:00'],
  ['a 45-minute call on the 28th', 'call, Saturday 28 November, 45 minutes'],
  ['lunch', 'lunch, any day'],
  ['dinner at Dopo on Friday', 'dinner, Friday 20 November, Dopo'],
  ['coffee on 28 or 29 November', 'coffee, Saturday 28 November or Sunday 29 November'],
  ['meet next week in the afternoon', 'meeting, Monday 23 November to Friday 27 November, 12:00–18:00'],
  ['Your phone number', null],
])('[A2C-24] “%s” is read as %s', (words, read) => {
  expect(reading(words)).toBe(read);
});

test('[A2C-24] only the person who asked gets a reading of their words', () => {
  expect(reading('dinner on Friday', 'responder')).toBeNull();
});
