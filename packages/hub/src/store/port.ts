// What the engine needs of a database, and no more. Two engines implement it (`sqlite/`, `postgres/`), and one
// contract suite in testkit holds both to it.

import type { LookupValuesOf } from './table.ts';
import type { StoredSums } from './table-sums.ts';
import type { AnyRow, FactRow, Rows, TableName, tables } from './tables.ts';
import type { Viewer } from './reads/conversations.ts';
import type { RestoredRow } from './reads/pages.ts';
import type { Query } from './where.ts';

type Tables = typeof tables;
/** The named lookups of a table. */
export type LookupOf<T extends TableName> = keyof Tables[T]['lookups'] & string;
/** One value for each column that a lookup compares. */
export type LookupValues<T extends TableName, L extends LookupOf<T>> = LookupValuesOf<Tables[T]['lookups'][L]>;

/** Rows to bring into the working set: by key (`lookup` left out) or by a named lookup of the table. */
export type Want =
  | { table: TableName; lookup?: undefined; values: (string | number)[] }
  | { [T in TableName]: { table: T; lookup: LookupOf<T>; values: (string | number)[] } }[TableName];

export const wantBy = <T extends TableName, L extends LookupOf<T>>(table: T, lookup: L, ...values: LookupValues<T, L>): Want =>
  ({ table, lookup, values }) as unknown as Want;
export const wantRow = (table: TableName, ...key: (string | number)[]): Want => ({ table, values: key });

/** A row as it was read, with its checksum: an update or delete names it, so that nothing newer is overwritten. */
export type StoredRow<T extends TableName = TableName> = Rows[T] & { sum: string };

/** `seq` is given by the store at commit. A negative number in a row's `seq` column means "that of fact -n-1". */
export type NewFact = Omit<FactRow, 'seq' | 'epoch' | 'prev'>;
/** A fact with its place in the stream, as its followers get it. */
export type PlacedFact = Omit<FactRow, 'prev'>;
export const seqOfFact = (index: number): number => -index - 1;

export const placeColumns = ['seq', 'joined_seq', 'digest_seq'] as const;
/** Replaces "that of fact n" by the number it got. */
export const settledPlace = (value: AnyRow[string], firstSeq: number): AnyRow[string] =>
  typeof value === 'number' && value < 0 ? firstSeq - value - 1 : value;

export function settleSeq(row: AnyRow, firstSeq: number): AnyRow {
  let next = row;
  for (const column of placeColumns) {
    const value = row[column];
    if (typeof value !== 'number' || value >= 0) continue;
    if (next === row) next = { ...row };
    next[column] = settledPlace(value, firstSeq);
  }
  return next;
}

export interface Changes {
  inserts: { table: TableName; row: AnyRow }[];
  /** `changed`: the columns that differ from what was read; left out, any may. */
  updates: { table: TableName; row: AnyRow; was: string; changed?: readonly string[] }[];
  deletes: { table: TableName; key: (string | number)[]; was: string }[];
  facts: NewFact[];
}

export interface CommitResult {
  epoch: string;
  /** Sequence number of the last fact there is, which is the group's own when it had any. */
  lastSeq: number;
  /** Rows written, facts included. Tests count them (they must not grow with the audience). */
  rowWrites: number;
}

export interface LoadResult {
  /** One entry per want, in order. */
  found: AnyRow[][];
  /** Wall time for this group: the database's own clock where several machines share one. */
  now: number;
}

/** One open transaction. Exactly one of `commit` and `rollback` ends it. */
export interface Transaction {
  load(wants: Want[]): Promise<LoadResult>;
  commit(changes: Changes): Promise<CommitResult>;
  rollback(): Promise<void>;
}

export interface Statements {
  /** Counts, maxima, joins of ids. Never used to show a stored text, which must be verified. */
  all<R = AnyRow>(sql: string, params?: unknown[]): Promise<R[]>;
}

export interface Reader extends Statements {
  /** Whole rows, each verified against its checksum: `rows('tasks', { agent_id: id, open: 1 }, { order: 'seq', limit: 50 })`. */
  rows<T extends TableName>(table: T, ...query: Query<T>): Promise<Rows[T][]>;
}

export interface SearchHit {
  messageId: string;
  conversationId: string;
  seq: number;
}
export interface SearchAsk {
  text: string;
  /** These conversations, or all that somebody reads, with as much of their history. */
  where: { conversationIds: string[] } | Viewer;
  authorId?: string | undefined;
  before?: number | undefined;
  limit: number;
}

export interface SearchIndex {
  /** The facts up to here are indexed. */
  position(): Promise<number>;
  /**
   * Makes the index true up to `upTo`: `puts` replace what was indexed at the same seq, `removes` are erased. Does
   * nothing when the position is no longer `from`: another hub was faster, and a late put could undo its erasure.
   */
  write(from: number, upTo: number, puts: { seq: number; body: string }[], removes: number[]): Promise<void>;
  find(ask: SearchAsk): Promise<SearchHit[]>;
}

export interface Head {
  epoch: string;
  seq: number;
}

/** Looks at a database before it is written to, and throws where it may not be. Undefined: it has no tables yet. */
export type AdmitDatabase = (database: Statements | undefined) => Promise<void>;

export interface Store extends Reader {
  /** Like `rows`, for shared queues and streams: a damaged row is left out and reported, so that it holds up no other. */
  intact<T extends TableName>(table: T, ...query: Query<T>): Promise<{ rows: Rows[T][]; damaged: CorruptRowError[] }>;
  readonly engine: 'sqlite' | 'postgres';
  readonly search: SearchIndex;
  /** A transaction shuts out every other: it holds every key, whichever it named. */
  readonly holdsAll?: true;
  /**
   * Locks `keys` (sorted by the caller) against every other group anywhere, then loads. `alone`: no other group runs
   * meanwhile; for one that lost to others again and again.
   */
  begin(keys: string[], wants: Want[], alone?: boolean): Promise<{ transaction: Transaction; loaded: LoadResult }>;
  /**
   * Whether this is the one hub on the database that runs what runs inside hubs. Asked for again and again: when the one
   * that was it goes away, another becomes it.
   */
  lead(): Promise<boolean>;
  head(): Promise<Head>;
  /** Starts a new epoch: after a restore, cursors of the old line must not resume on the new. */
  newEpoch(epoch: string): Promise<void>;
  /** Calls back when facts may have been committed; with the facts themselves when it was this store that did. */
  onCommit(listener: (own?: PlacedFact[]) => void): () => void;
  /** Every row of a table in key order, unverified and with checksum, for backup and `verify`; one consistent snapshot per call to `snapshot`. */
  snapshot<R>(work: (scan: Scan, head: () => Promise<SnapshotHead>) => Promise<R>): Promise<R>;
  /**
   * Writes rows as they are, into an empty database (else `NotEmptyError`). On PostgreSQL all of them or none; a SQLite
   * restore goes into a file that is not in use yet.
   */
  restore(rows: AsyncIterable<RestoredRow>): Promise<void>;
  /** Takes what was erased out of the log files too, where the engine's logs are ours to empty. */
  scrub(): Promise<void>;
  /** The database's own check of its files, where it has one. */
  integrity(): Promise<string[]>;
  close(): Promise<void>;
}
/** Numbers that the store gives about all of its rows; they are not verified. */
export interface SnapshotHead {
  epoch: string;
  sums: StoredSums | undefined;
}
export type Scan = (table: TableName) => AsyncIterable<AnyRow[]>;

export function placeFacts(facts: readonly NewFact[], { epoch, lastSeq }: CommitResult): PlacedFact[] {
  return facts.map((fact, i) => ({ ...fact, epoch, seq: lastSeq - facts.length + 1 + i }));
}

/** Someone else changed what this group read: run it again. */
export class ConflictError extends Error {
  constructor(what: string) {
    super(`Concurrent change: ${what}`);
    this.name = 'ConflictError';
  }
}
/** A row does not match its checksum. */
export class CorruptRowError extends Error {
  constructor(table: string, key: string) {
    super(`Row ${key} of ${table} does not match its checksum. Run \`npx parley verify\` to see all that do not`);
    this.name = 'CorruptRowError';
  }
}
/** The rows were summed with another key: read with this one, every one of them would seem damaged. */
export class OtherKeyError extends Error {
  constructor() {
    super(
      'The database was begun with another checksum key. Hubs that share a database need the same one: copy checksum.key from the first hub’s data folder into this one’s, and start again.',
    );
    this.name = 'OtherKeyError';
  }
}
/** Secrets in the database are sealed with another key: this hub could open none, and no other hub one that is set here. */
export class OtherSecretsKeyError extends Error {
  constructor() {
    super(
      'The secrets in the database are sealed with another secrets.key. Hubs that share a database need the same one: copy secrets.key from the first hub’s data folder into this one’s, and start again. If that key is lost, start once with `parley up --new-secrets-key`, then set the secrets again.',
    );
    this.name = 'OtherSecretsKeyError';
  }
}
/** The database is not what this data folder saw last: it ends earlier, or it is gone. */
export class LostFactsError extends Error {
  override name = 'LostFactsError';
}
export class NotEmptyError extends Error {
  constructor() {
    super('The database is not empty');
    this.name = 'NotEmptyError';
  }
}
/** The database does not answer: the connection is gone, or was never made. */
export class StoreAwayError extends Error {
  constructor(cause: unknown) {
    super('The database does not answer', { cause });
    this.name = 'StoreAwayError';
  }
}
/** The database went away while it was committing. It may have been done, so it must not be done again unasked. */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super('The database went away during a commit', { cause });
    this.name = 'OutcomeUnknownError';
  }
}
export class StorageFullError extends Error {
  constructor(cause: unknown, file?: string) {
    super(file === undefined ? 'The disk is full' : `The disk is full: ${file} cannot be written. Free some space, then try again`, {
      cause,
    });
    this.name = 'StorageFullError';
  }
}
