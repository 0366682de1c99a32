// The occurrences of a rule in a time, counted on the wall. The work of a rule is estimated before it is done, because a file can ask for
// every second of a century.

import { RRuleTemporal } from 'rrule-temporal';
import type { CalendarProperty } from './content-lines.ts';
import { day, parseWallTime, type WallTime } from './local-times.ts';
import { EventError, problemIn, reasonOf, tooLarge } from './problems.ts';

const mostOfRule = 6000;
const mostOfFile = 30_000;

/** What a rule costs before its first step. */
const costOfRule = 10;

/** Shared by everything that one reading expands. */
export class ExpansionBudget {
  #left = mostOfFile;

  spend(steps: number, rule: CalendarProperty): void {
    if (steps > mostOfRule) throw problemIn(rule, `recurs too often: it needs about ${steps} steps, and at most ${mostOfRule} are taken.`);
    this.#left -= costOfRule + steps;
    const { line } = rule;
    if (this.#left < 0)
      throw tooLarge(`The rules up to line ${line} need more than ${mostOfFile} steps together. Export a shorter time.`, line);
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

type RuleParts = Readonly<Record<string, unknown>>;

/** The longest time from one occurrence to the next, so that COUNT tells when the rule has ended; undefined where that is hard to say. */
function longestGap(parts: RuleParts, period: number, interval: number): number | undefined {
  const by = Object.keys(parts).filter((name) => name.startsWith('by'));
  // A month without a 31st, and a year without a 29 February, have no occurrence: eight periods cover both.
  if (by.length === 0) return interval * (period > 7 * day ? 8 * period : period);
  if (by.length > 1 || by[0] !== 'byday') return undefined;
  return period === 7 * day ? interval * period : period === day && interval === 1 ? 7 * day : undefined;
}

/** From which period on a part makes more occurrences; in a shorter period it only filters. */
const expandsFrom: Readonly<Record<string, number>> = {
  bysecond: 60_000,
  byminute: 3_600_000,
  byhour: day,
  byday: 7 * day,
  bymonthday: 28 * day,
  bymonth: 365 * day,
  byweekno: 365 * day,
  byyearday: 365 * day,
};

const perPeriod = (parts: RuleParts, period: number): number =>
  Object.entries(parts).reduce(
    (product, [name, value]) => (period >= (expandsFrom[name] ?? Infinity) ? product * asList(value).length : product),
    1,
  );

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

/** Parts that would be expanded wrongly: an event at a wrong time is worse than one that is named as unread. */
function unreadPart(rule: CalendarProperty, parts: RuleParts): string | undefined {
  const skip = /[;:]SKIP=([A-Z]+)/i.exec(rule.text)?.[1];
  if (skip !== undefined && skip.toUpperCase() !== 'OMIT') return `SKIP=${skip}`;
  if (parts['byday'] !== undefined && parts['byyearday'] !== undefined) return 'BYDAY beside BYYEARDAY';
  const nth = asList(parts['byday'])
    .map(String)
    .find((one) => Math.abs(Number.parseInt(one, 10)) > 52);
  return nth === undefined ? undefined : `BYDAY=${nth}`;
}

/** Starts on the wall from `span.from` to `span.to`, both included, without regard to UNTIL. */
export function expandRule(rule: CalendarProperty, start: number, span: WallSpan, budget: ExpansionBudget): number[] {
  const parts = rule.values[0] as Record<string, unknown>;
  const period = periods[String(parts['freq'])];
  const interval = parts['interval'] === undefined ? 1 : Number(parts['interval']);
  if (period === undefined || !(interval >= 1)) throw problemIn(rule, 'needs a FREQ, and an INTERVAL of at least 1.');
  if (span.to < start) return [];
  const { rscale = 'GREGORIAN' } = parts as { rscale?: string };
  if (!/^gregorian$/i.test(rscale)) throw problemIn(rule, 'counts in another calendar than the Gregorian one.');
  const unread = unreadPart(rule, parts);
  if (unread !== undefined) throw problemIn(rule, `uses ${unread}, which is not read here.`);
  const count = parts['count'] === undefined ? undefined : Number(parts['count']);
  const gap = count === undefined ? undefined : longestGap(parts, period, interval);
  if (gap !== undefined && start + count! * gap + 7 * day < span.from) return [];
  const begin = count === undefined ? laterStart(start, String(parts['freq']), interval, span.from) : start;
  const steps = ((span.to - begin) / (period * interval) + 1) * perPeriod(parts, period);
  budget.spend(Math.ceil(gap === undefined ? steps : Math.min(count!, steps)), rule);
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
    const why = reasonOf(error);
    // The library gives up only after it has tried for long.
    if (why.startsWith('Maximum')) budget.spend(mostOfRule, rule);
    throw problemIn(rule, `cannot be expanded: ${why}.`);
  }
}
