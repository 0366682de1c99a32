// From one VEVENT to its occurrences: rule, further dates, exceptions, and occurrences that were changed.

import type { ZoneOffset } from '@parley/core';
import { type CalendarComponent, type CalendarProperty, propertiesOf, propertyOf, textOf } from './content-lines.ts';
import { day, type EventLength, parseDuration, utcOf, type WallTime, wallTimesOf } from './local-times.ts';
import { EventError, problemIn, quote } from './problems.ts';
import { expandRule, type ExpansionBudget, untilOf } from './recurrence.ts';
import type { FileZones } from './zones.ts';

export interface Occurrence {
  component: CalendarComponent;
  from: number;
  to: number;
  dates?: { from: string; to: string } | undefined;
}

/** A date, or a moment that is on the wall and in UTC. */
interface Moment {
  wall: number;
  utc: number;
  isDate: boolean;
}

export interface Series {
  component: CalendarComponent;
  uid: string;
  start: Moment;
  length: EventLength;
  offsets: readonly ZoneOffset[];
  /** Where a property of this event is in UTC. */
  momentsOf: (property: CalendarProperty) => Moment[];
  /** The occurrence that it replaces. */
  changed?: { at: Moment; isFromThenOn: boolean } | undefined;
}

interface Span {
  from: number;
  to: number;
  own: readonly ZoneOffset[];
  budget: ExpansionBudget;
}

const utcOffsets: readonly ZoneOffset[] = [{ from: 0, minutes: 0 }];

function zoneOf(property: CalendarProperty, time: WallTime, zones: FileZones, own: readonly ZoneOffset[]): readonly ZoneOffset[] {
  if (time.isUtc) return utcOffsets;
  const name = property.parameters['tzid'];
  return time.isDate || typeof name !== 'string' ? own : zones.offsets(name, property);
}

const moment = ({ wall, isDate }: WallTime, offsets: readonly ZoneOffset[]): Moment => ({ wall, isDate, utc: utcOf(wall, offsets) });

export function readSeries(component: CalendarComponent, zones: FileZones, { own }: Span): Series {
  const startProperty = propertyOf(component, 'DTSTART');
  if (!startProperty) throw new EventError(component.line, 'DTSTART', `The event in line ${component.line} has no DTSTART.`);
  const momentsOf = (property: CalendarProperty): Moment[] =>
    wallTimesOf(property).map((time) => moment(time, zoneOf(property, time, zones, own)));
  const [time] = wallTimesOf(startProperty);
  if (!time) throw problemIn(startProperty, 'is empty.');
  const offsets = zoneOf(startProperty, time, zones, own);
  const start = moment(time, offsets);
  const changed = propertyOf(component, 'RECURRENCE-ID');
  const at = changed && momentsOf(changed)[0];
  return {
    component,
    uid: textOf(component, 'UID') ?? `line ${component.line}`,
    start,
    length: lengthOf(component, start, momentsOf),
    offsets,
    momentsOf,
    changed: at && { at, isFromThenOn: String(changed.parameters['range']).toUpperCase() === 'THISANDFUTURE' },
  };
}

/** RFC 5545, 3.8.5.3: an end gives an exact length, a duration counts its days on the wall. */
function lengthOf(component: CalendarComponent, start: Moment, momentsOf: (property: CalendarProperty) => Moment[]): EventLength {
  const end = propertyOf(component, 'DTEND');
  const [until] = end ? momentsOf(end) : [];
  if (end && until) {
    const between = start.isDate ? until.wall - start.wall : until.utc - start.utc;
    if (between < 0) throw problemIn(end, 'is before DTSTART.');
    return start.isDate ? { days: Math.max(1, Math.ceil(between / day)), milliseconds: 0 } : { days: 0, milliseconds: between };
  }
  const duration = propertyOf(component, 'DURATION');
  if (!duration) return { days: start.isDate ? 1 : 0, milliseconds: 0 };
  const length = parseDuration(duration.values[0]);
  if (!length) throw problemIn(duration, `is no length such as PT1H30M: ${quote(String(duration.values[0]))}.`);
  return length;
}

/** The starts on the wall that could touch the time. A day on both sides covers every zone. */
function wallSpan({ length }: Series, { from, to }: Span): { from: number; to: number } {
  return { from: from - length.days * day - length.milliseconds - day, to: to + day };
}

/** Whether a series can have occurrences in the time; false is certain and cheap. */
export function canTouch(series: Series, span: Span): boolean {
  const { from, to } = wallSpan(series, span);
  const isSingle = !series.component.properties.has('RRULE') && !series.component.properties.has('RDATE');
  return series.start.wall <= to && (!isSingle || series.start.wall >= from);
}

/** The changes replace occurrences of the series. Occurrences outside of the time are for the caller to leave out. */
export function expandSeries(series: Series, changes: readonly Series[], span: Span): Occurrence[] {
  if (series.changed) return [occurrence(series, series.start.wall)];
  const replaced = new Moments(changes.map(({ changed }) => changed!.at));
  const moves = changes.filter(({ changed }) => changed!.isFromThenOn).sort((a, b) => a.changed!.at.utc - b.changed!.at.utc);
  let [moved, next]: [Series | undefined, number] = [undefined, 0];
  return startsOf(series, span).flatMap((one) => {
    while (next < moves.length && moves[next]!.changed!.at.utc < one.utc) moved = moves[next++];
    if (replaced.has(one)) return [];
    if (!moved) return [occurrence(series, one.wall)];
    const shift = wallIn(series, moved.start) - wallIn(series, moved.changed!.at);
    return [occurrence({ ...moved, offsets: series.offsets }, one.wall + shift)];
  });
}

/** A date matches every moment of the day, because files mix both. */
class Moments {
  readonly #times = new Set<number>();
  readonly #dates = new Set<number>();
  readonly #allDates = new Set<number>();

  constructor(moments: readonly Moment[]) {
    for (const { wall, utc, isDate } of moments) {
      this.#allDates.add(Math.floor(wall / day));
      if (isDate) this.#dates.add(Math.floor(wall / day));
      else this.#times.add(utc);
    }
  }

  has({ wall, utc, isDate }: Moment): boolean {
    return (isDate ? this.#allDates : this.#dates).has(Math.floor(wall / day)) || this.#times.has(utc);
  }
}

/** In the order of time. */
function startsOf(series: Series, span: Span): Moment[] {
  const { component, start, offsets, momentsOf } = series;
  const range = wallSpan(series, span);
  const walls = new Set([start.wall]);
  for (const rule of propertiesOf(component, 'RRULE')) {
    const until = untilOf(rule);
    if (until && until.wall < range.from) continue;
    for (const wall of expandRule(rule, start.wall, range, span.budget)) {
      if (!until || (until.isUtc ? utcOf(wall, offsets) <= until.wall : wall <= until.wall)) walls.add(wall);
    }
  }
  for (const { wall, utc, isDate } of propertiesOf(component, 'RDATE').flatMap(momentsOf)) {
    if (start.isDate) walls.add(Math.floor(wall / day) * day);
    else walls.add(isDate ? wall + (start.wall % day) : wallOf(utc, offsets));
  }
  const removed = new Moments(propertiesOf(component, 'EXDATE').flatMap(momentsOf));
  return [...walls]
    .map((wall): Moment => ({ wall, isDate: start.isDate, utc: utcOf(wall, offsets) }))
    .filter((one) => !removed.has(one))
    .sort((a, b) => a.utc - b.utc);
}

const wallOf = (utc: number, offsets: readonly ZoneOffset[]): number =>
  utc + (offsets.findLast(({ from }) => from <= utc) ?? offsets[0]!).minutes * 60_000;

/** By the clock of the series. */
const wallIn = ({ offsets }: Series, { wall, utc, isDate }: Moment): number => (isDate ? wall : wallOf(utc, offsets));

function occurrence({ component, start, length, offsets }: Series, wall: number): Occurrence {
  const end = wall + length.days * day;
  const date = (time: number): string => new Date(time).toISOString().slice(0, 10);
  const dates = start.isDate ? { from: date(wall), to: date(end) } : undefined;
  return { component, from: utcOf(wall, offsets), to: utcOf(end, offsets) + length.milliseconds, dates };
}
