// `^ALL` (PAP-3): who may call many agents at once, when a second confirmation is needed, and what the call will probably cost.

import { asMoney } from '../budget/model-cost.ts';

/**
 * Whether this author may call so many agents at once. An agent obliges whom it calls, so it must name one responder (C2A-33). A person
 * may call all; above the limit only with a second confirmation that names their number (PAP-3).
 */
export function mayCallAll(
  author: 'human' | 'agent',
  agents = 0,
  confirmed?: number,
  limit = Number.MAX_SAFE_INTEGER,
): { ok: true } | { ok: false; reason: 'one_responder' | 'confirm_all' } {
  if (author === 'agent') return { ok: false, reason: 'one_responder' };
  return agents > limit && confirmed !== agents ? { ok: false, reason: 'confirm_all' } : { ok: true };
}

/** The turns of one agent in the last days, and their total cost. */
export interface PastTurns {
  turns: number;
  micros: number;
}

export interface CallAllEstimate {
  agents: number;
  /** The number of agents with past turns. */
  known: number;
  /** The cost in millionths; null if no agent has past turns. */
  micros: number | null;
}

export const pastDays = 7;

/** Estimates one turn of each agent at its own average; an agent without past turns counts as the average of the others. */
export function estimateAll(past: readonly PastTurns[]): CallAllEstimate {
  const experienced = past.filter(({ turns }) => turns > 0);
  if (experienced.length === 0) return { agents: past.length, known: 0, micros: null };
  const sum = experienced.reduce((total, { turns, micros }) => total + micros / turns, 0);
  return { agents: past.length, known: experienced.length, micros: Math.round((sum / experienced.length) * past.length) };
}

export function allCostText({ agents, known, micros }: CallAllEstimate): string {
  if (micros === null) return 'There are no past turns to estimate the cost from.';
  const from = known === agents ? 'their past turns' : `past turns of ${known} of them`;
  return `Estimated cost: ${asMoney(micros)}, from ${from}.`;
}
