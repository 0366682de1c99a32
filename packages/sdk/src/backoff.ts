import { type Backoff, backoffMs } from '@parley/protocol';

/** Half of the delay is fixed, half is chance: clients of a restarted hub come back spread out, yet none hammers it. */
export function backoffDelay(attempt: number, random: () => number, backoff: Backoff): number {
  const ceiling = backoffMs(backoff, attempt);
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/** `retry-after` in whole seconds; the date form is not used by the hub. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null || !/^\d{1,6}$/.test(header.trim())) return undefined;
  return Number(header) * 1000;
}
