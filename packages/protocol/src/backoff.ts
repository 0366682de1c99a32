// How long a client, a hub or a store waits before it tries again: twice as long after every failure, up to a limit.

export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/** `attempt` counts from 0. */
export const backoffMs = ({ firstMs, maxMs }: Backoff, attempt: number): number => Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
