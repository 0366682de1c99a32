// What a peer keeps, as sealed records. A store sees kinds, hashed keys, order and sizes; never a name or a value.

/** Each kind is a list of records with unique keys, in the order in which they were first put. */
export const recordKinds = [
  'identity',
  'peer',
  'package',
  'session',
  'negotiation',
  'latest',
  'open_numbers',
  'packet',
  'outbox',
  'seen',
  'setting',
  'machine',
  'prompt',
  'profile',
  'journal',
  'memory',
  'calendar',
  'space',
] as const;
export type RecordKind = (typeof recordKinds)[number];

export interface StoredRecord {
  key: string;
  /** Grows with every put: the loser of two writers learns it. */
  version: number;
  /** Its place in the list. */
  sequence: number;
  value: unknown;
}

export type RecordChange =
  /** `ifVersion`: only over this version; 0: only where there is none. */
  { put: RecordKind; key: string; value: unknown; ifVersion?: number } | { remove: RecordKind; key: string };

/** Somebody else has written the record meanwhile. Nothing of the commit was stored. */
export class VersionConflict extends Error {}

export interface PeerStore {
  get(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  /** In order, after a sequence number. */
  list(kind: RecordKind, after?: number, most?: number): Promise<StoredRecord[]>;
  /** All changes or none, on disk when it resolves. Throws a `VersionConflict`. */
  commit(changes: readonly RecordChange[]): Promise<void>;
  close(): Promise<void>;
}
