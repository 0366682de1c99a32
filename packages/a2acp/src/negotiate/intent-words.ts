// Reads a person's own words: the kind of meeting, days, a time of day and urgency. Words that are not understood change nothing.

import type { DayRange, MeetingFormat } from '@parley/core';
import type { FreeFields, Intent } from '@parley/protocol/relay';
import { dateOf, dayOf, type LocalZone, weekdayOf } from './local-time.ts';

/** Names where the outcome is posted, in the first packet. */
export const audienceField = 'outcome_audience';
/** Actions that a person's peer can do, by name. */
export const offersField = 'offered_actions';

const hours = (from: number, to: number): DayRange => ({ from: from * 60, to: to * 60 });

/** The format that was asked for, and those that would do instead. */
const formats: Record<string, { format: MeetingFormat; instead: readonly string[] }> = {
  dinner: { format: { name: 'dinner', minutes: 120, inPerson: true, hours: hours(18, 22) }, instead: ['lunch', 'coffee'] },
  lunch: { format: { name: 'lunch', minutes: 90, inPerson: true, hours: hours(12, 15) }, instead: ['dinner', 'coffee'] },
  breakfast: { format: { name: 'breakfast', minutes: 60, inPerson: true, hours: hours(7, 11) }, instead: ['lunch', 'coffee'] },
  drinks: { format: { name: 'drinks', minutes: 120, inPerson: true, hours: hours(17, 22) }, instead: ['dinner', 'coffee'] },
  coffee: { format: { name: 'coffee', minutes: 60, inPerson: true, hours: hours(9, 18) }, instead: ['lunch', 'call'] },
  meeting: { format: { name: 'meeting', minutes: 60, inPerson: true, hours: hours(9, 18) }, instead: ['call'] },
  call: { format: { name: 'call', minutes: 30, inPerson: false, hours: hours(9, 21) }, instead: [] },
};
const meals = ['dinner', 'lunch', 'breakfast'];
const words: Record<string, string> = { meet: 'meeting', talk: 'call', drink: 'drinks' };
const partsOfDay: Record<string, DayRange> = {
  morning: hours(9, 12),
  noon: hours(12, 14),
  afternoon: hours(12, 18),
  evening: hours(18, 22),
};
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

export interface IntentWords {
  /** Such as dinner; undefined for anything but a meeting. */
  event: string | undefined;
  /** Such as 2026-11-20. */
  dates: string[];
  times: DayRange[];
  isUrgent: boolean;
}

const has = (text: string, word: string): boolean => new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, 'u').test(text);

function eventIn(text: string): string | undefined {
  const synonym = Object.keys(words).find((word) => has(text, word));
  return Object.keys(formats).find((name) => has(text, name)) ?? (synonym === undefined ? undefined : words[synonym]);
}

/** Under which the memory of a relationship counts: the kind of meeting, else the category that the intent names. */
export function meetingKind(intent: Intent | null, { event_type: named }: FreeFields): string {
  const text = `${typeof named === 'string' ? named : ''} ${intent?.summary ?? ''}`;
  return eventIn(text.toLowerCase()) ?? intent?.category ?? 'other';
}

export function readIntentWords(said: string, now: number, zone: LocalZone): IntentWords {
  const text = said.toLowerCase();
  return {
    event: eventIn(text),
    dates: datesIn(text, dayOf(zone, now)),
    times: timesIn(text),
    isUrgent: has(text, 'urgent') || has(text, 'urgently') || has(text, 'asap'),
  };
}

function datesIn(text: string, today: number): string[] {
  const written = [...text.matchAll(/(?<!\d)(20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)/g)].map(([, date]) => date!);
  if (written.length > 0) return written.slice(0, 7);
  const isNext = has(text, 'next');
  const days = weekdays.flatMap((name, weekday) => {
    if (!has(text, name)) return [];
    const ahead = (weekday - weekdayOf(today) + 7) % 7 || 7;
    return [today + (has(text, `next ${name}`) && ahead < 7 ? ahead + 7 : ahead)];
  });
  if (has(text, 'today') || has(text, 'tonight')) days.push(today);
  if (has(text, 'tomorrow')) days.push(today + 1);
  const monday = today - weekdayOf(today);
  if (has(text, 'weekend')) days.push(...[5, 6].map((weekday) => monday + weekday + (isNext ? 7 : 0)));
  if (has(text, 'next week')) days.push(...[7, 8, 9, 10, 11].map((ahead) => monday + ahead));
  return [...new Set(days)].toSorted((a, b) => a - b).map(dateOf);
}

/** A named clock time is wished from then on for two hours. */
function timesIn(text: string): DayRange[] {
  const half = /(?<![\d:-])(1[0-2]|[1-9])(?::([0-5]\d))? ?([ap])m(?!\p{L})/u.exec(text);
  const [, hourWord, minutes = '00'] = half ?? /(?<![\d:-])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/.exec(text) ?? [];
  if (hourWord === undefined) return Object.keys(partsOfDay).flatMap((name) => (has(text, name) ? [partsOfDay[name]!] : []));
  const named = half ? (Number(hourWord) % 12) + (half[3] === 'p' ? 12 : 0) : Number(hourWord);
  const from = named * 60 + Number(minutes);
  return [{ from, to: Math.min(from + 120, 24 * 60) }];
}

const timeWords = [...weekdays, ...Object.keys(partsOfDay)].concat(
  'today tonight tomorrow weekend week weeks month day days date time times night hour hours later earlier sooner'.split(' '),
);
const speaksOfTime = (text: string): boolean => /\d/.test(text) || timeWords.some((word) => has(text.toLowerCase(), word));

/** `at Dopo`, `in Reading`, or words that speak of no time and no kind of meeting. */
export function placeIn(said: string): string | undefined {
  const named = /(?:^|\s)(?:at|in|near)\s+([^,;.]{2,80})/iu.exec(said)?.[1]?.trim();
  if (named !== undefined && !speaksOfTime(named)) return named;
  const text = said.trim();
  return text === '' || text.length > 80 || speaksOfTime(text) || eventIn(text.toLowerCase()) !== undefined ? undefined : text;
}

/** The person minds the place, not the time. */
export const isPlaceOnly = (said: string): boolean =>
  placeIn(said) !== undefined && !speaksOfTime(said) && eventIn(said.toLowerCase()) === undefined;

export const isMeal = (event: string): boolean => meals.includes(event);

/** What was asked for first, then what would do instead. */
export function formatsFor(event: string): MeetingFormat[] {
  // A peer names the event.
  const known = Object.hasOwn(formats, event) ? formats[event] : undefined;
  return known ? [known.format, ...known.instead.map((name) => formats[name]!.format)] : [];
}
