// Days and times as people read them, in one style everywhere: Friday 20 November, 18:00–20:00.

const writers = new Map<string, { day: Intl.DateTimeFormat; clock: Intl.DateTimeFormat }>();

/** `zone`: IANA, the reader's. */
function writerFor(timeZone: string) {
  const known = writers.get(timeZone);
  if (known) return known;
  const writer = {
    day: new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone }),
    clock: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }),
  };
  writers.set(timeZone, writer);
  return writer;
}

export const dayWords = (at: number, zone: string): string => writerFor(zone).day.format(at);
export const clockWords = (at: number, zone: string): string => writerFor(zone).clock.format(at);
export const momentWords = (at: number, zone: string): string => `${dayWords(at, zone)}, ${clockWords(at, zone)}`;

/** Until midnight is still the same day. */
const isOneDay = (from: number, to: number, zone: string): boolean => dayWords(from, zone) === dayWords(to - 1, zone);
const clockSpan = (from: number, to: number, zone: string): string => `${clockWords(from, zone)}–${clockWords(to, zone)}`;

export function spanWords(from: number, to: number, zone: string): string {
  return isOneDay(from, to, zone)
    ? `${dayWords(from, zone)}, ${clockSpan(from, to, zone)}`
    : `${momentWords(from, zone)} – ${momentWords(to, zone)}`;
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Undefined for any other text. */
export function readMoment(text: unknown): number | undefined {
  const at = typeof text === 'string' && moment.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

interface Span {
  from: number;
  to: number;
}

/** `start/end`, as packets carry it. */
function readSpan(text: unknown): Span | undefined {
  const [start, end, ...others] = typeof text === 'string' ? text.split('/') : [];
  const [from, to] = [readMoment(start), readMoment(end)];
  return from === undefined || to === undefined || others.length > 0 || to <= from ? undefined : { from, to };
}

const mostRuns = 4;

/** All free time as people would say it: days in order, and days with the same hours together. Undefined for anything but intervals. */
export function windowRows(windows: readonly unknown[], zone: string): string[] | undefined {
  const spans = windows.flatMap((one) => readSpan(one) ?? []).sort((a, b) => a.from - b.from);
  if (spans.length === 0 || spans.length < windows.length) return undefined;
  return runsOf(spans, zone).map(({ first, last, hours }) => {
    const days =
      dayWords(first, zone) === dayWords(last, zone) ? dayWords(first, zone) : `${dayWords(first, zone)} to ${dayWords(last, zone)}`;
    return `${days}, ${hours}`;
  });
}

/** The first rows; the others are counted. A person who decides about them reads `windowRows`. */
export function windowsWords(windows: readonly unknown[], zone: string): string | undefined {
  const rows = windowRows(windows, zone);
  const rest = (rows?.length ?? 0) - mostRuns;
  return rows && `${rows.slice(0, mostRuns).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

interface Run {
  first: number;
  last: number;
  hours: string;
}

function runsOf(spans: readonly Span[], zone: string): Run[] {
  const runs: Run[] = [];
  for (const { first, last, hours } of daysOf(spans, zone)) {
    const before = runs.at(-1);
    if (before?.hours === hours && isNextDay(before.last, first, zone)) before.last = last;
    else runs.push({ first, last, hours });
  }
  return runs;
}

function daysOf(spans: readonly Span[], zone: string): Run[] {
  const days: Run[] = [];
  for (const { from, to } of spans) {
    const hours = isOneDay(from, to, zone) ? clockSpan(from, to, zone) : `${clockWords(from, zone)} to ${momentWords(to, zone)}`;
    const before = days.at(-1);
    if (before && dayWords(before.first, zone) === dayWords(from, zone)) before.hours += ` and ${hours}`;
    else days.push({ first: from, last: from, hours });
  }
  return days;
}

/** From any hour to about noon of the next day: an hour that clocks change leaves it the same day. */
const isNextDay = (one: number, other: number, zone: string): boolean => {
  const noonNextDay = one + (36 - Number(clockWords(one, zone).slice(0, 2))) * 3_600_000;
  return dayWords(noonNextDay, zone) === dayWords(other, zone);
};
