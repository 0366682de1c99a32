// Reads a person's own words: the kind of meeting, days, a time of day and urgency. Words that are not understood change nothing.

import { datesIn, type DayRange, hasWord, type MeetingFormat, minutesIn, timesIn, withoutLength, speaksOfTime } from '@parley/core';
import type { FreeFields, Intent } from '@parley/protocol/relay';
import { dayOf, type LocalZone, dateOf, day, dayFrom, hour, offsetAt } from './local-time.ts';
import type { BrainView } from '../peer-brain.ts';

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
function eventIn(text: string): string | undefined {
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

// Wishes in the words of two people who may live in two zones. For a call, `Friday 15:00` is a time where its author is; people who meet are
// in one place, and its clock counts.

/** In this order: what the other person wants, what this person wants, and the request. Days and times are those of `view.zone`. */
export function readWishes({ peerWish, ownWish, intent, role, zone, peerZone: told = zone, now }: BrainView, event: string): IntentWords[] {
  const peerZone = formatsFor(event)[0]?.inPerson === false ? told : zone;
  const authors: [string | null, LocalZone][] = [
    [peerWish, peerZone],
    [ownWish, zone],
    [intent.summary, role === 'initiator' ? zone : peerZone],
  ];
  return authors.map(([words, author]) => {
    const said = words ?? '';
    // An alternative that somebody sent back names the zone of its author.
    const named = [zone, peerZone].find(({ name }) => said.includes(`(${name})`)) ?? author;
    return moved(readIntentWords(said, now, named), named, zone, now);
  });
}

const minutesOfDay = 1440;

/** The same moments by another clock. */
function moved(read: IntentWords, from: LocalZone, to: LocalZone, now: number): IntentWords {
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
const joins = ['', 'at', 'in', 'on', 'next', 'this', 'the', 'a', 'for', 'or', 'and', 'instead', 'rather', 'please', 'pm', 'am'];
/** `at once` and `in person` are no places. */
const nowhere = [...joins, ...'around about half past quarter once last least first all short person private peace'.split(' ')];

const isEvent = (word: string): boolean => eventIn(word.toLowerCase()) !== undefined;
const isTime = (said: string): boolean =>
  said.split(/[\s,;]+/).every((word) => joins.includes(word.toLowerCase()) || speaksOfTime(word) || isEvent(word));

/** Of a suggestion. Other words name no place: those about a time that nobody can read must not become one. */
export const placeIn = (words: string): string | undefined => placesIn(words, /(?<![\p{L}\d])(?:at|in|near)\s+(?=[^,;.]{2})/giu)[0];

/** Of a request, which says more than when and where: `a call in English`. */
export const requestedPlace = (words: string, event: string): string | undefined =>
  formatsFor(event)[0]?.inPerson === false ? undefined : placesIn(words, /(?<![\p{L}\d])(?:at|near|in(?=\s+\p{Lu}))\s+(?=[^,;.]{2})/gu)[0];

/** The person minds the place, not the time. */
export const isPlaceOnly = (said: string): boolean => placeIn(said) !== undefined && !speaksOfTime(said) && !isEvent(said);

function placesIn(words: string, starts: RegExp): string[] {
  const said = withoutLength(words);
  return [...said.matchAll(starts)]
    .filter(({ index }) => isTime(said.slice(0, index)))
    .flatMap((start) => placeName(said.slice(start.index + start[0].length)) ?? []);
}

/** Up to a day or a time that follows it. */
function placeName(words: string): string | undefined {
  const all = words.split(/[,;.]/)[0]!.trim().split(/\s+/);
  const end = all.findIndex(speaksOfTime);
  const when = end === -1 ? '' : all.slice(end).join(' ');
  if (when !== '' && datesIn(when, 0).length === 0 && timesIn(when).length === 0) return undefined;
  const name = end === -1 ? all : all.slice(0, all.slice(0, end).findLastIndex((word) => !joins.includes(word.toLowerCase())) + 1);
  const isPlace = name.some((word) => !nowhere.includes(word.toLowerCase())) && !(name.length === 1 && isEvent(name[0]!));
  return isPlace ? name.join(' ').slice(0, longestPlace) : undefined;
}
