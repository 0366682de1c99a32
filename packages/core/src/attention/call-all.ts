import { asMoney } from '../budget/model-cost.ts';

// The right to call many agents at once with `^ALL`, and when a second confirmation is needed.

/**
 * May this author call so many at once? An agent's word obliges, so it names one responder (C2A-33). A person may call
 * all; over the limit only with a second confirmation that names their number (PAP-3).
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

// The cost of ^ALL (PAP-3) is estimated from the past turns of the agents it wakes, and said to be unknown where there are none.

/** The turns of one agent in the last days, and what they cost together. */
export interface PastTurns {
  turns: number;
  micros: number;
}

export interface CallAllEstimate {
  agents: number;
  /** So many of them have past turns. */
  known: number;
  /** In millionths; null: none of them has past turns. */
  micros: number | null;
}

export const pastDays = 7;

/** A turn of each at its own average; those without a past count as the average of the others. */
export function estimateAll(past: readonly PastTurns[]): CallAllEstimate {
  const known = past.filter(({ turns }) => turns > 0);
  if (known.length === 0) return { agents: past.length, known: 0, micros: null };
  const sum = known.reduce((total, { turns, micros }) => total + micros / turns, 0);
  return { agents: past.length, known: known.length, micros: Math.round((sum / known.length) * past.length) };
}

export function allCostText({ agents, known, micros }: CallAllEstimate): string {
  if (micros === null) return 'There are no past turns to estimate the cost from.';
  const from = known === agents ? 'their past turns' : `past turns of ${known} of them`;
  return `Estimated cost: ${asMoney(micros)}, from ${from}.`;
}
