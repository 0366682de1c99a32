// How long events, and what they started, are kept. A chain goes whole or not at all: part of one would tell of causes that
// are not there.

import { idempotencyRetentionMs } from './event-identity.ts';

/** All of one chain that is on record. */
export interface ChainOnRecord {
  acceptedAt: readonly number[];
  invocations: readonly { open: boolean; endedAt: number | null }[];
  /** Null: something in it is not over. Undefined: nothing in it was ever begun. */
  endedAt: number | null | undefined;
  /** Until when each of them takes a place in a window. */
  places: readonly number[];
}

/** `keep`: in milliseconds; 0 is for ever. Never shorter than the ids of events are known. */
export const keptSince = (keep: number, now: number): number => (keep === 0 ? 0 : now - Math.max(keep, idempotencyRetentionMs));

export function mayGo({ acceptedAt, invocations, endedAt, places }: ChainOnRecord, keep: number, now: number): boolean {
  const since = keptSince(keep, now);
  const isOld = (at: number | null): boolean => at !== null && at < since;
  return (
    acceptedAt.every(isOld) &&
    invocations.every((one) => !one.open && isOld(one.endedAt)) &&
    (endedAt === undefined || isOld(endedAt)) &&
    places.every((until) => until <= now)
  );
}
