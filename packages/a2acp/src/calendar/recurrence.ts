// The occurrences of a rule in a time, counted on the wall. The work of a rule is estimated before it is done, because a file can ask for
// every second of a century.

import { RRuleTemporal } from 'rrule-temporal';
import type { CalendarProperty } from './content-lines.ts';
import { day, parseWallTime, type WallTime } from './local-times.ts';
import { CalendarError, EventError } from './problems.ts';

const mostOfRule = 6000;
const mostOfFile = 30_000;

/** What a rule costs before its first step. */
const costOfRule = 10;

/** Shared by everything that one reading expands. */
export class ExpansionBudget {
  #left = mostOfFile;

  spend(steps: number, { line, field }: CalendarProperty): void {
    if (steps > mostOfRule) {
      throw new EventError(
        line,
        field,
        `${field} in line ${line} recurs too often: it needs about ${steps} steps, and at most ${mostOfRule} are taken.`,
      );
    }
    this.#left -= costOfRule + steps;
    if (this.#left < 0)
      throw new CalendarError(
        'too_large',
        `The rules up to line ${line} need more than ${mostOfFile} steps together. Export a shorter time.`,
        line,
      );
  }
}

const periods: Readonly<Record<string, number>> = {
  SECONDLY: 1000,
  MINUTELY: 60_000,
  HOURLY: 3_600_000,
  DAILY: day,
  WEEKLY: 7 * day,
  MONTHLY: 28 * day,
  YEARLY: 365 * day,
};

export interface WallSpan {
  from: number;
  to: number;
}

const asList = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const stamp = (wall: number): string => `${new Date(wall).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

/** Ends inclusively; what is given as UTC is compared by the caller, who knows the zone. */
export function untilOf(rule: CalendarProperty): WallTime | undefined {
  const { until } = rule.values[0] as { until?: unknown };
  if (until === undefined) return undefined;
  const time = parseWallTime(until);
  if (!time) throw new EventError(rule.line, rule.field, `UNTIL in line ${rule.line} is no date that exists.`);
  return time.isDate ? { ...time, wall: time.wall + day - 1 } : time;
}

const byParts = (parts: Record<string, unknown>): string[] => Object.keys(parts).filter((name) => name.startsWith('by'));

/** Whether each period has an occurrence, so that COUNT tells when the rule has ended. */
const isRegular = (parts: Record<string, unknown>): boolean =>
  byParts(parts).length === 0 || (parts['freq'] === 'WEEKLY' && byParts(parts).every((name) => name === 'byday'));

/** A month without a 31st, and a year without a 29 February, have no occurrence: eight years cover both. */
const longestPeriod = (period: number): number => (period > 7 * day ? period * 8 : period);

/** A rule without COUNT goes on in the same way from a whole number of steps later, and needs no time for all the years before. */
function laterStart(start: number, frequency: string, interval: number, from: number): number {
  const months = frequency === 'YEARLY' ? 12 * interval : frequency === 'MONTHLY' ? interval : 0;
  const [first, near] = [new Date(start), new Date(from)];
  if (months === 0) {
    const step = periods[frequency]! * interval;
    return start + Math.max(0, Math.floor((from - start) / step) - 1) * step;
  }
  // Other days are not in every month.
  if (first.getUTCDate() > 28) return start;
  const between = (near.getUTCFullYear() - first.getUTCFullYear()) * 12 + near.getUTCMonth() - first.getUTCMonth();
  return first.setUTCMonth(first.getUTCMonth() + Math.max(0, Math.floor(between / months) - 1) * months);
}

/** Starts on the wall from `span.from` to `span.to`, both included, without regard to UNTIL. */
export function expandRule(rule: CalendarProperty, start: number, span: WallSpan, budget: ExpansionBudget): number[] {
  const parts = rule.values[0] as Record<string, unknown>;
  const period = periods[String(parts['freq'])];
  const interval = parts['interval'] === undefined ? 1 : Number(parts['interval']);
  if (period === undefined || !(interval >= 1))
    throw new EventError(rule.line, rule.field, `${rule.field} in line ${rule.line} needs a FREQ, and an INTERVAL of at least 1.`);
  if (span.to < start) return [];
  const step = period * interval;
  const count = parts['count'] === undefined ? undefined : Number(parts['count']);
  if (count !== undefined && isRegular(parts) && start + (count * interval * longestPeriod(period) + 7 * day) < span.from) return [];
  const begin = count === undefined ? laterStart(start, String(parts['freq']), interval, span.from) : start;
  const perPeriod = Object.entries(parts).reduce(
    (product, [name, value]) => (/^by(?!setpos)/.test(name) ? product * Math.max(1, asList(value).length) : product),
    1,
  );
  budget.spend(Math.ceil(Math.min(count ?? Infinity, ((span.to - begin) / step + 1) * perPeriod)), rule);
  const text = rule.text.slice(rule.text.indexOf(':') + 1).replace(/;?UNTIL=[^;]*/i, '');
  try {
    const expanded = new RRuleTemporal({
      rruleString: `DTSTART:${stamp(begin)}\nRRULE:${text.replace(/^;/, '')}`,
      maxIterations: mostOfRule,
      maxCandidateEvaluations: mostOfRule * 2,
      cache: false,
    });
    return expanded.between(new Date(span.from), new Date(span.to), true).map(({ epochMilliseconds }) => epochMilliseconds);
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : String(error);
    throw new EventError(rule.line, rule.field, `${rule.field} in line ${rule.line} cannot be expanded: ${why}.`);
  }
}
