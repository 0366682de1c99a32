// How long a client, a hub or a store waits before it tries again: twice as long after every failure, up to a limit.

export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/** `attempt` counts from 0. */
export const backoffMs = ({ firstMs, maxMs }: Backoff, attempt: number): number => Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));

/** Half of the delay is fixed, half is chance: clients of a restarted server come back spread out, yet none hammers it. */
export function backoffDelay(attempt: number, random: () => number, backoff: Backoff): number {
  const ceiling = backoffMs(backoff, attempt);
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
