// A person's own words about their free time, as windows: the other peer reads windows, and words would count as no time at all.

import { type BusyInterval, datesIn, type DayRange, timesIn } from '@parley/core';
import type { ConsentAnswer } from '@parley/core/consent';
import { badInput } from '@parley/protocol';
import { extraWindowsField } from './intent-words.ts';
import { day, dayFrom, dayOf, type LocalZone, timeAt, type TimeWindow } from './local-time.ts';
import { mostDays, usualDays } from '../limits.ts';
import type { PersonalTime } from '../sharing.ts';
import { between, readWindows, waking, writeWindows } from './windows.ts';

const windowFields = ['time_windows', extraWindowsField];
/** `Any day but Friday` would be read as Friday. */
const exclusions = /(?<!\p{L})(?:not|no|never|except|but|without|can['’]t|cannot)(?!\p{L})/iu;
const clock = String.raw`([01]?\d|2[0-4])(?::([0-5]\d))?`;
const range = new RegExp(String.raw`(?<![\d:/-])${clock}\s*(?:-|–|to|until)\s*${clock}(?![\d:/-])`, 'u');
const opening = new RegExp(String.raw`(?<!\p{L})(?:after|from)\s+${clock}(?![\d/-])`, 'iu');

/** Such as `Friday evening`, `Saturday 18:00-21:00` or `after 19:00`. Empty: no time that can be read. */
export function spokenWindows(words: string, now: number, zone: LocalZone): TimeWindow[] {
  if (exclusions.test(words)) return [];
  const said = words.replaceAll(/(day|morning|afternoon|evening|weekend)s(?!\p{L})/giu, '$1');
  const [dates, times] = [datesIn(said, dayOf(zone, now)), hoursIn(said)];
  if (dates.length === 0 && times.length === 0) return [];
  const on = dates.length > 0 ? dates.map(dayFrom) : Array.from({ length: usualDays }, (_, ahead) => dayOf(zone, now) + ahead);
  const hours = times.length > 0 ? times : [waking];
  return on
    .flatMap((one) => hours.map(({ from, to }) => ({ from: Math.max(now, timeAt(zone, one, from)), to: timeAt(zone, one, to) })))
    .filter(({ from, to }) => to > from);
}

/** A day with hours, such as an alternative that the person picked: they can then, whatever their calendar has. */
export function pickedWindows(words: string, now: number, zone: LocalZone): string[] {
  const hasBoth = datesIn(words, dayOf(zone, now)).length > 0 && range.test(words);
  return hasBoth ? writeWindows(spokenWindows(words, now, zone), zone) : [];
}

function hoursIn(said: string): DayRange[] {
  const minutes = (hour = '', minute = '0'): number => Number(hour) * 60 + Number(minute);
  const both = range.exec(said);
  if (both) return [{ from: minutes(both[1], both[2]), to: minutes(both[3], both[4]) }].filter(({ from, to }) => from < to);
  const after = opening.exec(said);
  return after ? [{ from: minutes(after[1], after[2]), to: waking.to }] : timesIn(said);
}

interface Spoken {
  now: number;
  zone: LocalZone;
  /** In which the peer may see times. */
  shownZone: LocalZone;
}

/** A window as the person's answer has it, once it was read. */
export const saidFreeIn = (said: readonly ConsentAnswer[], answers: readonly ConsentAnswer[]): string[] =>
  answers.flatMap(({ field, value }, at) =>
    field === 'time_windows' && value !== said[at]!.value && Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [],
  );

/** Busy times of somebody who said when they are free: all others. */
export function busyBeside(saidFree: readonly string[], { busy, now, zone }: PersonalTime): readonly BusyInterval[] {
  const windows = readWindows(saidFree, [], zone);
  return windows.length === 0 ? busy : between(windows, { from: now, to: now + mostDays * day });
}

/** Windows instead of words. Words without a time are refused: the person can say it differently. */
export const withWindows = (answers: readonly ConsentAnswer[], { now, zone, shownZone }: Spoken): ConsentAnswer[] =>
  answers.map((answer) => {
    const { field, value } = answer;
    if (!windowFields.includes(field) || typeof value !== 'string' || readWindows(value, [], zone).length > 0) return answer;
    const windows = spokenWindows(value, now, zone);
    if (windows.length > 0) return { ...answer, value: writeWindows(windows, shownZone) };
    throw badInput(
      `I could not read a time in “${value.slice(0, 100)}” for ${field}. Write for example “Friday evening” or “Saturday 18:00-21:00”, or decline the field.`,
    );
  });
