// The filters of triggers as one flat list, and the loop that goes through it. With thousands of triggers the time goes
// into reaching the compared values, not into comparing: functions within functions lie all over the memory, a list does
// not.

import type { Filter, PapEvent } from '@parley/protocol';
import type { PathReader } from './event-path.ts';
import type { Patterns } from './regex.ts';

/** Numbers, because they stand in the list itself; those that search a text come last. */
const codes = { eq: 0, ne: 1, lt: 2, lte: 3, gt: 4, gte: 5, in: 6, not_in: 7, exists: 8, contains: 9, regex: 10 } as const satisfies Record<
  Filter['operator'],
  number
>;
type OpCode = (typeof codes)[keyof typeof codes];

/** Where to look (the name of a field of `data`, or a way there), how to compare, and with what. */
export type FilterCheck = readonly [at: string | PathReader, code: OpCode, with_: unknown];

/** One search of a filter. `owner`: the member whose regex time the search takes. */
interface SearchCheck {
  source: string;
  owner: string;
}

export function checkOf(filter: Filter, at: string | PathReader, owner: string): FilterCheck {
  const code = codes[filter.operator];
  if (filter.operator === 'regex' || filter.operator === 'contains')
    return [at, code, { source: filter.value, owner } satisfies SearchCheck];
  return [at, code, filter.operator === 'in' || filter.operator === 'not_in' ? new Set<unknown>(filter.value) : filter.value];
}

/** `[item, where its checks end, …checks, item, …]`; the maker of the list knows the type of an item. */
export type Checks<T> = readonly unknown[] & { readonly of?: T };

export function listOf<T>(items: readonly T[], checksOf: (item: T) => readonly FilterCheck[]): Checks<T> {
  const list: unknown[] = [];
  for (const item of items) {
    const checks = checksOf(item);
    list.push(item, list.length + 2 + checks.length * 3, ...checks.flat());
  }
  return list;
}

/** The searches last: they are asked only where everything else holds. */
export const searchesLast = (checks: readonly FilterCheck[]): readonly FilterCheck[] =>
  checks.some(isSearch) ? [...checks.filter((one) => !isSearch(one)), ...checks.filter(isSearch)] : checks;

/** The filter's time grows with the text: `contains` or a regex. */
export const isSearch = ([, code]: FilterCheck): boolean => code >= codes.contains;

/** Where the items of a list go. */
export interface Into<T> {
  /** All of its checks hold. */
  found: T[];
  /** Only a search that took too long keeps it from `found`. */
  tooSlow?: T[] | undefined;
  /** Items whose searches are asked, all by default; the searches of another are taken to hold. */
  asks?: ((item: T) => boolean) | undefined;
}

/** Runs the checks of every item. */
export function run<T>(list: Checks<T>, event: PapEvent, patterns: Patterns, { found, tooSlow, asks }: Into<T>): void {
  const { data } = event;
  for (let i = 0; i < list.length;) {
    const item = list[i] as T;
    const end = list[i + 1] as number;
    i += 2;
    let isSlow = false;
    for (; i < end; i += 3) {
      if (asks !== undefined && (list[i + 1] as OpCode) >= codes.contains && !asks(item)) continue;
      const at = list[i] as string | PathReader;
      if (typeof at !== 'string') patterns.walk(at.steps);
      const value: unknown = typeof at === 'string' ? (data[at] ?? undefined) : at(event);
      const answer = holds(list[i + 1] as OpCode, value, list[i + 2], patterns);
      if (answer === false) break;
      if (answer === null) isSlow = true;
    }
    if (i === end) (isSlow ? tooSlow : found)?.push(item);
    i = end;
  }
}

/** Whether it holds; null: it took too long. */
export const ask = ([at, code, than]: FilterCheck, event: PapEvent, patterns: Patterns): boolean | null =>
  holds(code, typeof at === 'string' ? (event.data[at] ?? undefined) : at(event), than, patterns);

/** No coercion: of another type than the filter's it is not equal, in no order, and contains nothing. Undefined is absent. */
function holds(code: OpCode, value: unknown, than: unknown, patterns: Patterns): boolean | null {
  switch (code) {
    case codes.eq:
      return value === than;
    case codes.ne:
      return value !== than;
    case codes.lt:
      return typeof value === 'number' && value < (than as number);
    case codes.lte:
      return typeof value === 'number' && value <= (than as number);
    case codes.gt:
      return typeof value === 'number' && value > (than as number);
    case codes.gte:
      return typeof value === 'number' && value >= (than as number);
    case codes.in:
      return (than as Set<unknown>).has(value);
    case codes.not_in:
      return !(than as Set<unknown>).has(value);
    case codes.contains:
      return typeof value === 'string' && patterns.contains((than as SearchCheck).source, value, (than as SearchCheck).owner);
    case codes.exists:
      return (value !== undefined) === than;
    case codes.regex:
      return typeof value === 'string' && patterns.holds((than as SearchCheck).source, value, (than as SearchCheck).owner);
  }
}
