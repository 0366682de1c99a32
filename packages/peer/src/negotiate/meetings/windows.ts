// Free time as windows: what a brain sees of a calendar, and what goes into `time_windows`.

import type { BusyInterval } from '@parley/core';
import { day, dayFrom, dayOf, type LocalZone, timeAt, type TimeWindow, writeTime } from './local-time.ts';

export const waking = { from: 9 * 60, to: 22 * 60 };
const mostWindows = 60;
const shortest = 30 * 60_000;

/** Without a calendar the hours from 9 to 22 are free. */
export function freeWindows(busy: readonly BusyInterval[], span: TimeWindow, zone: LocalZone): TimeWindow[] {
  const windows: TimeWindow[] = [];
  const taken = busy.toSorted((a, b) => a.from - b.from);
  for (let on = dayOf(zone, span.from); on * day < span.to + day; on += 1) {
    let from = Math.max(span.from, timeAt(zone, on, waking.from));
    const end = Math.min(span.to, timeAt(zone, on, waking.to));
    for (const one of taken) {
      if (one.to <= from || one.from >= end) continue;
      if (one.from - from >= shortest) windows.push({ from, to: one.from });
      from = Math.max(from, one.to);
    }
    if (end - from >= shortest) windows.push({ from, to: end });
  }
  return windows;
}

/** Around each event at a place. */
export function travelWindows(busy: readonly BusyInterval[], travelMs: number, span: TimeWindow): TimeWindow[] {
  if (travelMs <= 0) return [];
  return busy
    .filter(({ place = '' }) => place.trim() !== '')
    .map(({ from, to }) => ({ from: from - travelMs, to: to + travelMs }))
    .filter(({ from, to }) => from < span.to && to > span.from);
}

/** What lies between the windows. */
export function between(windows: readonly TimeWindow[], { from, to }: TimeWindow): TimeWindow[] {
  const gaps: TimeWindow[] = [];
  let at = from;
  for (const window of windows.toSorted((a, b) => a.from - b.from)) {
    if (window.from > at) gaps.push({ from: at, to: Math.min(window.from, to) });
    at = Math.max(at, window.to);
  }
  if (at < to) gaps.push({ from: at, to });
  return gaps.filter((gap) => gap.to > gap.from);
}

export const writeWindows = (windows: readonly TimeWindow[], zone: LocalZone): string[] =>
  windows.slice(0, mostWindows).map(({ from, to }) => `${writeTime(zone, from)}/${writeTime(zone, to)}`);

const clock = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/** Reads ISO intervals, and the seed's `18:00-21:00` on each of the dates. Entries of another form are left out. */
export function readWindows(value: unknown, dates: readonly string[], zone: LocalZone): TimeWindow[] {
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string').slice(0, mostWindows);
  return texts.flatMap((text) => intervalIn(text) ?? clockWindows(text, dates, zone)).filter(({ from, to }) => to > from);
}

function intervalIn(text: string): TimeWindow | undefined {
  const [from = NaN, to = NaN, ...others] = text.split('/').map((one) => Date.parse(one));
  return others.length > 0 || Number.isNaN(from) || Number.isNaN(to) ? undefined : { from, to };
}

function clockWindows(text: string, dates: readonly string[], zone: LocalZone): TimeWindow[] {
  const [first, firstMinutes, last, lastMinutes] = (clock.exec(text) ?? []).slice(1).map(Number);
  if (first === undefined) return [];
  return dates.slice(0, 14).map((date) => {
    const on = dayFrom(date);
    return { from: timeAt(zone, on, first * 60 + firstMinutes!), to: timeAt(zone, on, last! * 60 + lastMinutes!) };
  });
}

interface Way {
  ms: number;
  /** False: the peer may not learn how long it is. */
  isShared: boolean;
  isInPerson: boolean;
}

/** The person's time as a brain may see it. A withheld way counts as busy time where people meet in person, like any event. */
export function visibleTime(busy: readonly BusyInterval[], zone: LocalZone, { ms, isShared, isInPerson }: Way) {
  const away = (span: TimeWindow): TimeWindow[] => travelWindows(busy, ms, span);
  return {
    travel: (span: TimeWindow): TimeWindow[] => (isShared ? away(span) : []),
    free: (span: TimeWindow): TimeWindow[] => freeWindows(isShared || !isInPerson ? busy : [...busy, ...away(span)], span, zone),
  };
}
