// How far an agent's event may reach (PRV-9). Two counts run along a chain, and the stricter one applies: invocations that
// came before (the event of the third is rejected), and hops between agents (one at depth 3 starts nothing). And how much it may
// start in all: an invocation is a piece of work as a task is, and a chain has so many of them (SYS-10).

import { chainLimits } from '../../task/chain.ts';

export const mostInvocations = 3;

/** The invocation that emitted the event, as it is on record: never as the event tells it. */
export interface Emitter {
  /** 1 for the first of its chain. */
  level: number;
  /** The depth of the agent in the chain; 0 for the first one woken. */
  depth: number;
}

/**
 * The running invocation in which an agent speaks. The agent may name its chain, by naming one of its invocations, but not
 * how deep it is: only the agent knows in which of several it thinks, so the deepest one counts. Undefined: the agent has
 * none.
 */
export function speaksIn<I extends Emitter & { id: string; chain_id: string }>(running: readonly I[], named: unknown): I | undefined {
  const chain = running.find(({ id }) => id === named)?.chain_id;
  const first = (one: I): number => (one.id === named ? 0 : 1);
  return running
    .filter(({ chain_id }) => chain === undefined || chain_id === chain)
    .toSorted((a, b) => b.level - a.level || b.depth - a.depth || first(a) - first(b) || (a.id < b.id ? 1 : -1))[0];
}

export type Cascade =
  /** A monitor, a schedule, a person: nothing came before. */
  | { from: 'root' }
  | { from: 'invocation'; emitter: Emitter }
  /** The event names an invocation that is not on record. */
  | { from: 'unknown' };

export type CascadeVerdict =
  | { ok: true; level: number; depth: number }
  | { ok: false; reason: 'too_deep' | 'chain_full' | 'unknown_invocation' };

/** Whether it counts among those of its chain that others of it have started: what the world starts is as much as there are triggers. */
export const isStarted = ({ level }: Pick<Emitter, 'level'>): boolean => level > 1;

/** Where the invocation would stand that this event starts. `started`: how many of its owner's others have started in the chain. */
export function cascade(from: Cascade, started: number): CascadeVerdict {
  if (from.from === 'root') return { ok: true, level: 1, depth: 0 };
  // An unknown invocation that counted as a root would begin the count again, so no path does that.
  if (from.from === 'unknown') return { ok: false, reason: 'unknown_invocation' };
  const { level, depth } = from.emitter;
  if (level >= mostInvocations || depth >= chainLimits.maxDepth) return { ok: false, reason: 'too_deep' };
  if (started >= chainLimits.maxTasks) return { ok: false, reason: 'chain_full' };
  return { ok: true, level: level + 1, depth: depth + 1 };
}
