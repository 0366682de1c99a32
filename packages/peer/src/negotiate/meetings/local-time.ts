// Local dates and times as packets and people write them.

import { spanWords, type ZoneOffset } from '@parley/core';

const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export interface LocalZone {
  /** IANA. */
  name: string;
  offsets: readonly ZoneOffset[];
}

export const utc: LocalZone = { name: 'UTC', offsets: [{ from: 0, minutes: 0 }] };

export interface TimeWindow {
  from: number;
  to: number;
}

export const offsetAt = ({ offsets }: LocalZone, time: number): number =>
  (offsets.findLast(({ from }) => from <= time) ?? offsets[0])?.minutes ?? 0;

const localOf = (zone: LocalZone, time: number): number => time + offsetAt(zone, time) * minute;

/** Days since 1970-01-01. */
export const dayOf = (zone: LocalZone, time: number): number => Math.floor(localOf(zone, time) / day);
/** Of the local day. */
export const minuteOf = (zone: LocalZone, time: number): number => Math.floor((localOf(zone, time) % day) / minute);
export const dateOf = (dayNumber: number): string => new Date(dayNumber * day).toISOString().slice(0, 10);
export const dayFrom = (date: string): number => Date.parse(`${date}T00:00:00Z`) / day;

/** When the clock shows the minute of the day. */
export function timeAt(zone: LocalZone, dayNumber: number, minuteOfDay: number): number {
  const wall = dayNumber * day + minuteOfDay * minute;
  return wall - offsetAt(zone, wall - offsetAt(zone, wall) * minute) * minute;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Such as 2026-11-20T18:00+01:00. */
export function writeTime(zone: LocalZone, time: number): string {
  const offset = offsetAt(zone, time);
  const size = Math.abs(offset);
  const suffix = `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${new Date(localOf(zone, time)).toISOString().slice(0, 16)}${suffix}`;
}

/** Such as Friday 20 November, 18:00–20:00. The offsets of the zone may be other than this machine's. */
export const wordsFor = (zone: LocalZone, { from, to }: TimeWindow): string => spanWords(localOf(zone, from), localOf(zone, to), 'UTC');
