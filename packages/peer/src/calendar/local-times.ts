// Times as a file writes them, and where they are in UTC.

import type { ZoneOffset } from '@parley/core';
import type { CalendarProperty } from './content-lines.ts';
import { problemIn, quote } from './problems.ts';

export const day = 86_400_000;

/** What the clock on the wall shows, in milliseconds as if it were UTC. */
export interface WallTime {
  wall: number;
  isDate: boolean;
  isUtc: boolean;
}

/** Undefined where it is no date that exists. */
export function parseWallTime(value: unknown): WallTime | undefined {
  const match = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)(?:T(?:(\d\d):(\d\d):(\d\d)(Z)?|::))?$/.exec(value) : null;
  if (!match) return undefined;
  const [year, month, date, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1, 7)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const wall = Date.UTC(year!, month! - 1, date, hours, minutes, Math.min(seconds, 59));
  const isDate = match[4] === undefined;
  const written = new Date(wall).toISOString();
  if (year! < 1000 || !written.startsWith(match[0].slice(0, 10)) || minutes > 59 || seconds > 60) return undefined;
  return { wall, isDate, isUtc: match[7] === 'Z' };
}

export function wallTimesOf(property: CalendarProperty): WallTime[] {
  return property.values.map((value) => {
    const start: unknown = Array.isArray(value) ? value[0] : value;
    const time = parseWallTime(start);
    if (!time) throw problemIn(property, `is no date that exists: ${quote(JSON.stringify(start))}.`);
    return time;
  });
}

/** RFC 5545, 3.3.5: a time that the clock skips counts with the offset before the gap; one that it shows twice is the first of the two. */
export function utcOf(wall: number, offsets: readonly ZoneOffset[]): number {
  for (let at = 0; ; at++) {
    const utc = wall - (offsets[at]?.minutes ?? 0) * 60_000;
    const next = offsets[at + 1];
    if (next && utc >= next.from) continue;
    const isBeforeIt = at > 0 && utc < offsets[at]!.from;
    return isBeforeIt ? wall - offsets[at - 1]!.minutes * 60_000 : utc;
  }
}

/** Days are counted on the wall, the rest exactly. */
export interface EventLength {
  days: number;
  milliseconds: number;
}

export function parseDuration(value: unknown): EventLength | undefined {
  const match =
    typeof value === 'string'
      ? /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/.exec(value)
      : null;
  if (!match || match[1] === '-' || match.slice(2).every((part) => part === undefined)) return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(2).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { days: weeks * 7 + days, milliseconds: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}
