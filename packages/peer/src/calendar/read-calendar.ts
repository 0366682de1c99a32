// The events of an iCalendar file (RFC 5545) in a time, one for each occurrence.

import type { BusyInterval, ZoneOffset } from '@parley/core';
import { type CalendarComponent, type CalendarProperty, propertiesOf, readComponents, textOf } from './content-lines.ts';
import { day, parseDuration, parseWallTime } from './local-times.ts';
import { canTouch, expandSeries, readSeries, type Series } from './occurrences.ts';
import { CalendarError, type CalendarProblem, EventError, problemIn, tooLarge } from './problems.ts';
import { ExpansionBudget } from './recurrence.ts';
import { FileZones, zoneOffsets } from './zones.ts';

const mostEvents = 50_000;
const mostProblems = 20;

export interface CalendarEvent {
  uid: string;
  from: number;
  to: number;
  /** First day and the day after the last, for an event that lasts whole days. */
  dates?: { from: string; to: string } | undefined;
  summary?: string | undefined;
  place?: string | undefined;
  /** False for events that their owner marked as free. */
  isBusy: boolean;
}

export interface CalendarSpan {
  from: number;
  to: number;
  /** The person's IANA zone: it decides about whole days and about times without a zone. */
  zone: string;
}

export interface CalendarContent {
  /** In the order of time. */
  events: CalendarEvent[];
  /** The first twenty events or properties that could not be read. */
  problems: CalendarProblem[];
  problemCount: number;
}

export const orderEvents = (a: CalendarEvent, b: CalendarEvent): number =>
  a.from - b.from || a.to - b.to || (a.uid < b.uid ? -1 : Number(a.uid > b.uid));

/** Several files may share one budget, as those of one CalDAV answer do. */
export function readCalendar(text: string, span: CalendarSpan, budget = new ExpansionBudget()): CalendarContent {
  const own = zoneOffsets(span.zone, 0, span.to + day);
  if (!own)
    throw new CalendarError(
      'bad_input',
      `This machine does not know the time zone ${JSON.stringify(span.zone)}. Use a name such as Europe/Berlin.`,
    );
  const content: CalendarContent = { events: [], problems: [], problemCount: 0 };
  for (const calendar of readComponents(text)) readInto(content, calendar, { ...span, own, budget });
  content.events.sort(orderEvents);
  return content;
}

/** The time that events take, without those that are marked as free. */
export const busyOf = (events: readonly CalendarEvent[]): BusyInterval[] =>
  events
    .filter(({ isBusy, from, to }) => isBusy && to > from)
    .map(({ from, to, place }) => ({ from, to, ...(place === undefined ? {} : { place }) }));

interface Reading extends CalendarSpan {
  own: readonly ZoneOffset[];
  budget: ExpansionBudget;
}

function readInto(content: CalendarContent, calendar: CalendarComponent, reading: Reading): void {
  /** Undefined: it cannot be read, and is reported. */
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      content.problemCount++;
      if (content.problems.length < mostProblems) content.problems.push(error.problem);
      return undefined;
    }
  };
  const expand = (series: Series, replaced: readonly Series[]): void => {
    attempt(() => {
      for (const { component, ...time } of expandSeries(series, replaced, reading)) {
        if (textOf(component, 'STATUS')?.toUpperCase() !== 'CANCELLED')
          add(content, component, { ...eventIn(component), ...time }, reading);
      }
    });
  };
  const zones = attempt(() => new FileZones(calendar, reading.to + day, reading.budget));
  if (!zones) return;
  const masters: Series[] = [];
  const changes = new Map<string, Series[]>();
  for (const component of calendar.components) {
    if (component.name === 'VFREEBUSY') attempt(() => readFreeBusy(content, component, reading));
    if (component.name !== 'VEVENT') continue;
    const series = attempt(() => readSeries(component, zones, reading));
    if (!series) continue;
    if (!series.changed) masters.push(series);
    else if (changes.has(series.uid)) changes.get(series.uid)!.push(series);
    else changes.set(series.uid, [series]);
  }
  for (const series of masters) if (canTouch(series, reading)) expand(series, changes.get(series.uid) ?? []);
  for (const series of [...changes.values()].flat()) expand(series, []);
}

const eventIn = (component: CalendarComponent): Omit<CalendarEvent, 'from' | 'to'> => ({
  uid: textOf(component, 'UID') ?? '',
  summary: textOf(component, 'SUMMARY'),
  place: textOf(component, 'LOCATION'),
  isBusy: textOf(component, 'TRANSP')?.toUpperCase() !== 'TRANSPARENT',
});

function add({ events }: CalendarContent, { line }: CalendarComponent, event: CalendarEvent, { from, to }: Reading): void {
  // An event of no length counts at its start, an event that ends where the time begins does not.
  const isInside = event.from < to && (event.to > from || event.from >= from);
  if (!isInside) return;
  if (events.length >= mostEvents)
    throw tooLarge(`The file has more than ${mostEvents} events in the time, up to line ${line}. Ask about a shorter time.`, line);
  events.push(event);
}

function readFreeBusy(content: CalendarContent, component: CalendarComponent, reading: Reading): void {
  for (const property of propertiesOf(component, 'FREEBUSY')) {
    if (String(property.parameters['fbtype'] ?? 'BUSY').toUpperCase() === 'FREE') continue;
    const uid = textOf(component, 'UID') ?? '';
    for (const value of property.values) add(content, component, { uid, ...periodOf(value, property), isBusy: true }, reading);
  }
}

/** RFC 5545 writes the periods of VFREEBUSY in UTC. */
function periodOf(value: unknown, property: CalendarProperty): { from: number; to: number } {
  const [start, end] = Array.isArray(value) ? (value as unknown[]) : [];
  const from = parseWallTime(start)?.wall;
  const length = parseDuration(end);
  const to = length && from !== undefined ? from + length.days * day + length.milliseconds : parseWallTime(end)?.wall;
  if (from === undefined || to === undefined || to < from) throw problemIn(property, 'has a period without a start or an end.');
  return { from, to };
}
