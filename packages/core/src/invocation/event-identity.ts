// The same event starts the same trigger once (PRV-8). Which two that are is decided on the pair: joined without a mark
// between, ("ab", "c") and ("a", "bc") are the same text. The published key is only its name.

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
