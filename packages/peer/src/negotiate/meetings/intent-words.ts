// Reads a person's own words: the kind of meeting, days, a time of day and urgency. Words that are not understood change nothing.

import { datesIn, type DayRange, hasWord, type MeetingFormat, minutesIn, timesIn, withoutLength } from '@parley/core';
import type { FreeFields, Intent } from '@parley/protocol/relay';
import { dayOf, type LocalZone } from './local-time.ts';

/** Names where the outcome is posted, in the first packet. */
export const audienceField = 'outcome_audience';
/** Times beyond the free ones that a member of a group could make. */
export const extraWindowsField = 'extra_windows';
/** Actions that a person's peer can do, by name. */
export const offersField = 'offered_actions';

/** Values that were read from the words of an intent: they belong to those words. */
export const wordFields = ['event_type', 'proposed_date', 'time_preference'];

export const dropWords = (values: FreeFields): FreeFields =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !wordFields.includes(field)));

export const keepAudience = (stated: FreeFields): FreeFields =>
  Object.hasOwn(stated, audienceField) ? { [audienceField]: stated[audienceField]! } : {};

const hours = (from: number, to: number): DayRange => ({ from: from * 60, to: to * 60 });

/** The format that was asked for, and those that people can be asked about instead. Games are nothing else. */
const formats: Record<string, { format: MeetingFormat; instead: readonly string[] }> = {
  dinner: { format: { name: 'dinner', minutes: 120, inPerson: true, hours: hours(18, 22) }, instead: ['lunch', 'coffee'] },
  lunch: { format: { name: 'lunch', minutes: 90, inPerson: true, hours: hours(12, 15) }, instead: ['dinner', 'coffee'] },
  breakfast: { format: { name: 'breakfast', minutes: 60, inPerson: true, hours: hours(7, 11) }, instead: ['lunch', 'coffee'] },
  drinks: { format: { name: 'drinks', minutes: 120, inPerson: true, hours: hours(17, 22) }, instead: ['dinner', 'coffee'] },
  games: { format: { name: 'games', minutes: 180, inPerson: true, hours: hours(18, 22) }, instead: [] },
  coffee: { format: { name: 'coffee', minutes: 60, inPerson: true, hours: hours(9, 18) }, instead: ['lunch', 'call'] },
  meeting: { format: { name: 'meeting', minutes: 60, inPerson: true, hours: hours(9, 18) }, instead: ['call'] },
  call: { format: { name: 'call', minutes: 30, inPerson: false, hours: hours(9, 21) }, instead: [] },
};
/** For people whose words name none. */
export const meetingWords = Object.keys(formats).join(', ');
const meals = ['dinner', 'lunch', 'breakfast'];
const words: Record<string, string> = { meet: 'meeting', talk: 'call', drink: 'drinks', game: 'games' };

export interface IntentWords {
  /** Such as dinner; undefined for anything but a meeting. */
  event: string | undefined;
  /** Such as 2026-11-20. */
  dates: string[];
  times: DayRange[];
  /** How long it should be; undefined: as long as usual. */
  minutes: number | undefined;
  isUrgent: boolean;
}

const eventNames: ReadonlyMap<string, string> = new Map([
  ...Object.keys(formats).map((name) => [name, name] as const),
  ...Object.entries(words),
]);
const anEvent = `(?:${[...eventNames.keys()].join('|')})(?![\\p{L}\\d])`;
const eventWord = new RegExp(`(?<![\\p{L}\\d])${anEvent}`, 'gu');
/** A meeting beside the one that is meant: games after dinner. */
const beside = new RegExp(`(?<![\\p{L}\\d])(?:instead of|rather than|after|before) (?:(?:a|the|our|my|your) )?${anEvent}`, 'gu');
/** People meet, or call, for something. */
const general = ['meeting', 'call'];

const namedEvents = (text: string): string[] => [...text.matchAll(eventWord)].map(([word]) => eventNames.get(word)!);

/** Each kind of meeting that the words name. */
export const eventsIn = (said: string): string[] => namedEvents(said.toLowerCase());

/** The first one that is named. */
export function eventIn(text: string): string | undefined {
  const meant = namedEvents(text.replaceAll(beside, ' '));
  const events = meant.length > 0 ? meant : namedEvents(text);
  return events.find((event) => !general.includes(event)) ?? events[0];
}

/** Under which the memory of a relationship counts: the kind of meeting, else the category that the intent names. */
export function meetingKind(intent: Intent | null, { event_type: named }: FreeFields): string {
  const text = `${typeof named === 'string' ? named : ''} ${intent?.summary ?? ''}`;
  return eventIn(text.toLowerCase()) ?? intent?.category ?? 'other';
}

export function readIntentWords(said: string, now: number, zone: LocalZone): IntentWords {
  const text = withoutLength(said.toLowerCase());
  return {
    event: eventIn(text),
    dates: datesIn(text, dayOf(zone, now)),
    times: timesIn(text),
    minutes: minutesIn(said),
    isUrgent: hasWord(text, 'urgent') || hasWord(text, 'urgently') || hasWord(text, 'asap'),
  };
}

export const isMeal = (event: string): boolean => meals.includes(event);

/** A long evening is rather shorter than on another day. */
const shorterMinutes = 120;

/** What was asked for first, then what would do instead; each as long as somebody wants it, else as usual. */
export function formatsFor(event: string, minutes?: number): MeetingFormat[] {
  // A peer names the event.
  const known = Object.hasOwn(formats, event) ? formats[event] : undefined;
  if (!known) return [];
  const { format, instead } = known;
  const others = instead.map((name) => formats[name]!.format);
  if (minutes !== undefined) return [format, ...others].map((one) => lasting(one, minutes));
  return [format, ...(format.minutes > shorterMinutes ? [{ ...format, minutes: shorterMinutes }] : []), ...others];
}

/** A dinner of five hours begins before the usual hours of a dinner. */
const lasting = (format: MeetingFormat, minutes: number): MeetingFormat => {
  const { from, to } = format.hours ?? hours(0, 24);
  return { ...format, minutes, hours: { from: Math.max(0, Math.min(from, to - minutes)), to } };
};
