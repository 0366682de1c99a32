// "Nothing for four hours": an event when none of a kind came in time. For each key it is emitted once per silence, and the
// next event of the kind ends it. The hub remembers when the last one came, nothing else.

import { type Absence, isReserved, type PapEvent, papVersion, type Problem, senderIn } from '@parley/protocol';
import { isSearch, listOf, run, searchesLast } from '../triggers/filter-operators.ts';
import { onlyAMember, onlyTheSystem, accepts } from './event.ts';
import { compileFilters, type Compilation } from '../triggers/trigger.ts';
import type { Sha256 } from '../../invocation/retention.ts';
import { msOf } from '../../units/time.ts';
import { keyAt } from './throttle.ts';
import { parsePath } from '../triggers/event-path.ts';
import type { PatternCheck, Patterns } from '../triggers/regex.ts';

export interface CompiledAbsence {
  absence: Absence;
  /**
   * Whether this is what it waits for, from this member (undefined: from no member). `lacks_key`: it would be, had it what
   * the monitor tells them apart by. `too_slow`: only a search that took too long keeps it from being.
   */
  hears: (event: PapEvent, sender: string | undefined, patterns: Patterns) => 'heard' | 'lacks_key' | 'too_slow' | null;
  /** Whether a text has to be searched. */
  searches: boolean;
  /** For which key an event that it hears counts; where it has none, all count together. */
  keyOf: (event: PapEvent) => string;
}

/** The key of all that have none. */
export const sharedKey = '';

/** `owner`: in whose name it speaks, where it is somebody's already. */
export function compileAbsence(absence: Absence, patterns: PatternCheck, at = 'absence', owner = ''): Compilation<CompiledAbsence> {
  const compiled = compileFilters(absence.match.filter, patterns, `${at}.match.filter`, owner);
  const problems: Problem[] = compiled.ok ? [] : compiled.problems;
  const key = absence.key === undefined ? undefined : parsePath(absence.key);
  if (key?.ok === false) problems.push({ field: `${at}.key`, message: key.message });
  // The monitor would count its own event, and be silent for good or never.
  if (absence.emit.type === absence.match.type) problems.push({ field: `${at}.emit.type`, message: 'must not be what it waits for' });
  if (senderIn(absence.emit.source ?? '') !== undefined) problems.push({ field: `${at}.emit.source`, message: onlyAMember });
  if (isReserved(absence.emit.type)) problems.push({ field: `${at}.emit.type`, message: onlyTheSystem });
  if (!compiled.ok || problems.length > 0) return { ok: false, problems };
  const checks = listOf([true], () => searchesLast(compiled.value.map(({ check }) => check)));
  const keyIn = (event: PapEvent): string | undefined => keyAt(key?.ok ? key.path : null, event);
  return {
    ok: true,
    value: {
      absence,
      hears: (event, sender, answers) => {
        if (event.type !== absence.match.type || !accepts(absence, owner, sender)) return null;
        const found: boolean[] = [];
        const tooSlow: boolean[] = [];
        run(checks, event, answers, { found, tooSlow });
        if (tooSlow.length > 0) return 'too_slow';
        if (found.length === 0) return null;
        // Counted for all together, it would begin a silence that nothing of the kind ends.
        return key !== undefined && keyIn(event) === undefined ? 'lacks_key' : 'heard';
      },
      searches: compiled.value.some(({ check }) => isSearch(check)),
      keyOf: (event) => keyIn(event) ?? sharedKey,
    },
  };
}

/** When silence becomes an event, if nothing comes: from the last one heard, or from when it was switched on. */
export const silentAt = ({ within_seconds }: Absence, heardAt: number): number => heardAt + msOf(within_seconds);

/** Named after the last one heard: however often a hub wakes up to it, it is one silence. */
export function absenceEvent(absence: Absence, key: string, heardAt: number, sha256: Sha256): PapEvent {
  const { id, emit } = absence;
  const since = new Date(heardAt).toISOString();
  const missing = key === sharedKey ? {} : { key: JSON.parse(key) as unknown };
  return {
    pap_version: papVersion,
    // A key can be as long as what a monitor says, and of any signs; an id cannot.
    id: `absence:${id}:${since}${key === sharedKey ? '' : `:${/^\P{Cc}{1,64}$/u.test(key) ? key : sha256(key)}`}`,
    type: emit.type,
    source: emit.source ?? `absence.${id}`,
    time: new Date(silentAt(absence, heardAt)).toISOString(),
    data: { ...emit.data, ...missing, absence: id, missing: absence.match.type, since, within_seconds: absence.within_seconds },
  };
}
