// All triggers in force, indexed for events: by type, and within the type by filters. An index is built when the first
// event of its type comes, and kept from one set to the next while the triggers of the type are the same: a change costs in
// proportion to its size.

import type { PapEvent } from '@parley/protocol';
import { type IndexBranch, branchOf, find, type OrderedTrigger } from './trigger-index.ts';
import type { Patterns } from './regex.ts';
import type { CompiledTrigger } from './trigger.ts';

export interface TriggerSet {
  /** One trigger, on or off. */
  get: (id: string) => CompiledTrigger | undefined;
  /**
   * Those that are on, have this type, and all of whose filters hold; in the order in which the set was given. Adds to
   * `tooSlow` those that only a search that took too long keeps from it. `accepts`: whether a trigger takes events of this
   * sender. No search of another is asked, because it takes its owner's time; it is among those that match, to be rejected.
   */
  matching: (
    event: PapEvent,
    patterns: Patterns,
    tooSlow?: CompiledTrigger[],
    accepts?: (compiled: CompiledTrigger) => boolean,
  ) => CompiledTrigger[];
  /** Whether any that is on waits for the type at all. */
  knows: (type: string) => boolean;
  /** The parts that were compiled so far, for the set after this one. */
  readonly index: ReadonlyMap<string, Indexed>;
}

interface Indexed {
  triggers: readonly CompiledTrigger[];
  branch: IndexBranch;
}

/** `before`: the set before this one, whose triggers are nearly the same. */
export function triggerSet(triggers: readonly CompiledTrigger[], before?: TriggerSet): TriggerSet {
  const byId = new Map(triggers.map((one) => [one.trigger.id, one]));
  // Switched off, it is not asked at all (PRV-4).
  const byType = Map.groupBy(
    triggers.filter(({ trigger }) => trigger.enabled),
    ({ trigger }) => trigger.match.type,
  );
  const kept = [...(before?.index ?? [])].filter(([type, indexed]) => isSame(indexed.triggers, byType.get(type)));
  const index = new Map<string, Indexed>(kept);
  const branchFor = (type: string): IndexBranch | undefined => {
    const known = index.get(type);
    if (known !== undefined) return known.branch;
    const here = byType.get(type);
    if (here === undefined) return undefined;
    const branch = branchOf(here.map((one, order): OrderedTrigger => ({ ...one, order, open: one.filters, copies: 1 })));
    index.set(type, { triggers: here, branch });
    return branch;
  };
  return {
    index,
    get: (id) => byId.get(id),
    knows: (type) => byType.has(type),
    matching: (event, patterns, tooSlow, accepts) => {
      const branch = branchFor(event.type);
      if (branch === undefined) return [];
      const found: OrderedTrigger[] = [];
      const slow: OrderedTrigger[] | undefined = tooSlow && [];
      find(branch, event, patterns, { found, tooSlow: slow, asks: accepts });
      if (slow !== undefined && slow.length > 0) tooSlow!.push(...slow.sort(inPlace));
      // Triggers from several places come in any order; those from one list are in the order of the set.
      return found.length < 2 || branch.tables.length + branch.beside.length === 0 ? found : found.sort(inPlace);
    },
  };
}

const inPlace = (a: OrderedTrigger, b: OrderedTrigger): number => a.order - b.order;

/** Compiled again, it is another. */
const isSame = (a: readonly CompiledTrigger[], b: readonly CompiledTrigger[] = []): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i]);
