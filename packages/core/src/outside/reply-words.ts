// Reads the words in which somebody without an agent answered (A2C-11). Only words that mean one thing are understood; about all others
// the person decides by a tap.

import { datesIn, dayNames, hasWord, timesIn } from '../schedule/day-words.ts';

/** An offered time on the clock of the person who offers it. */
export interface OfferedStart {
  /** Such as 2026-11-20. */
  date: string;
  /** Minutes of the day. */
  minute: number;
}

/** `option`: its place, from 0. */
export type ReadReply = { kind: 'works'; option: number } | { kind: 'cannot' } | { kind: 'unclear' };

const unclear: ReadReply = { kind: 'unclear' };
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const refusals = [/\bnone of (?:these|them|those)\b/, /^\W*(?:none|no|nope|sorry,? no)\W*$/, /\bcan(?:no|[’'])?t make (?:it|any)\b/];
/** They make a refusal depend on something. */
const doubts = 'but unless except if maybe perhaps instead or another other later'.split(' ');
/** Any other word may turn a time that is named into the opposite: too late, impossible, busy. */
const plainWords = new Set([
  ...'i we you me us it that this there is s m ll d am be will would do works suits suit sounds see'.split(' '),
  ...'looking forward happy to for the a one number option nr on at in next then so well please thanks thank'.split(' '),
  ...'fine good great perfect best ideal lovely nice wonderful cool super ok okay yes yep yeah sure hi hello cheers'.split(' '),
  ...'pm st nd rd th'.split(' '),
  ...ordinals,
  ...dayNames,
]);
const agreement = /^\W*(?:yes|yep|yeah|sure|ok|okay|works|perfect|great|sounds good|that works|fine)\b/;

/** `today`: days since 1970-01-01 on the same clock. */
export function readReply(said: string, options: readonly OfferedStart[], today: number): ReadReply {
  const text = said.trim().toLowerCase();
  if (text === '' || text.length > 500) return unclear;
  const places = namedPlaces(text, options.length);
  const isAsked = text.includes('?');
  if (refusals.some((form) => form.test(text))) {
    const isDoubtful = isAsked || doubts.some((word) => hasWord(text, word)) || speaksOf(text, today);
    return places.length === 0 && !isDoubtful ? { kind: 'cannot' } : unclear;
  }
  if (isAsked || [...text.matchAll(/\p{L}+/gu)].some(([word]) => !plainWords.has(word))) return unclear;
  const isAgreed = options.length === 1 && agreement.test(text) && !speaksOf(text, today);
  const meant = places.length > 0 ? places : isAgreed ? [0] : datedPlaces(text, options, today);
  return meant.length === 1 ? { kind: 'works', option: meant[0]! } : unclear;
}

const speaksOf = (text: string, today: number): boolean => datesIn(text, today).length > 0 || timesIn(text).length > 0;

/** `2`, `number 2`, `option 2`, `2.` and `the second`, where nothing else in the text is a number. */
function namedPlaces(text: string, count: number): number[] {
  const numbers = [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const [, digits] =
    /^(?:(?:number|option|nr\.?)\s*)?#?(\d)(?![\d:])[.)!]?(?:\s+(?:works|is|suits|please|would|sounds|it)\b.*)?$/.exec(text) ?? [];
  const spoken = ordinals.flatMap((word, place) => (hasWord(text, word) ? [place] : []));
  const named = digits !== undefined && numbers.length === 1 ? [Number(digits) - 1] : numbers.length === 0 ? spoken : [];
  return named.filter((place) => place >= 0 && place < count);
}

/** The offered times that the words can mean. A time that was not offered means none of them. */
function datedPlaces(text: string, options: readonly OfferedStart[], today: number): number[] {
  const [dates, times] = [datesIn(text, today), timesIn(text)];
  if (dates.length + times.length === 0) return [];
  const isClock = /\d\s?(?:[ap]m|:\d\d)/.test(text);
  const isThen = (minute: number): boolean => times.some(({ from, to }) => (isClock ? minute === from : minute >= from && minute < to));
  const isMeant = ({ date, minute }: OfferedStart): boolean =>
    (dates.length === 0 || dates.includes(date)) && (times.length === 0 || isThen(minute));
  return dates.length > 1 ? [] : options.flatMap((one, place) => (isMeant(one) ? [place] : []));
}
