// What ^ALL would cost (PAP-3): estimated from the past turns of the agents it wakes, and said to be unknown where there are none.

import { asMoney } from '../units/money.ts';

/** What one agent's turns of the last days have cost together. */
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
