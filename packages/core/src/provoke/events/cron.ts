// The slots of a cron expression, cached: finding one in a time zone takes a millisecond, hundreds of schedules are due in the same
// minute, and a command that runs again asks again. Also the texts about an invalid expression.

import { Cron } from 'croner';

export interface Slots {
  /** The first slot after a time; null if there is none. */
  next: (after: number) => number | null;
  /** The last slot before or at a time. */
  latest: (until: number) => number | null;
}

const minute = 60_000;
const mostCached = 1000;
const cache = new Map<string, Slots>();

/** Equal expressions share their slots. Throws for a text that is no expression. */
export function slotsOf(expression: string, zone: string): Slots {
  const name = `${zone} ${expression}`;
  const cached = cache.get(name);
  if (cached) return cached;
  const created = slots(new Cron(expression, { timezone: zone, mode: '5-part', paused: true }));
  if (cache.size >= mostCached) cache.clear();
  cache.set(name, created);
  return created;
}

/** Slots are whole minutes, so all times within a minute have the same answer. */
function slots(cron: Cron): Slots {
  return {
    next: once((at) => cron.nextRun(new Date(at * minute))?.getTime() ?? null),
    // The library searches strictly before the time, hence the added minute.
    latest: once((at) => cron.previousRuns(1, new Date((at + 1) * minute))[0]?.getTime() ?? null),
  };
}

/** Remembers the answer for the last minute only, because time moves on. */
function once(of: (at: number) => number | null): (time: number) => number | null {
  let last: { at: number; slot: number | null } | undefined;
  return (time) => {
    const at = Math.floor(time / minute);
    if (last?.at !== at) last = { at, slot: of(at) };
    return last.slot;
  };
}

/** Named here, because the library counts months and days from zero in its messages. */
const fields = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: 'JAN to DEC' },
  { name: 'weekday', from: 0, to: 7, names: 'SUN to SAT' },
] as const;
type Field = (typeof fields)[number];

/** Values that are no number: the names, the last day, the nearest weekday and the like. */
const otherValues: Partial<Record<Field['name'], RegExp>> = {
  day: /^(?:L|LW|\d{1,2}W)$/i,
  month: /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)$/i,
  weekday: /^(?:[0-7]|sun|mon|tue|wed|thu|fri|sat)(?:L|#[1-5L])?$/i,
};

const form = 'minute hour day month weekday, as in 30 7 * * 1-5';

export function cronWords(text: string): string {
  const parts = text.trim().split(/\s+/);
  if (text.trim().startsWith('@')) return 'must be @hourly, @daily, @weekly, @monthly, @yearly, or five cron fields';
  if (parts.length !== 5) return `must be five cron fields and not ${text.trim() === '' ? 'none' : parts.length}: ${form}`;
  // Where all are wrong, it is no cron.
  const wrong = parts.flatMap((part, i) => wrongIn(part, fields[i]!) ?? []);
  return wrong.length === 0 || wrong.length > 3 ? `must be five cron fields: ${form}` : wrong.join('; ');
}

function wrongIn(part: string, field: Field): string | undefined {
  for (const one of part.split(',')) {
    const [range = '', step, ...surplus] = one.split('/');
    const ends = range === '*' ? [] : range.split('-');
    if (surplus.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step)))
      return `${field.name}: after / must stand a number, as in */5`;
    const most = field.to - field.from + 1;
    if (step !== undefined && Number(step) > most) return `${field.name}: the step must be at most ${most}, not ${step.slice(0, 20)}`;
    if (step !== undefined && range === '') return `${field.name}: before / must stand * or a range, as in */${step}`;
    const bad = ends.find((end) => !fits(end, field));
    if (bad !== undefined || ends.length > 2)
      return `${field.name} must be ${mayBe(field)}, not ${(bad ?? range).slice(0, 20) || 'nothing'}`;
    const [low, high] = ends.map(Number);
    if (low !== undefined && high !== undefined && low > high)
      return `${field.name}: ${range} goes backwards; write ${high}-${low}, or ${low}-${field.to},${field.from}-${high}`;
  }
  return undefined;
}

const fits = (end: string, field: Field): boolean => {
  if (otherValues[field.name]?.test(end)) return true;
  return /^\d{1,2}$/.test(end) && Number(end) >= field.from && Number(end) <= field.to;
};

const mayBe = (field: Field): string => `${field.from} to ${field.to}${'names' in field ? ` or ${field.names}` : ''}`;
