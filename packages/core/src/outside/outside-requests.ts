// Requests to somebody without an agent (A2C-11): their text, the links to them, and the answers. An answer counts only if its words have one
// meaning; the person decides about all others.

import { datesIn, dayNames, hasWord, timesIn } from '../schedule/day-words.ts';

/** An offered time on the clock of the person who offers it. */
export interface OfferedStart {
  /** A date such as 2026-11-20. */
  date: string;
  /** Minutes of the day. */
  minute: number;
}

/** `option`: the index of the picked time. */
export type ReadReply = { kind: 'works'; option: number } | { kind: 'cannot' } | { kind: 'unclear' };

const unclear: ReadReply = { kind: 'unclear' };
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const refusals = [/\bnone of (?:these|them|those)\b/, /^\W*(?:none|no|nope|sorry,? no)\W*$/, /\bcan(?:no|[’'])?t make (?:it|any)\b/];
/** Words that make a refusal conditional. */
const doubts = 'but unless except if maybe perhaps instead or another other later'.split(' ');
/** Only these words may stand around a named time. Others may mean the opposite: too late, impossible, busy. */
const plainWords = new Set([
  ...'i we you me us it that this there is s m ll d am be will would do works suits suit sounds see'.split(' '),
  ...'looking forward happy to for the a one number option nr on at in next then so well please thanks thank'.split(' '),
  ...'fine good great perfect best ideal lovely nice wonderful cool super ok okay yes yep yeah sure hi hello cheers'.split(' '),
  ...'pm st nd rd th'.split(' '),
  ...ordinals,
  ...dayNames,
]);
const agreement = /^\W*(?:yes|yep|yeah|sure|ok|okay|works|perfect|great|sounds good|that works|fine)\b/;

/** Reads an answer. `today`: days since 1970-01-01 on the same clock. */
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
  const chosen = places.length > 0 ? places : isAgreed ? [0] : datedPlaces(text, options, today);
  return chosen.length === 1 ? { kind: 'works', option: chosen[0]! } : unclear;
}

const speaksOf = (text: string, today: number): boolean => datesIn(text, today).length > 0 || timesIn(text).length > 0;

/** The options named by `2`, `number 2`, `option 2`, `2.` and `the second`, if the text has no other number. */
function namedPlaces(text: string, count: number): number[] {
  const numbers = [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const [, digits] =
    /^(?:(?:number|option|nr\.?)\s*)?#?(\d)(?![\d:])[.)!]?(?:\s+(?:works|is|suits|please|would|sounds|it)\b.*)?$/.exec(text) ?? [];
  const spoken = ordinals.flatMap((word, place) => (hasWord(text, word) ? [place] : []));
  const named = digits !== undefined && numbers.length === 1 ? [Number(digits) - 1] : numbers.length === 0 ? spoken : [];
  return named.filter((place) => place >= 0 && place < count);
}

/** The offered times that the text can mean; none if it names another time. */
function datedPlaces(text: string, options: readonly OfferedStart[], today: number): number[] {
  const [dates, times] = [datesIn(text, today), timesIn(text)];
  if (dates.length + times.length === 0) return [];
  const isClock = /\d\s?(?:[ap]m|:\d\d)/.test(text);
  const isThen = (minute: number): boolean => times.some(({ from, to }) => (isClock ? minute === from : minute >= from && minute < to));
  const isMeant = ({ date, minute }: OfferedStart): boolean =>
    (dates.length === 0 || dates.includes(date)) && (times.length === 0 || isThen(minute));
  return dates.length > 1 ? [] : options.flatMap((one, place) => (isMeant(one) ? [place] : []));
}

/** A request link has one opener, who may answer once, until the link expires. */
export interface RequestLinkState {
  state: 'made' | 'opened' | 'answered' | 'revoked';
  /** A hash of the secret that the opener's page made. */
  opener: string | null;
  expiresAt: number;
  openedAt: number | null;
}

export const requestLinkLimits = {
  /** An unopened link expires after this time. */
  expiryMs: 7 * 86_400_000,
  /** The opener has at least this time for an answer. */
  answerMs: 86_400_000,
  /** The row is stored for this time after the expiry. */
  keptMs: 30 * 86_400_000,
};

export const answersUntil = ({ expiresAt, openedAt }: RequestLinkState): number =>
  Math.max(expiresAt, (openedAt ?? 0) + requestLinkLimits.answerMs);

type Opening = 'first' | 'again' | 'taken' | 'answered' | 'spent';

/** `taken`: another page opened it. `again`: the same page asks again, because a response was lost. */
export function openingOf(link: RequestLinkState | undefined, opener: string, now: number): Opening {
  if (!link || link.state === 'revoked') return 'spent';
  if (link.state === 'made') return now < link.expiresAt ? 'first' : 'spent';
  if (now >= answersUntil(link)) return 'spent';
  if (link.state === 'answered') return 'answered';
  return link.opener === opener ? 'again' : 'taken';
}

export function answeringOf(link: RequestLinkState | undefined, opener: string, now: number): 'first' | 'answered' | 'spent' {
  if (!link || link.opener !== opener || link.state === 'made' || link.state === 'revoked' || now >= answersUntil(link)) return 'spent';
  return link.state === 'answered' ? 'answered' : 'first';
}

/** The state that the person reads. */
export const linkStateAt = (link: RequestLinkState, now: number): RequestLinkState['state'] | 'expired' =>
  (link.state === 'made' && now >= link.expiresAt) || (link.state === 'opened' && now >= answersUntil(link)) ? 'expired' : link.state;

export interface OfferedRequest {
  /** The name of the person who is asked. */
  to: string;
  /** The name of the person who asks. */
  from: string;
  /** The request in the asking person's words. */
  request: string;
  /** Texts such as `Dinner, Friday 20 November, 18:00–20:00`. */
  times: readonly string[];
  zone: string;
}

export const requestText = ({ to, from, request, times, zone }: OfferedRequest): string =>
  [
    `Hi ${to},`,
    '',
    `${from} asks: ${request}`,
    '',
    times.length === 1 ? 'Would this time suit you?' : 'Which of these times would suit you?',
    ...times.map((words, place) => `${place + 1}. ${words}`),
    '',
    `Times are in the zone ${zone}.`,
    times.length === 1
      ? 'Please answer "1" if it does, name another time, or say that you can’t.'
      : `Please answer with a number from 1 to ${times.length}, name another time, or say that you can’t.`,
  ].join('\n');

/** The text of an agreement. Only the person can send it, because they have no agent. */
export const agreedText = ({ to, from, time, zone }: { to: string; from: string; time: string; zone: string }): string =>
  [`Hi ${to},`, '', `it is fixed: ${time} (zone ${zone}).`, '', from].join('\n');

/** Tells the person what the offered times reveal about them. */
export const offerHint = (isFromCalendar: boolean): string =>
  isFromCalendar
    ? 'The times are ones when you are free: they tell that much of your calendar.'
    : 'The times are usual hours: your calendar was not used, so you may be busy then.';
