// The embedded store: one file, one writing thread, one reading thread.

import { stat } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import type { OnProgress } from '../../progress.ts';
import { splitDamaged, summer } from '../checksum.ts';
import {
  type AdmitDatabase,
  type Changes,
  type CommitResult,
  ConflictError,
  CorruptRowError,
  type Head,
  type LoadResult,
  NotEmptyError,
  placeFacts,
  type PlacedFact,
  type Scan,
  type SnapshotHead,
  type Store,
  type Transaction,
  type Want,
} from '../port.ts';
import { batchesOf, type RestoredRow, scanBy } from '../reads/pages.ts';
import { hasTables, headOf } from '../reads/schema.ts';
import { type AnyRow, type Rows, type TableName, tableNames } from '../tables.ts';
import { forSqlite, rowOf, sqliteParams, type Values, publishStatement } from '../statements.ts';
import { storedHead, type HeadRow, readHead } from '../table-sums.ts';
import { storableChanges } from '../storable.ts';
import { pack } from './packed-rows.ts';
import { RowCache } from './row-cache.ts';
import { SqliteSearch } from './search.ts';
import { makePrivate } from './private-file.ts';
import { Thread } from './thread.ts';
import type { WorkerReady, Request } from './worker.ts';
import { findsNothing, type Query, type QueryTail, tailOf } from '../where.ts';

export interface SqliteOptions {
  path: string;
  key: Uint8Array;
  clock: Clock;
  /** A new database gets this epoch; an existing one keeps its own. */
  epoch: string;
  sync?: boolean;
  /** Beside a running hub: sees what it commits, changes nothing, and takes the schema as it is. */
  readOnly?: boolean;
  /** A read that takes longer is stopped between two rows; one that gets to none is given up together with its thread. */
  readTimeoutMs?: number;
  /** Checks the database before the first write to its file. */
  admit?: AdmitDatabase;
  /** The progress of an upgrade. */
  onProgress?: OnProgress | undefined;
}

/** Against a mistake in a query. A request may have to go through much (all threads somebody may read), but not this much. */
const maxRows = 1_000_000;

export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly holdsAll = true;
  readonly search: SqliteSearch;
  private readonly writer: Thread;
  private reading: Thread;
  private readonly options: SqliteOptions;
  private readonly cache = new RowCache();
  private readonly listeners = new Set<(own?: PlacedFact[]) => void>();
  /** One transaction at a time: the end of this chain is the moment when the writer is free. */
  private turn: Promise<void> = Promise.resolve();
  private closed = false;

  private constructor(options: SqliteOptions, writer: Thread) {
    this.options = options;
    this.writer = writer;
    this.reading = this.openReader(maxRows);
    this.search = new SqliteSearch(this, (statements) =>
      this.exclusively(() => this.writer.call({ op: 'batch', statements, sync: false })),
    );
  }

  static async open(options: SqliteOptions): Promise<SqliteStore> {
    if (options.admit && !options.readOnly) await admitFile(options, options.admit);
    if (!options.readOnly) await makePrivate(options.path);
    const writer = new Thread({
      path: options.path,
      readOnly: options.readOnly ?? false,
      key: options.key,
      sync: options.sync ?? true,
      maxRows,
    });
    try {
      if (!options.readOnly) await writer.call({ op: 'migrate', epoch: options.epoch }, undefined, options.onProgress);
      return new SqliteStore(options, writer);
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  private openReader(limit: number): Thread {
    return new Thread({ path: this.options.path, readOnly: true, key: this.options.key, sync: true, maxRows: limit });
  }

  private read<T>(request: Request): Promise<T> {
    if (this.reading.isGone && !this.closed) this.reading = this.openReader(maxRows);
    return this.reading.call<T>(request, this.options.readTimeoutMs ?? 10_000);
  }

  private takeTurn(): Promise<() => void> {
    const before = this.turn;
    let done!: () => void;
    this.turn = new Promise<void>((resolve) => (done = resolve));
    return before.then(() => done);
  }

  private async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = await this.takeTurn();
    try {
      return await work();
    } finally {
      done();
    }
  }

  // One writer: the transaction itself is the lock on every key.
  async begin(_keys: string[], wants: Want[]): Promise<{ transaction: Transaction; loaded: LoadResult }> {
    const done = await this.takeTurn();
    try {
      const cachedRows = wants.map((want) => this.cache.get(want));
      const unknown = wants.filter((_, i) => !cachedRows[i]);
      if (wants.length > 0 && unknown.length === 0) {
        return { transaction: this.transaction(done, false), loaded: this.loaded(cachedRows.map((rows) => rows!)) };
      }
      const { found, version } = await this.writer.call<WorkerReady>({ op: 'begin', wants: unknown });
      if (!this.cache.stillTrue(version)) return { transaction: this.transaction(done), loaded: await this.load(wants) };
      const read = this.taken(unknown, found).values();
      return { transaction: this.transaction(done), loaded: this.loaded(cachedRows.map((rows) => rows ?? read.next().value!)) };
    } catch (error) {
      await this.writer.call({ op: 'rollback' }).catch(() => {});
      done();
      throw error;
    }
  }

  private async load(wants: Want[]): Promise<LoadResult> {
    return this.loaded(this.taken(wants, await this.writer.call<Values[][]>({ op: 'load', wants })));
  }

  private loaded(found: AnyRow[][]): LoadResult {
    return { found, now: this.options.clock.now() };
  }

  private taken(wants: Want[], answers: Values[][]): AnyRow[][] {
    return wants.map((want, i) => {
      const found = answers[i]!.map((values) => rowOf(want.table, values));
      this.cache.put(want, found);
      return found;
    });
  }

  /**
   * `begun: false`: all it needed was known, so that it has not gone to the writer yet. It begins with what it needs
   * next, which is as a rule its commit: then one message does for both. Was something known that is no longer true,
   * the writer says so under the lock, and the group starts over.
   */
  private transaction(done: () => void, begun = true): Transaction {
    let open = begun;
    let over = false;
    return {
      load: async (wants) => {
        if (open) return this.load(wants);
        open = true;
        const { found, version } = await this.writer.call<WorkerReady>({ op: 'begin', wants });
        if (!this.cache.stillTrue(version)) throw new ConflictError('rows that were known');
        return this.loaded(this.taken(wants, found));
      },
      commit: async (given: Changes) => {
        over = true;
        const changes = storableChanges(given);
        try {
          this.cache.forget(changes);
          const cacheVersion = open ? undefined : this.cache.version;
          const committed = await this.writer.call<CommitResult>({ op: 'commit', changes: pack(changes), known: cacheVersion });
          if (changes.facts.length > 0) for (const listener of this.listeners) listener(placeFacts(changes.facts, committed));
          return committed;
        } catch (error) {
          if (error instanceof ConflictError) this.cache.clear();
          throw error;
        } finally {
          done();
        }
      },
      rollback: async () => {
        // After the end of this transaction, the writer's transaction is somebody else's.
        if (over) return;
        over = true;
        try {
          // A decision on outdated rows is not to be believed either.
          await this.writer.call(open ? { op: 'rollback' } : { op: 'check', known: this.cache.version! });
        } catch (error) {
          if (error instanceof ConflictError) this.cache.clear();
          throw error;
        } finally {
          done();
        }
      },
    };
  }

  async rows<T extends TableName>(table: T, ...query: Query<T>): Promise<Rows[T][]> {
    if (findsNothing(query)) return [];
    const asked = tailOf(query);
    publishStatement('sqlite', `select * from ${table} ${asked.tail}`);
    const found = await this.read<Values[]>(rowsAsked(table, asked, true));
    return found.map((values) => rowOf(table, values)) as unknown as Rows[T][];
  }

  async intact<T extends TableName>(table: T, ...query: Query<T>): Promise<{ rows: Rows[T][]; damaged: CorruptRowError[] }> {
    try {
      return { rows: await this.rows(table, ...query), damaged: [] };
    } catch (error) {
      if (!(error instanceof CorruptRowError)) throw error;
      const found = await this.read<Values[]>(rowsAsked(table, tailOf(query), false));
      return splitDamaged(
        summer(this.options.key),
        table,
        found.map((values) => rowOf(table, values)),
      );
    }
  }

  async all<R = AnyRow>(sql: string, params: unknown[] = []): Promise<R[]> {
    publishStatement('sqlite', sql);
    return this.read<R[]>({ op: 'all', sql: forSqlite(sql), params: sqliteParams(params) });
  }

  /** A data folder has only one hub, so it always leads. */
  lead(): Promise<boolean> {
    return Promise.resolve(true);
  }

  head(): Promise<Head> {
    return headOf(this);
  }

  async newEpoch(epoch: string): Promise<void> {
    await this.exclusively(() => this.writer.call({ op: 'epoch', epoch }));
  }

  onCommit(listener: (own?: PlacedFact[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async snapshot<R>(work: (scan: Scan, head: () => Promise<SnapshotHead>) => Promise<R>): Promise<R> {
    const thread = this.openReader(Number.MAX_SAFE_INTEGER);
    try {
      await thread.call({ op: 'all', sql: 'begin', params: [] });
      const scan = scanBy(async (table, tail, params) => {
        const found = await thread.call<Values[]>({ op: 'rows', table, verify: false, tail, params });
        return found.map((values) => rowOf(table, values));
      });
      return await work(scan, async () => storedHead((await thread.call<[HeadRow]>({ op: 'all', sql: readHead, params: [] }))[0]));
    } finally {
      await thread.close();
    }
  }

  async restore(rows: AsyncIterable<RestoredRow>): Promise<void> {
    const [filled] = await this.all<{ yes: number }>(
      `select ${tableNames.map((name) => `exists (select 1 from ${name})`).join(' or ')} as yes`,
    );
    if (filled!.yes) throw new NotEmptyError();
    for await (const batch of batchesOf(rows)) await this.writer.call({ op: 'restore', ...batch });
    // The cache may know that a row was absent, which is no longer true.
    this.cache.clear();
  }

  async scrub(): Promise<void> {
    const [outcome] = await this.exclusively(() =>
      this.writer.call<{ busy: number }[]>({ op: 'all', sql: 'pragma wal_checkpoint(truncate)', params: [] }),
    );
    if (outcome?.busy !== 0) throw new Error('Someone is still reading from the log');
  }

  async integrity(): Promise<string[]> {
    const rows = await this.reading.call<{ integrity_check: string }[]>({ op: 'all', sql: 'pragma integrity_check', params: [] });
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  }

  async close(): Promise<void> {
    await this.exclusively(async () => {
      this.closed = true;
      await this.reading.close();
      await this.writer.close();
    });
  }
}

async function admitFile(options: SqliteOptions, admit: AdmitDatabase): Promise<void> {
  const { size } = await stat(options.path).catch(() => ({ size: 0 }));
  if (size === 0) return admit(undefined);
  const found = await SqliteStore.open({ ...options, readOnly: true });
  try {
    await admit((await hasTables(found, 'sqlite')) ? found : undefined);
  } finally {
    await found.close();
  }
}

const rowsAsked = (table: TableName, { tail, params }: QueryTail, verify: boolean): Request => ({
  op: 'rows',
  table,
  tail: forSqlite(tail),
  params: sqliteParams(params),
  verify,
});
