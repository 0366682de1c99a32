// Reads a person's own words: the kind of meeting, days, a time of day and urgency. Other words change nothing.

import { datesIn, type DayRange, hasWord, type MeetingFormat, minutesIn, timesIn, withoutLength, speaksOfTime } from '@parley/core';
import type { FreeFields, Intent } from '@parley/protocol/relay';
import { dayOf, type LocalZone, dateOf, day, dayFrom, hour, offsetAt } from './local-time.ts';
import type { BrainView } from '../peer-brain.ts';

/** A field of the first packet: the place where the outcome is posted. */
export const audienceField = 'outcome_audience';
/** A field with times that a member of a group could make, although they are not free. */
export const extraWindowsField = 'extra_windows';
/** A field with the names of actions that a person's peer can run. */
export const offersField = 'offered_actions';

/** Fields that were read from an intent. A new intent replaces them. */
export const wordFields = ['event_type', 'proposed_date', 'time_preference'];

export const dropWords = (values: FreeFields): FreeFields =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !wordFields.includes(field)));

export const keepAudience = (stated: FreeFields): FreeFields =>
  Object.hasOwn(stated, audienceField) ? { [audienceField]: stated[audienceField]! } : {};

const hours = (from: number, to: number): DayRange => ({ from: from * 60, to: to * 60 });

/** The requested format, and others that people can be asked about instead. Nothing replaces games. */
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
/** The kinds of meetings, for people whose request names none. */
export const meetingWords = Object.keys(formats).join(', ');
const meals = ['dinner', 'lunch', 'breakfast'];
const words: Record<string, string> = { meet: 'meeting', talk: 'call', drink: 'drinks', game: 'games' };

export interface IntentWords {
  /** A kind such as dinner; undefined if the text names no meeting. */
  event: string | undefined;
  /** Dates such as 2026-11-20. */
  dates: string[];
  times: DayRange[];
  /** The wanted length; undefined for the usual one. */
  minutes: number | undefined;
  isUrgent: boolean;
}

const eventNames: ReadonlyMap<string, string> = new Map([
  ...Object.keys(formats).map((name) => [name, name] as const),
  ...Object.entries(words),
]);
const anEvent = `(?:${[...eventNames.keys()].join('|')})(?![\\p{L}\\d])`;
const eventWord = new RegExp(`(?<![\\p{L}\\d])${anEvent}`, 'gu');
/** A meeting that is mentioned beside the requested one, as in `games after dinner`. */
const mentionedBeside = new RegExp(`(?<![\\p{L}\\d])(?:instead of|rather than|after|before) (?:(?:a|the|our|my|your) )?${anEvent}`, 'gu');
/** These kinds are general: another kind in the same text says what the meeting is for. */
const generalEvents = ['meeting', 'call'];

const namedEvents = (text: string): string[] => [...text.matchAll(eventWord)].map(([word]) => eventNames.get(word)!);

/** All kinds of meetings in the text. */
export const eventsIn = (said: string): string[] => namedEvents(said.toLowerCase());

/** The first kind in the text. A specific kind comes before a general one. */
function eventIn(text: string): string | undefined {
  const requested = namedEvents(text.replaceAll(mentionedBeside, ' '));
  const events = requested.length > 0 ? requested : namedEvents(text);
  return events.find((event) => !generalEvents.includes(event)) ?? events[0];
}

/** The kind under which the memory of a relationship counts: the kind of meeting, else the category of the intent. */
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

/** People rather shorten a long evening than move it to another day. */
const shorterMinutes = 120;

/** The requested format first, then its replacements, each with the wanted or the usual length. */
export function formatsFor(event: string, minutes?: number): MeetingFormat[] {
  // The event may come from a peer, so it may be any text.
  const entry = Object.hasOwn(formats, event) ? formats[event] : undefined;
  if (!entry) return [];
  const { format, instead } = entry;
  const others = instead.map((name) => formats[name]!.format);
  if (minutes !== undefined) return [format, ...others].map((one) => withLength(one, minutes));
  return [format, ...(format.minutes > shorterMinutes ? [{ ...format, minutes: shorterMinutes }] : []), ...others];
}

/** The format with another length. A dinner of five hours begins before the usual hours of a dinner. */
const withLength = (format: MeetingFormat, minutes: number): MeetingFormat => {
  const { from, to } = format.hours ?? hours(0, 24);
  return { ...format, minutes, hours: { from: Math.max(0, Math.min(from, to - minutes)), to } };
};

/**
 * Reads the other person's wish, this person's wish and the request, in this order. The two may live in two zones: for a call,
 * `Friday 15:00` is in the author's zone; for a meeting in person, it is in the zone of the place. The results are in `view.zone`.
 */
export function readWishes(
  { peerWish, ownWish, intent, role, zone, peerZone: statedZone = zone, now }: BrainView,
  event: string,
): IntentWords[] {
  const peerZone = formatsFor(event)[0]?.inPerson === false ? statedZone : zone;
  const authors: [string | null, LocalZone][] = [
    [peerWish, peerZone],
    [ownWish, zone],
    [intent.summary, role === 'initiator' ? zone : peerZone],
  ];
  return authors.map(([words, author]) => {
    const said = words ?? '';
    // An alternative that somebody sent back names the zone of its author.
    const named = [zone, peerZone].find(({ name }) => said.includes(`(${name})`)) ?? author;
    return inZone(readIntentWords(said, now, named), named, zone, now);
  });
}

const minutesOfDay = 1440;

/** The same moments in another zone. */
function inZone(read: IntentWords, from: LocalZone, to: LocalZone, now: number): IntentWords {
  const [first] = read.times;
  if (from === to || !first) return read;
  const at = read.dates[0] === undefined ? now : dayFrom(read.dates[0]) * day + 12 * hour;
  const shift = offsetAt(to, at) - offsetAt(from, at);
  const days = Math.floor((first.from + shift) / minutesOfDay);
  const onClock = (minutes: number): number => (((minutes + shift) % minutesOfDay) + minutesOfDay) % minutesOfDay;
  const times = read.times.map((range): DayRange => ({ from: onClock(range.from), to: onClock(range.to) || minutesOfDay }));
  return { ...read, times, dates: read.dates.map((date) => dateOf(dayFrom(date) + days)) };
}

// Reads the place of a meeting in a person's words: `at Dopo`, `Saturday 20:00 in Reading`, `dinner near the station on Friday`.

const longestPlace = 80;
/** The words between a time and its place. */
const fillerWords = ['', 'at', 'in', 'on', 'next', 'this', 'the', 'a', 'for', 'or', 'and', 'instead', 'rather', 'please', 'pm', 'am'];
/** Words after `at` or `in` that name no place, as in `at once` and `in person`. */
const nowhere = [...fillerWords, ...'around about half past quarter once last least first all short person private peace'.split(' ')];

const isEvent = (word: string): boolean => eventIn(word.toLowerCase()) !== undefined;
const isTime = (said: string): boolean =>
  said.split(/[\s,;]+/).every((word) => fillerWords.includes(word.toLowerCase()) || speaksOfTime(word) || isEvent(word));

/** The place in a suggestion. An unreadable time must not become a place, so the words around it must be times or kinds of meetings. */
export const placeIn = (words: string): string | undefined => placesIn(words, /(?<![\p{L}\d])(?:at|in|near)\s+(?=[^,;.]{2})/giu)[0];

/** The place in a request. A request says more than time and place, as in `a call in English`, so the pattern is stricter. */
export const requestedPlace = (words: string, event: string): string | undefined =>
  formatsFor(event)[0]?.inPerson === false ? undefined : placesIn(words, /(?<![\p{L}\d])(?:at|near|in(?=\s+\p{Lu}))\s+(?=[^,;.]{2})/gu)[0];

/** Whether the text objects to the place and not to the time. */
export const isPlaceOnly = (said: string): boolean => placeIn(said) !== undefined && !speaksOfTime(said) && !isEvent(said);

function placesIn(words: string, starts: RegExp): string[] {
  const said = withoutLength(words);
  return [...said.matchAll(starts)]
    .filter(({ index }) => isTime(said.slice(0, index)))
    .flatMap((start) => placeName(said.slice(start.index + start[0].length)) ?? []);
}

/** The name of the place, which ends before a day or a time. */
function placeName(words: string): string | undefined {
  const all = words.split(/[,;.]/)[0]!.trim().split(/\s+/);
  const end = all.findIndex(speaksOfTime);
  const when = end === -1 ? '' : all.slice(end).join(' ');
  if (when !== '' && datesIn(when, 0).length === 0 && timesIn(when).length === 0) return undefined;
  const name = end === -1 ? all : all.slice(0, all.slice(0, end).findLastIndex((word) => !fillerWords.includes(word.toLowerCase())) + 1);
  const isPlace = name.some((word) => !nowhere.includes(word.toLowerCase())) && !(name.length === 1 && isEvent(name[0]!));
  return isPlace ? name.join(' ').slice(0, longestPlace) : undefined;
}
