// A trigger made ready to be asked (PRV-4, PRV-5): its filters compiled, what an index can use of them drawn together.

import type { Problem, Trigger } from '@parley/protocol';
import { type FilterLookup, type CompiledFilter, compileFilters } from './filter.ts';
import { type Path, parsePath } from './event-path.ts';
import type { PatternCheck } from './regex.ts';

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
  const { filters } = compiled;
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
