// Reads the place of a meeting in a person's words: `at Dopo`, `Saturday 20:00 in Reading`, `dinner near the station on Friday`.

import { datesIn, speaksOfTime, timesIn, withoutLength } from '@parley/core';
import { eventIn, formatsFor } from './intent-words.ts';

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
