// All triggers in force, ready to be asked by an event: by its type, and within the type by what the filters look up.

import type { PapEvent } from '@parley/protocol';
import { type Branch, branchOf, find, type Placed } from './discriminate.ts';
import type { CompiledTrigger } from './trigger.ts';

export interface TriggerSet {
  /** Of one trigger, on or off. */
  get: (id: string) => CompiledTrigger | undefined;
  /** Those that are on, have this type, and all of whose filters hold; in the order in which the set was given. */
  matching: (event: PapEvent) => CompiledTrigger[];
  /** Whether any that is on waits for the type at all. */
  knows: (type: string) => boolean;
}

export function triggerSet(triggers: readonly CompiledTrigger[]): TriggerSet {
  const byId = new Map(triggers.map((one) => [one.trigger.id, one]));
  const byType = new Map<string, Placed[]>();
  triggers.forEach((one, order) => {
    // Switched off, it is not asked at all (PRV-4).
    if (!one.trigger.enabled) return;
    const { type } = one.trigger.match;
    const placed = byType.get(type);
    const here = { ...one, order, open: one.filters, copies: 1 };
    if (placed) placed.push(here);
    else byType.set(type, [here]);
  });
  const branches = new Map<string, Branch>([...byType].map(([type, placed]) => [type, branchOf(placed)]));
  return {
    get: (id) => byId.get(id),
    knows: (type) => branches.has(type),
    matching: (event) => {
      const branch = branches.get(event.type);
      if (branch === undefined) return [];
      const found: Placed[] = [];
      find(branch, event, found);
      // Looked up in several places they come in any order; in one list they are in theirs.
      return found.length < 2 || branch.tables.length + branch.beside.length === 0 ? found : found.sort((a, b) => a.order - b.order);
    },
  };
}
