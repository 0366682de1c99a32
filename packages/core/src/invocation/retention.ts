// Which events are the same one (PRV-8), and how long events, and what they started, are kept. Sameness is decided on the pair:
// joined without a mark between, ("ab", "c") and ("a", "bc") are the same text. The published key is only its name.

/** Hex; handed in, because what decides does not compute with the machine's means. */
export type Sha256 = (text: string) => string;

/** The unique pair that is looked up. */
export interface IdempotencyPair {
  eventId: string;
  triggerId: string;
}

/**
 * The identity of an event: a seed event's ID, or a CloudEvent's source and ID. Neither holds a line break, so that no two
 * events have the same text.
 */
export const eventIdentity = ({ id, source }: { id: string; source: string }, via: string): string =>
  via === 'cloudevents' ? `ce\n${source}\n${id}` : id;

export const keyName = ({ eventId, triggerId }: IdempotencyPair, sha256: Sha256): string => sha256(eventId + triggerId);

/** As one text, for a lock or a map: no two pairs have the same. */
export const pairText = ({ eventId, triggerId }: IdempotencyPair): string => JSON.stringify([eventId, triggerId]);

const day = 24 * 3_600_000;
/**
 * A day is the least. A week, because monitors repeat an alarm for as long as it lasts, and because a clock that is set
 * forward by a day must not bring yesterday's events back.
 */
export const idempotencyRetentionMs = 7 * day;

// How long events, and what they started, are kept. A chain goes whole or not at all: part of one would tell of causes that
// are not there.

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
