// Reads days and times of day in a person's words. Days count from 1970-01-01 in the person's zone.

import { minutesIn, withoutLength } from './length-words.ts';
import type { DayRange } from './meeting.ts';

const day = 86_400_000;
const dateOf = (dayNumber: number): string => new Date(dayNumber * day).toISOString().slice(0, 10);
const weekdayOf = (dayNumber: number): number => (((dayNumber + 3) % 7) + 7) % 7;
const hours = (from: number, to: number): DayRange => ({ from: from * 60, to: to * 60 });

const partsOfDay: Record<string, DayRange> = {
  morning: hours(9, 12),
  noon: hours(12, 14),
  afternoon: hours(12, 18),
  evening: hours(18, 22),
};
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const months = 'january february march april may june july august september october november december'.split(' ');
/** Also in three letters. */
export const dayNames = [...weekdays, ...months, 'today', 'tonight', 'tomorrow', ...Object.keys(partsOfDay)].flatMap((name) => [
  name,
  name.slice(0, 3),
]);
const mostDates = 7;
/** 29 February may be eight years ahead. */
const mostYearsAhead = 8;

export const hasWord = (text: string, word: string): boolean => new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, 'u').test(text);

/** Such as 2026-11-20. A date without a year is the next one from `today` on. */
export function datesIn(said: string, today: number): string[] {
  const text = said.toLowerCase();
  const written = writtenDays(withEachDate(text), today);
  return (written.length > 0 ? written.slice(0, mostDates) : spokenDays(text, today).toSorted((a, b) => a - b)).map(dateOf);
}

const start = String.raw`(?<![\p{L}\d.:/-])`;
const monthName = `(${months.map((name) => `${name.slice(0, 3)}(?:${name === 'september' ? 't|' : ''}${name.slice(3)})?`).join('|')})(?!\\p{L})\\.?`;
const dayOfMonth = String.raw`(\d{1,2})(?:st|nd|rd|th|\.)?`;
const year = String.raw`(?:,?\s+(20\d\d)(?![\d:]))?`;
const several = String.raw`((?:${dayOfMonth.replace('(', '(?:')}\s*(?:,|or|and|&|to|until|[-–])\s*(?:the\s+)?)+${dayOfMonth.replace('(', '(?:')})`;
const datesOfMonth = [
  { form: new RegExp(`${start}${several}\\s+(?:of\\s+)?${monthName}${year}`, 'gu'), list: 1, month: 2, year: 3 },
  { form: new RegExp(`${start}${monthName}\\s+(?:the\\s+)?${several}(?![\\d:]|\\s?[ap]m)${year}`, 'gu'), list: 2, month: 1, year: 3 },
];

/** `28 or 29 November` and `28 to 30 November` name a month once; each day gets it. */
const withEachDate = (text: string): string =>
  datesOfMonth.reduce(
    (read, { form, list, month, year: ofYear }) =>
      read.replaceAll(form, (...match: string[]) => {
        const { [list]: days = '', [month]: name = '', [ofYear]: inYear = '' } = match;
        return daysListed(days)
          .map((one) => `${one} ${name} ${typeof inYear === 'string' ? inYear : ''}`)
          .join(' or ');
      }),
    text,
  );

function daysListed(list: string): number[] {
  const days: number[] = [];
  for (const [, joint = '', said = ''] of list.matchAll(/(?:st|nd|rd|th|\.)?\s*(to|until|[-–])?[^\d]*(\d{1,2})/gu)) {
    const before = days.at(-1);
    const last = Number(said);
    if (joint !== '' && before !== undefined) for (let one = before + 1; one < last && days.length < mostDates; one += 1) days.push(one);
    days.push(last);
  }
  return days;
}

const dateForms: { form: RegExp; parts: readonly ['day' | 'month' | 'year', ...('day' | 'month' | 'year')[]] }[] = [
  { form: /(?<!\d)(20\d\d)-(\d\d)-(\d\d)(?!\d)/gu, parts: ['year', 'month', 'day'] },
  { form: new RegExp(`${start}${dayOfMonth}\\s+(?:of\\s+)?${monthName}${year}`, 'gu'), parts: ['day', 'month', 'year'] },
  {
    form: new RegExp(`${start}${monthName}\\s+(?:the\\s+)?${dayOfMonth}(?![\\d:]|\\s?[ap]m)${year}`, 'gu'),
    parts: ['month', 'day', 'year'],
  },
  // A clock time such as `at 10.10`, and half an hour, are no dates.
  { form: /(?<!at\s)(?<![\p{L}\d.:/-])(\d{1,2})\.(\d{1,2})(?:\.(20\d\d)?)?(?!\.?\d|:|\s?[ap]m)/gu, parts: ['day', 'month', 'year'] },
  { form: /(?<![\p{L}\d.:/-])(\d{1,2})\/(\d{1,2})(?:\/(20\d\d))?(?![\d/:]|\s?(?:an?\s)?h)/gu, parts: ['day', 'month', 'year'] },
  { form: /(?<=(?:^|\s)(?:on|the)\s)(\d{1,2})(?:st|nd|rd|th)(?!\p{L})/gu, parts: ['day'] },
];

/** The first form that fits: the year of one date is no part of another. */
function writtenDays(text: string, today: number): number[] {
  for (const { form, parts } of dateForms) {
    const found = [...text.matchAll(form)].flatMap((match) => {
      const part = (name: 'day' | 'month' | 'year'): string | undefined =>
        parts.includes(name) ? match[parts.indexOf(name) + 1] : undefined;
      return nextDate(Number(part('day')), monthOf(part('month')), part('year'), today) ?? [];
    });
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}

const monthOf = (said: string | undefined): number | undefined =>
  said === undefined ? undefined : /^\d/.test(said) ? Number(said) : months.findIndex((name) => name.startsWith(said.slice(0, 3))) + 1;

/** Undefined for a date that does not exist, such as 31 February. */
function nextDate(dayIn: number, month: number | undefined, yearIn: string | undefined, today: number): number | undefined {
  const now = new Date(today * day);
  const first = yearIn === undefined ? now.getUTCFullYear() : Number(yearIn);
  const firstMonth = month === undefined ? now.getUTCMonth() : month - 1;
  const ahead = yearIn !== undefined ? 0 : mostYearsAhead;
  for (let step = 0; step <= ahead; step += 1) {
    const date = new Date(month === undefined ? Date.UTC(first, firstMonth + step, dayIn) : Date.UTC(first + step, firstMonth, dayIn));
    const isReal = date.getUTCDate() === dayIn && (month === undefined || date.getUTCMonth() === firstMonth);
    if (isReal && (yearIn !== undefined || date.getTime() / day >= today)) return date.getTime() / day;
  }
  return undefined;
}

function spokenDays(text: string, today: number): number[] {
  const days = weekdays.flatMap((name, weekday) => {
    // A short name alone is an ordinary word: in the sun.
    const short = `${name.slice(0, 3)}(?:s|r|rs)?`;
    if (!hasWord(text, name) && !hasWord(text, `(?:on|next|this) ${short}`)) return [];
    const ahead = (weekday - weekdayOf(today) + 7) % 7 || 7;
    const isNext = hasWord(text, `next (?:${name}|${short})`);
    return [today + (isNext && ahead < 7 ? ahead + 7 : ahead)];
  });
  if (hasWord(text, 'today') || hasWord(text, 'tonight')) days.push(today);
  if (hasWord(text, 'tomorrow')) days.push(today + 1);
  const monday = today - weekdayOf(today);
  if (hasWord(text, 'weekend')) days.push(...[5, 6].map((weekday) => monday + weekday + (hasWord(text, 'next') ? 7 : 0)));
  if (hasWord(text, 'next week')) days.push(...[7, 8, 9, 10, 11].map((ahead) => monday + ahead));
  // Alone it is a day that is over; beside another one it only tells something.
  if (days.length === 0 && hasWord(text, 'yesterday')) days.push(today - 1);
  return [...new Set(days)];
}

/** A named clock time is wished from then on for two hours. */
export function timesIn(said: string): DayRange[] {
  const text = said.toLowerCase();
  const half = /(?<![\d:-])(1[0-2]|[1-9])(?::([0-5]\d))? ?([ap])m(?!\p{L})/u.exec(text);
  const [, hourWord, minutes = '00'] = half ?? /(?<![\d:-])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/.exec(text) ?? [];
  if (hourWord === undefined)
    return halfDayTimes(text) ?? Object.keys(partsOfDay).flatMap((name) => (hasWord(text, name) ? [partsOfDay[name]!] : []));
  const named = half ? (Number(hourWord) % 12) + (half[3] === 'p' ? 12 : 0) : Number(hourWord);
  return [twoHoursFrom(named * 60 + Number(minutes))];
}

const twoHoursFrom = (from: number): DayRange => ({ from, to: Math.min(from + 120, 24 * 60) });

/** `dinner at 7` leaves open which half of the day is meant: the usual hours of a dinner say it. */
function halfDayTimes(text: string): DayRange[] | undefined {
  const [, said] = /(?<![\p{L}\d])at (1[0-2]|[1-9])(?![\p{L}\d:/-]|\.\d)/u.exec(text) ?? [];
  return said === undefined ? undefined : [0, 12].map((half) => twoHoursFrom(((Number(said) % 12) + half) * 60));
}

const timeWords = [...weekdays, ...months, ...Object.keys(partsOfDay)].concat(
  'today tonight tomorrow weekend week weeks month months year day days date time times night hour hours minutes'.split(' '),
  'later latest earlier earliest sooner soon while bit moment convenience advance'.split(' '),
);

export const speaksOfTime = (said: string): boolean => /\d/.test(said) || timeWords.some((word) => hasWord(said.toLowerCase(), word));

/** Says that `on …` names a day that nobody can read. A meeting would otherwise be on any day. */
export function dayProblem(request: string, today: number): string | undefined {
  const said = withoutLength(request);
  const dates = datesIn(said, today);
  if (dates.length > 0) return horizonProblem(dates, today);
  // `on the roadmap` and `on my phone` name no day.
  const [words] = /(?<![\p{L}\d])on\s+(?!(?:the|an?|my|your|our|his|her|their|this|that)\s)[^\s,;!?]+/iu.exec(said) ?? [];
  return words === undefined || timesIn(words).length > 0 ? undefined : problemWith(words);
}

/** Peers tell their free time up to here. */
export const mostDaysAhead = 74;

function horizonProblem(dates: readonly string[], today: number): string | undefined {
  const days = dates.map((date) => Date.parse(date) / day);
  if (days.some((one) => one >= today && one < today + mostDaysAhead)) return undefined;
  const [first] = dates;
  return days[0]! < today
    ? `${first} is over. Name a day from today on.`
    : `${first} is too far ahead: peers arrange up to ${mostDaysAhead} days ahead, until ${dateOf(today + mostDaysAhead - 1)}. Name an earlier day, or ask again later.`;
}

/** Of words that only say when, such as those in a field of a form. */
export function whenProblem(said: string, today: number): string | undefined {
  const words = said.trim();
  const isRead = words === '' || minutesIn(words) !== undefined || datesIn(words, today).length > 0 || timesIn(words).length > 0;
  return dayProblem(words, today) ?? (isRead ? undefined : problemWith(words));
}

const problemWith = (words: string): string =>
  `I could not read the day in “${words}”. Write for example \`on Friday\`, \`on 28 November\` or \`on 2026-11-28\`.`;
