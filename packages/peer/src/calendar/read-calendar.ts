// The events of an iCalendar file (RFC 5545) in a time, one for each occurrence.

import type { BusyInterval, ZoneOffset } from '@parley/core';
import { type CalendarComponent, type CalendarProperty, propertiesOf, readComponents, textOf } from './content-lines.ts';
import { day, parseDuration, parseWallTime } from './local-times.ts';
import { canTouch, expandSeries, type Occurrence, readSeries, type Series } from './occurrences.ts';
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
  for (const calendar of readComponents(text)) new FileReader(calendar, { ...span, own, budget }, content).read();
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

class FileReader {
  readonly #calendar: CalendarComponent;
  readonly #reading: Reading;
  readonly #content: CalendarContent;

  constructor(calendar: CalendarComponent, reading: Reading, content: CalendarContent) {
    this.#calendar = calendar;
    this.#reading = reading;
    this.#content = content;
  }

  read(): void {
    const zones = this.#try(() => new FileZones(this.#calendar, this.#reading.to + day, this.#reading.budget));
    if (!zones) return;
    const masters: Series[] = [];
    const changes = new Map<string, Series[]>();
    for (const component of this.#calendar.components) {
      if (component.name === 'VFREEBUSY') this.#try(() => this.#readFreeBusy(component));
      if (component.name !== 'VEVENT') continue;
      const series = this.#try(() => readSeries(component, zones, this.#reading));
      if (!series) continue;
      if (!series.changed) masters.push(series);
      else if (changes.has(series.uid)) changes.get(series.uid)!.push(series);
      else changes.set(series.uid, [series]);
    }
    for (const series of masters) if (canTouch(series, this.#reading)) this.#expand(series, changes.get(series.uid) ?? []);
    for (const series of [...changes.values()].flat()) this.#expand(series, []);
  }

  #expand(series: Series, changes: readonly Series[]): void {
    this.#try(() => {
      for (const one of expandSeries(series, changes, this.#reading)) this.#add(one);
    });
  }

  #try<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      this.#content.problemCount++;
      if (this.#content.problems.length < mostProblems) this.#content.problems.push(error.problem);
      return undefined;
    }
  }

  #add({ component, from, to, dates }: Occurrence): void {
    if (textOf(component, 'STATUS')?.toUpperCase() === 'CANCELLED') return;
    this.#push(component, {
      uid: textOf(component, 'UID') ?? '',
      from,
      to,
      dates,
      summary: textOf(component, 'SUMMARY'),
      place: textOf(component, 'LOCATION'),
      isBusy: textOf(component, 'TRANSP')?.toUpperCase() !== 'TRANSPARENT',
    });
  }

  #push(component: CalendarComponent, event: CalendarEvent): void {
    // An event of no length counts at its start, an event that ends where the time begins does not.
    const isInside = event.from < this.#reading.to && (event.to > this.#reading.from || event.from >= this.#reading.from);
    if (!isInside) return;
    const { line } = component;
    if (this.#content.events.length >= mostEvents)
      throw tooLarge(`The file has more than ${mostEvents} events in the time, up to line ${line}. Ask about a shorter time.`, line);
    this.#content.events.push(event);
  }

  #readFreeBusy(component: CalendarComponent): void {
    for (const property of propertiesOf(component, 'FREEBUSY')) {
      if (String(property.parameters['fbtype'] ?? 'BUSY').toUpperCase() === 'FREE') continue;
      for (const value of property.values)
        this.#push(component, { uid: textOf(component, 'UID') ?? '', ...periodOf(value, property), isBusy: true });
    }
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
