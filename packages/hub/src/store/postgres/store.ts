// The shared store: PostgreSQL. Several hubs may use one database, provided that they have the same checksum key and
// that attachments, which lie in the data folder, are on a disk they share.
//
// A group's last statements give out `seq` under an advisory lock that is held to the end of the transaction: an identity
// column hands numbers out before they commit, and a reader that has seen 7 would skip a 6 that commits late.

import { backoffMs } from '@parley/protocol';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import { fingerprint, splitDamaged, summer, type Summer, verifyRow } from '../checksum.ts';
import type { OnProgress } from '../../progress.ts';
import { pendingMigrations, upgradeProgress } from '../migrations.ts';
import {
  type Changes,
  type CommitResult,
  type CorruptRowError,
  type Head,
  type LoadResult,
  NotEmptyError,
  OtherKeyError,
  OtherSecretsKeyError,
  OutcomeUnknownError,
  placeFacts,
  type PlacedFact,
  type Scan,
  type SnapshotHead,
  type Store,
  StoreAwayError,
  type Transaction,
  type Want,
} from '../port.ts';
import { forPostgres, storedColumns, publishStatement } from '../statements.ts';
import { storableChanges } from '../storable.ts';
import { type AnyRow, type Rows, type SecretRow, type TableName, tableNames } from '../tables.ts';
import { translate, keepAliveMs, openPool, type PoolOptions, types } from './pool.ts';
import { fill, scanWith } from './bulk.ts';
import { storedHead, type HeadRow, readHead, SumBook, SumChanges } from '../table-sums.ts';
import { applyChanges, beginForHours, beginUntimed, inTransaction, loadWants } from './group.ts';
import { beginSums, setEpoch, setSums } from './sums.ts';
import { PostgresSearch } from './search.ts';
import type { RestoredRow } from '../reads/pages.ts';
import { headOf } from '../reads/schema.ts';
import { findsNothing, type Query, tailOf } from '../where.ts';

export interface PostgresOptions extends PoolOptions {
  key: Uint8Array;
  epoch: string;
  /** A simulated clock in tests; left out, the database's own clock is the wall, whichever hub asks. */
  clock?: Clock;
  /** To be filled by `restore`, which says then whose key it is. */
  restoring?: boolean;
  /** The key that seals secrets. It must be the database's own, unless it replaces that key. */
  secretsKey?: { key: Uint8Array; isNew: boolean; opens: (row: SecretRow) => boolean } | undefined;
  /** The progress of an upgrade. */
  onProgress?: OnProgress | undefined;
}

const channel = 'parley_facts';
const keepMeta = 'insert into meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value';
const migrationLock = 7440_0001;
const gateLock = 7440_0003;
/** The tail wakes at least this often, so that a listening connection that died silently only delays. */
const pollMs = 1000;
const connectTimeoutMs = 10_000;
/** An arbitrary number that nothing else locks. */
const leaderLock = 7_440_001;

export class PostgresStore implements Store {
  readonly engine = 'postgres';
  readonly search: PostgresSearch;
  private readonly pool: pg.Pool;
  private readonly options: PostgresOptions;
  private readonly sum: Summer;
  private readonly sums: SumBook;
  private readonly listeners = new Set<(own?: PlacedFact[]) => void>();
  /** Marks this store's notifications, because it informs its own listeners of its commits by itself. */
  private readonly name = randomBytes(8).toString('hex');
  private listening: pg.Client | undefined;
  private relistening = false;
  /** The listening connection that holds the leader's lock. */
  private leading: pg.Client | undefined;
  private poll: NodeJS.Timeout | undefined;
  private closed = false;

  private constructor(options: PostgresOptions) {
    this.options = options;
    this.sum = summer(options.key);
    this.sums = new SumBook(options.key);
    this.pool = openPool(options);
    this.search = new PostgresSearch(this, this.pool);
  }

  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const store = new PostgresStore(options);
    try {
      await store.migrate();
      await store.listen();
      store.poll = setInterval(() => store.wake(), pollMs).unref();
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  private async migrate(): Promise<void> {
    await inTransaction(await this.pool.connect(), beginForHours(), async (client) => {
      // Two hubs that start at once must not both migrate.
      await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      const metaTable = await client.query<{ found: string | null }>("select to_regclass('meta') as found");
      const schema = async () => (await client.query<{ value: string }>("select value from meta where key = 'schema'")).rows[0]!.value;
      const from = metaTable.rows[0]!.found === null ? 0 : Number(await schema());
      const steps = pendingMigrations(from, 'postgres');
      const { onProgress } = this.options;
      for (const [done, step] of steps.entries()) {
        if (from > 0) onProgress?.(upgradeProgress(done, steps.length));
        // Together: one after the other they are a hundred ways to the server and back.
        await client.query(step.statements.join(';\n'));
        await client.query(keepMeta, ['schema', String(step.version)]);
      }
      const first = "insert into meta (key, value) values ('epoch', $1), ('search', '0') on conflict (key) do nothing";
      await client.query(first, [this.options.epoch]);
      if (!this.options.restoring) await this.checkKey(client);
      await this.checkSecretsKey(client);
      if (from > 0 && steps.length > 0) onProgress?.(upgradeProgress(steps.length, steps.length));
      await beginSums(client, this.sums, from);
    });
  }

  /** A database that does not say which key it has is asked for a row that only the right one fits. */
  private async checkKey(client: pg.PoolClient): Promise<void> {
    const keyPrint = fingerprint(this.options.key);
    const storedPrint = await client.query<{ value: string }>("select value from meta where key = 'checksum_key'");
    if (storedPrint.rows[0] && storedPrint.rows[0].value !== keyPrint) throw new OtherKeyError();
    if (storedPrint.rows[0]) return;
    const { rows } = await client.query<AnyRow>('select * from settings');
    if (rows.length > 0 && splitDamaged(this.sum, 'settings', rows).rows.length === 0) throw new OtherKeyError();
    await client.query(keepMeta, ['checksum_key', keyPrint]);
  }

  private async checkSecretsKey(client: pg.PoolClient): Promise<void> {
    const { secretsKey } = this.options;
    if (!secretsKey) return;
    const keyPrint = fingerprint(secretsKey.key, 'secrets key');
    const storedPrint = await client.query<{ value: string }>("select value from meta where key = 'secrets_key'");
    if (storedPrint.rows[0]?.value === keyPrint) return;
    if (storedPrint.rows[0] && !secretsKey.isNew) throw new OtherSecretsKeyError();
    // After a restore the first start makes a key that opens nothing; the right key may be copied later.
    const { rows: sealed } = await client.query<SecretRow>('select name, sealed from secrets');
    if (sealed.length > 0 && !secretsKey.isNew && !sealed.some(secretsKey.opens)) return;
    await client.query(keepMeta, ['secrets_key', keyPrint]);
  }

  /** Notifications only wake the tail; it reads the facts themselves. So a lost one costs a moment, never a fact. */
  private async listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.url,
      types,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      connectionTimeoutMillis: connectTimeoutMs,
    });
    let isLost = false;
    // Says so once, and only after it had listened: one that never came to it fails the attempt that made it.
    const lose = (): void => {
      isLost = true;
      if (this.listening !== client) return;
      this.listening = undefined;
      void client.end().catch(() => {});
      void this.relisten();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => {
      if (payload !== this.name) this.wake();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      if (isLost || this.closed) throw new Error('The connection was lost again');
      this.listening = client;
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  /** One attempt at a time, although a lost connection can be noticed in several ways. */
  private async relisten(): Promise<void> {
    if (this.relistening) return;
    this.relistening = true;
    for (let attempt = 0; !this.closed; attempt++) {
      try {
        await this.listen();
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, backoffMs({ firstMs: 250, maxMs: 4000 }, attempt)).unref());
      }
    }
    this.relistening = false;
    this.wake();
  }

  private wake(own?: PlacedFact[]): void {
    if (!this.closed) for (const listener of this.listeners) listener(own);
  }

  async begin(keys: string[], wants: Want[], alone = false): Promise<{ transaction: Transaction; loaded: LoadResult }> {
    const client = await this.connect();
    let over = false;
    const end = async (how: 'commit' | 'rollback'): Promise<void> => {
      // A connection that was given back is somebody else's by now: a second end would end their transaction.
      if (over) return;
      over = true;
      try {
        await client.query(how);
        client.release();
      } catch (error) {
        // The connection is in an unknown state: give it up, so that nobody inherits the transaction.
        client.release(true);
        throw error;
      }
    };
    const giveUp = () => end('rollback').catch(() => {});
    const load = async (more: Want[]): Promise<LoadResult> => ({
      found: await loadWants(client, more, this.sum),
      now: await this.now(client),
    });
    try {
      await client.query(beginUntimed());
      // The gate first, shared by all but who must be alone; then the keys, sorted by what is really locked, so that two
      // groups that share keys can never wait for each other.
      await client.query(
        `select pg_advisory_xact_lock${alone ? '' : '_shared'}($2) union all
         select pg_advisory_xact_lock(h) from (select distinct hashtextextended(k, 0) as h from unnest($1::text[]) as k order by h) as hashes`,
        [keys, gateLock],
      );
      const transaction: Transaction = {
        load: (more) => load(more).catch((error: unknown) => Promise.reject(translate(error))),
        commit: (changes: Changes) => this.commit(client, storableChanges(changes), end, giveUp),
        rollback: () => giveUp(),
      };
      return { transaction, loaded: await load(wants) };
    } catch (error) {
      await giveUp();
      throw translate(error);
    }
  }

  private async commit(
    client: pg.PoolClient,
    changes: Changes,
    end: (how: 'commit') => Promise<void>,
    giveUp: () => Promise<void>,
  ): Promise<CommitResult> {
    let committed: CommitResult;
    try {
      committed = await applyChanges(client, changes, { sum: this.sum, sums: this.sums, notify: `notify ${channel}, '${this.name}'` });
    } catch (error) {
      await giveUp();
      throw translate(error);
    }
    try {
      await end('commit');
    } catch (error) {
      const translated = translate(error);
      throw translated instanceof StoreAwayError ? new OutcomeUnknownError(error) : translated;
    }
    if (changes.facts.length > 0) this.wake(placeFacts(changes.facts, committed));
    return committed;
  }

  private connect(): Promise<pg.PoolClient> {
    return this.pool.connect().catch((error: unknown) => Promise.reject(translate(error)));
  }

  private async now(client: pg.PoolClient): Promise<number> {
    if (this.options.clock) return this.options.clock.now();
    const answer = await client.query<{ now: number }>({
      name: 'now',
      text: 'select (extract(epoch from clock_timestamp()) * 1000)::int8 as now',
    });
    return answer.rows[0]!.now;
  }

  async rows<T extends TableName>(table: T, ...query: Query<T>): Promise<Rows[T][]> {
    if (findsNothing(query)) return [];
    const { tail, params } = tailOf(query);
    const columns = storedColumns(table)
      .map((c) => `${table}.${c}`)
      .join(', ');
    const rows = await this.all(`select ${columns} from ${table} ${tail}`, params);
    for (const row of rows) verifyRow(this.sum, table, row);
    return rows as unknown as Rows[T][];
  }

  async intact<T extends TableName>(table: T, ...query: Query<T>): Promise<{ rows: Rows[T][]; damaged: CorruptRowError[] }> {
    const { tail, params } = tailOf(query);
    return splitDamaged(this.sum, table, await this.all(`select ${table}.* from ${table} ${tail}`, params));
  }

  async all<R = AnyRow>(text: string, params: unknown[] = []): Promise<R[]> {
    publishStatement('postgres', text);
    try {
      return (await this.pool.query(forPostgres(text), params)).rows as R[];
    } catch (error) {
      throw translate(error);
    }
  }

  /** A lock that the listening connection holds: with the hub, or its line to the database, it is gone. */
  async lead(): Promise<boolean> {
    const client = this.listening;
    if (!client) return false;
    if (this.leading === client) return true;
    try {
      const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [leaderLock]);
      if (rows[0]?.got && this.listening === client) this.leading = client;
    } catch {
      return false;
    }
    return this.leading === client;
  }

  head(): Promise<Head> {
    return headOf(this);
  }

  async newEpoch(epoch: string): Promise<void> {
    const done = inTransaction(await this.connect(), beginUntimed(), (client) => setEpoch(client, this.sums, epoch));
    await done.catch((error: unknown) => Promise.reject(translate(error)));
  }

  onCommit(listener: (own?: PlacedFact[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async snapshot<R>(work: (scan: Scan, head: () => Promise<SnapshotHead>) => Promise<R>): Promise<R> {
    const client = await this.pool.connect();
    try {
      await client.query(beginForHours(' isolation level repeatable read read only'));
      return await work(scanWith(client), async () => storedHead((await client.query<HeadRow>(readHead)).rows[0]!));
    } finally {
      await client.query('rollback').catch(() => {});
      client.release();
    }
  }

  async restore(rows: AsyncIterable<RestoredRow>): Promise<void> {
    const client = await this.connect();
    // Only errors of the database are translated; errors of the source of the rows pass unchanged.
    const run = (text: string, values: unknown[] = []) =>
      client.query<{ yes: boolean }>(text, values).catch((error: unknown) => Promise.reject(translate(error)));
    try {
      await run(beginForHours());
      // A hub that starts on this database meanwhile waits, and then finds a founded workspace.
      await run(`lock table ${tableNames.join(', ')} in share row exclusive mode`);
      const { rows: filled } = await run(`select ${tableNames.map((name) => `exists (select 1 from ${name})`).join(' or ')} as yes`);
      if (filled[0]!.yes || (await this.search.position()) !== 0) throw new NotEmptyError();
      const summed = new SumChanges();
      await fill(run, rows, summed);
      await setSums(client, this.sums, summed);
      await run(keepMeta, ['checksum_key', fingerprint(this.options.key)]);
      // Secrets come back sealed with the key of another folder, or of none: the hub whose key opens them says which one is the database's.
      await run("delete from meta where key = 'secrets_key'");
      await run('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }

  // Its logs and dead rows are the operator's: vacuum and the retention of WAL archives decide how long they live.
  scrub(): Promise<void> {
    return Promise.resolve();
  }

  // PostgreSQL keeps its own page checksums; there is no file of ours to check.
  integrity(): Promise<string[]> {
    return Promise.resolve([]);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.poll);
    const { listening } = this;
    this.listening = undefined;
    await listening?.end().catch(() => {});
    await this.pool.end();
  }
}
