// The causal envelope (SYS-2): who began it, how deep it goes, who is in it, and how long it may take. Whatever an
// agent starts inside a task belongs to the same chain; no path makes it again.

export interface ChainLimits {
  /** An agent at this depth may start nothing; the first one woken is at 0. */
  maxDepth: number;
  maxTasks: number;
  /** Time in which some agent is to act, shared by all tasks of the chain. */
  runMs: number;
  /** From the root's beginning, come what may. */
  outerMs: number;
  /** For a person, a peer or an agent that is not there. */
  waitMs: number;
}

const minute = 60_000;
const hour = 60 * minute;
export const chainLimits: ChainLimits = { maxDepth: 3, maxTasks: 50, runMs: 30 * minute, outerMs: 24 * hour, waitMs: 24 * hour };

export interface Link {
  /** Of the task that would start another. */
  depth: number;
  /** Agents from the chain's root down to it, itself the last. Finished siblings are not among them. */
  path: readonly string[];
}

export type StartRefusal = 'too_deep' | 'circular' | 'chain_full';

/** May an agent at `link` give work to `agentId`? */
export function mayDelegate(
  link: Link,
  agentId: string,
  tasksInChain: number,
  limits: ChainLimits = chainLimits,
): { ok: true; depth: number } | { ok: false; reason: StartRefusal } {
  // In a circle, saying who is in it helps more than saying how long it has grown.
  if (link.path.includes(agentId)) return { ok: false, reason: 'circular' };
  if (link.depth >= limits.maxDepth) return { ok: false, reason: 'too_deep' };
  if (tasksInChain >= limits.maxTasks) return { ok: false, reason: 'chain_full' };
  return { ok: true, depth: link.depth + 1 };
}

/**
 * The chain's clock, in running time (time in which the hub was up). `runsUntil` while some agent is to act, `leftMs`
 * while everything waits.
 */
export type ChainClock = { runsUntil: number } | { leftMs: number };

export const leftOf = (clock: ChainClock, now: number): number => ('leftMs' in clock ? clock.leftMs : Math.max(0, clock.runsUntil - now));

export function setRunning(clock: ChainClock, running: boolean, now: number): ChainClock {
  if (running) return 'runsUntil' in clock ? clock : { runsUntil: now + clock.leftMs };
  return 'leftMs' in clock ? clock : { leftMs: leftOf(clock, now) };
}

/** The root requester spoke in it: the time begins again. Nobody else's words do that. */
export const renewClock = (clock: ChainClock, now: number, limits: ChainLimits = chainLimits): ChainClock =>
  'leftMs' in clock ? { leftMs: limits.runMs } : { runsUntil: now + limits.runMs };
