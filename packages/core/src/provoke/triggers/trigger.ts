// A trigger made ready to be asked (PRV-4, PRV-5): its filters compiled, what an index can use of them drawn together.

import type { Problem, Trigger, Filter } from '@parley/protocol';
import { type Path, parsePath } from './event-path.ts';
import type { PatternCheck } from './regex.ts';
import { type FilterCheck, checkOf } from './filter-operators.ts';

export interface CompiledTrigger {
  trigger: Trigger;
  /** As whom it runs; empty where it is nobody's yet. */
  owner: string;
  filters: readonly CompiledFilter[];
  access: readonly FilterLookup[];
  windowKey: Path | null;
}

export type Compilation<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** `owner`: as whom it runs, where it is somebody's already. */
export function compileTrigger(trigger: Trigger, patterns: PatternCheck, at = 'trigger', owner = ''): Compilation<CompiledTrigger> {
  const compiled = compileFilters(trigger.match.filter, patterns, `${at}.match.filter`, owner);
  const problems = compiled.ok ? [] : compiled.problems;
  const text = trigger.throttle?.window_key;
  const windowKey = text === undefined ? undefined : parsePath(text);
  if (windowKey?.ok === false) problems.push({ field: `${at}.throttle.window_key`, message: windowKey.message });
  if (!compiled.ok || windowKey?.ok === false) return { ok: false, problems };
  const { value: filters } = compiled;
  return {
    ok: true,
    value: { trigger, owner, filters, access: together(filters), windowKey: windowKey?.path ?? null },
  };
}

/** `gt 3` and `lt 5` on the same place are one range; two equalities on it are looked up by the first. */
function together(filters: readonly CompiledFilter[]): FilterLookup[] {
  const found = new Map<string, FilterLookup>();
  for (const { access } of filters) {
    if (access === null) continue;
    const key = `${access.kind} ${access.path.text}`;
    const before = found.get(key);
    if (before === undefined) found.set(key, access);
    else if (before.kind === 'range' && access.kind === 'range')
      found.set(key, { ...before, low: Math.max(before.low, access.low), high: Math.min(before.high, access.high) });
  }
  return [...found.values()];
}

// One filter of a trigger, compiled once (PRV-5): where it looks, what it checks there, and what an index can use of it.

export type Comparable = string | number | boolean;

/** Where to look, and which values may be there for the filter to hold. */
export type FilterLookup =
  | { kind: 'equal'; path: Path; values: readonly Comparable[] }
  | { kind: 'range'; path: Path; low: number; high: number };

export interface CompiledFilter {
  filter: Filter;
  path: Path;
  check: FilterCheck;
  /** Null: which values it lets through cannot be looked up. */
  access: FilterLookup | null;
}

/** `owner`: whose they are; the time of their searches is counted for each. */
export function compileFilters(
  filters: readonly Filter[],
  patterns: PatternCheck,
  at: string,
  owner: string,
): Compilation<CompiledFilter[]> {
  const problems: Problem[] = [];
  const compiled = filters.flatMap((filter, i) => {
    const parsed = parsePath(filter.path);
    if (!parsed.ok) problems.push({ field: `${at}.${i}.path`, message: parsed.message });
    const message = filter.operator === 'regex' ? patterns.problem(filter.value) : undefined;
    if (message !== undefined) problems.push({ field: `${at}.${i}.value`, message });
    if (!parsed.ok || message !== undefined) return [];
    const { path } = parsed;
    const check = checkOf(filter, path.field ?? path.read, owner);
    return [{ filter, path, check, access: accessOf(filter, path) }];
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: compiled };
}

/** A trigger stands in the index once for each value: with a longer list it is checked each time instead. */
export const mostValues = 100;

/** Bounds are taken as closed: one candidate too many costs a check, one too few would cost an event. */
function accessOf(filter: Filter, path: Path): FilterLookup | null {
  switch (filter.operator) {
    case 'eq':
      return { kind: 'equal', path, values: [filter.value] };
    case 'in': {
      const values = [...new Set(filter.value)];
      return values.length > mostValues ? null : { kind: 'equal', path, values };
    }
    case 'lt':
    case 'lte':
      return { kind: 'range', path, low: -Infinity, high: filter.value };
    case 'gt':
    case 'gte':
      return { kind: 'range', path, low: filter.value, high: Infinity };
    default:
      return null;
  }
}
