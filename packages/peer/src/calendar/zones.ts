// Time zones as tables of offsets: the platform knows the zones with IANA names, and a calendar file may describe others.

import type { ZoneOffset } from '@parley/core';
import { Temporal } from 'temporal-polyfill';
import { type CalendarComponent, type CalendarProperty, propertiesOf, propertyOf, textOf } from './content-lines.ts';
import { wallTimesOf } from './local-times.ts';
import { EventError, problemIn, quote } from './problems.ts';
import { expandRule, type ExpansionBudget, untilOf } from './recurrence.ts';

const mostCached = 1000;
/** Clock changes that a file may describe for one zone. Every lookup reads all of them. */
const mostOnsets = 1000;
const cache = new Map<string, readonly ZoneOffset[] | undefined>();

/** The offsets of an IANA zone; undefined if the platform does not know it. Objects of a CalDAV answer name the same few, hence the cache. */
export function zoneOffsets(zone: string, from: number, to: number): readonly ZoneOffset[] | undefined {
  const key = `${from} ${to} ${zone}`;
  if (!cache.has(key)) {
    if (cache.size >= mostCached) cache.clear();
    cache.set(key, platformOffsets(zone, from, to));
  }
  return cache.get(key);
}

function platformOffsets(zone: string, from: number, to: number): ZoneOffset[] | undefined {
  let at: Temporal.ZonedDateTime | null;
  try {
    at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  } catch {
    return undefined;
  }
  const offsets: ZoneOffset[] = [];
  for (; at && at.epochMilliseconds <= to; at = at.getTimeZoneTransition('next')) {
    offsets.push({ from: at.epochMilliseconds, minutes: Math.round(at.offsetNanoseconds / 6e10) });
  }
  return offsets;
}

/** The zones that the events of one file name. */
export class FileZones {
  readonly #described = new Map<string, CalendarComponent>();
  readonly #tables = new Map<string, readonly ZoneOffset[]>();
  readonly #to: number;
  readonly #budget: ExpansionBudget;

  constructor(calendar: CalendarComponent, to: number, budget: ExpansionBudget) {
    this.#to = to;
    this.#budget = budget;
    for (const component of calendar.components) {
      const name = component.name === 'VTIMEZONE' ? textOf(component, 'TZID') : undefined;
      if (name !== undefined) this.#described.set(name, component);
    }
  }

  /** For names with a slash the IANA data wins: it is newer, and files abridge. A name such as EST means what the file says. */
  offsets(name: string, property: CalendarProperty): readonly ZoneOffset[] {
    const stored = this.#tables.get(name);
    if (stored) return stored;
    const described = this.#described.get(name);
    // Some programs put their own name in front: /example.org/20260101/Europe/Berlin.
    const iana = name.startsWith('/') ? /[A-Za-z_]+\/[A-Za-z_/+-]+$/.exec(name)?.[0] : name;
    const platformTable = iana !== undefined && (iana.includes('/') || !described) ? zoneOffsets(iana, 0, this.#to) : undefined;
    const table = platformTable ?? (described && describedOffsets(described, this.#to, this.#budget));
    if (!table) throw problemIn(property, `names the time zone ${quote(name)}, which neither the file nor this machine knows.`);
    this.#tables.set(name, table);
    return table;
  }
}

function describedOffsets(zone: CalendarComponent, to: number, budget: ExpansionBudget): ZoneOffset[] {
  const onsets = zone.components.flatMap((observance) => onsetsOf(observance, to, budget));
  if (onsets.length > mostOnsets)
    throw new EventError(
      zone.line,
      'TZID',
      `The time zone in line ${zone.line} changes the clock ${onsets.length} times; at most ${mostOnsets} are read.`,
    );
  const [first, ...later] = onsets.sort((a, b) => a.from - b.from);
  if (!first) throw new EventError(zone.line, 'TZID', `The time zone in line ${zone.line} has neither STANDARD nor DAYLIGHT.`);
  return [{ from: first.from - 1, minutes: first.before }, ...[first, ...later].map(({ from, minutes }) => ({ from, minutes }))];
}

interface Onset extends ZoneOffset {
  /** The offset before it, in minutes. */
  before: number;
}

/** The clock changes of one part, STANDARD or DAYLIGHT, of a zone. */
function onsetsOf(observance: CalendarComponent, to: number, budget: ExpansionBudget): Onset[] {
  const start = propertyOf(observance, 'DTSTART');
  const [before, after] = [minutesOf(observance, 'TZOFFSETFROM'), minutesOf(observance, 'TZOFFSETTO')];
  if (!start) throw new EventError(observance.line, 'DTSTART', `${observance.name} in line ${observance.line} has no DTSTART.`);
  const { wall } = wallTimesOf(start)[0]!;
  const walls = new Set([
    wall,
    ...propertiesOf(observance, 'RDATE')
      .flatMap(wallTimesOf)
      .map((time) => time.wall),
  ]);
  for (const rule of propertiesOf(observance, 'RRULE')) {
    const until = untilOf(rule);
    const last = until && (until.isUtc ? until.wall + before * 60_000 : until.wall);
    // The last change of a rule that ended before 1970 still holds.
    const from = last !== undefined && last < 0 ? wall : Math.max(wall, 0);
    for (const onset of expandRule(rule, wall, { from, to: Math.min(to, last ?? to) }, budget)) walls.add(onset);
  }
  return [...walls].map((onset) => ({ from: onset - before * 60_000, before, minutes: after }));
}

function minutesOf(observance: CalendarComponent, name: 'TZOFFSETFROM' | 'TZOFFSETTO'): number {
  const value = textOf(observance, name);
  // ical.js writes +0100 as +01:00.
  const match = /^([+-])(\d\d):(\d\d)/.exec(value ?? '');
  if (!match) throw new EventError(observance.line, name, `${observance.name} in line ${observance.line} has no ${name} such as +0100.`);
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}
