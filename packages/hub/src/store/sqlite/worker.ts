// The thread that owns a SQLite connection. The main thread opens no database: a sync of 5 ms there would hold up
// every socket. One such thread writes (two messages per group: begin and commit), others only read.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type ListSummer, listSummer, verifiedList } from '../checksum.ts';
import { pendingMigrations, summedSince, upgradeProgress } from '../migrations.ts';
import type { OnProgress, Progress } from '../../progress.ts';
import { type CommitResult, ConflictError, type Want } from '../port.ts';
import { sqlite as sql, storedColumns, type Values } from '../statements.ts';
import { SumBook, SumChanges, type StoredSums } from '../table-sums.ts';
import { type AnyRow, type TableName, tableNames } from '../tables.ts';
import { keyIn, type PackedRows, placeFact, settle } from './packed-rows.ts';

export interface WorkerSettings {
  path: string;
  readOnly: boolean;
  /** Hex, because the settings are sent as text. */
  key: string;
  /** Off only in the test that shows the kill harness can fail. */
  sync: boolean;
  maxRows: number;
}
export type Request =
  | { op: 'open'; settings: WorkerSettings }
  | { op: 'migrate'; epoch: string }
  | { op: 'begin'; wants: Want[] }
  | { op: 'load'; wants: Want[] }
  /** `known`: begins as well, provided that the database is still the one its rows were read from. */
  | { op: 'commit'; changes: PackedRows; known?: number | undefined }
  | { op: 'check'; known: number }
  | { op: 'rollback' }
  | { op: 'rows'; table: TableName; tail: string; params: unknown[]; verify: boolean }
  | { op: 'all'; sql: string; params: unknown[] }
  | { op: 'batch'; statements: { sql: string; params: unknown[] }[]; sync: boolean }
  | { op: 'epoch'; epoch: string }
  | { op: 'restore'; table: TableName; rows: AnyRow[] }
  | { op: 'close' };
export interface WorkerReady {
  found: Values[][];
  /** Another number than before: another connection has written in between. */
  version: number;
}
export type WorkerReply =
  | { id: number; value: unknown }
  | { id: number; failure: { name: string; message: string; code?: number } }
  /** A report of progress before the answer. */
  | { id: number; progress: Progress };

type Param = string | number | null;

/** The id of a request that the main thread no longer waits for. */
const interrupt = workerData as Int32Array;

class Connection {
  private readonly db: DatabaseSync;
  private readonly sum: ListSummer;
  private readonly sums: SumBook;
  private readonly settings: WorkerSettings;
  /** The one that is being answered. */
  request = 0;
  private readonly prepared = { rows: new Map<string, StatementSync>(), values: new Map<string, StatementSync>() };

  constructor(settings: WorkerSettings) {
    this.settings = settings;
    const key = Buffer.from(settings.key, 'hex');
    this.sum = listSummer(key);
    this.sums = new SumBook(key);
    this.db = new DatabaseSync(settings.path, { readOnly: settings.readOnly, timeout: 10_000 });
    if (settings.readOnly) return;
    this.db.exec('pragma journal_mode = wal');
    this.db.exec(`pragma synchronous = ${settings.sync ? 'full' : 'off'}`);
    // macOS acknowledges fsync before the platter has it; this asks for the real thing. Ignored elsewhere.
    this.db.exec('pragma fullfsync = on');
    // Deleted text is overwritten, not only unlinked: erasing a message must erase it (SYS-14).
    this.db.exec('pragma secure_delete = on');
    this.db.exec('pragma journal_size_limit = 67108864');
    // 16 MB of journal before it is worked into the file: the same few pages change again and again, and at the default
    // of 4 MB a fifth of the writer's time goes into copying them.
    this.db.exec('pragma wal_autocheckpoint = 4000');
  }

  /** `values`: it answers with lists instead of objects, which is a third of the work to read and to send. */
  private statement(text: string, kind: 'rows' | 'values' = 'rows'): StatementSync {
    const prepared = this.prepared[kind];
    let statement = prepared.get(text);
    if (!statement) {
      statement = this.db.prepare(text);
      statement.setReturnArrays(kind === 'values');
      if (prepared.size > 500) prepared.clear();
      prepared.set(text, statement);
    }
    return statement;
  }

  migrate(epoch: string, onProgress: OnProgress): void {
    this.db.exec('begin exclusive');
    try {
      const metaTable = this.db.prepare("select 1 from sqlite_master where type = 'table' and name = 'meta'").get();
      const from = metaTable ? Number(this.statement("select value from meta where key = 'schema'").get()!['value']) : 0;
      const steps = pendingMigrations(from, 'sqlite');
      for (const [done, step] of steps.entries()) {
        if (from > 0) onProgress(upgradeProgress(done, steps.length));
        for (const text of step.statements) this.db.exec(text);
        this.db.exec(
          `insert into meta (key, value) values ('schema', '${step.version}') on conflict (key) do update set value = excluded.value`,
        );
      }
      this.statement("insert into meta (key, value) values ('epoch', ?), ('search', '0') on conflict (key) do nothing").run(epoch);
      if (from > 0 && steps.length > 0) onProgress(upgradeProgress(steps.length, steps.length));
      this.beginSums(from);
      this.db.exec('commit');
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** Once: where they were kept and are gone, somebody removed them, and `verify` says so. */
  private beginSums(from: number): void {
    if (this.storedSums() || (from >= summedSince && this.statement('select 1 from facts limit 1').get())) return;
    const all = new SumChanges();
    for (const table of tableNames)
      for (const [sum] of this.statement(`select sum from ${table}`, 'values').iterate() as Iterable<unknown> as Iterable<[string]>)
        all.add(table, sum);
    const { sums, mac } = this.sums.write({ epoch: this.epoch(), tables: all.appliedTo({}) });
    this.statement('insert into table_sums (id, sums, mac) values (1, ?, ?)').run(sums, mac);
  }

  private storedSums(): StoredSums | undefined {
    return this.statement('select sums, mac from table_sums').get() as StoredSums | undefined;
  }

  private writeSums(next: StoredSums | undefined): void {
    if (next) this.statement('update table_sums set sums = ?, mac = ?').run(next.sums, next.mac);
  }

  begin(wants: Want[]): WorkerReady {
    this.db.exec('begin immediate');
    try {
      return { found: this.load(wants), version: this.version() };
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  load(wants: Want[]): Values[][] {
    return wants.map(({ table, lookup, values }) => {
      const found = this.statement(sql.find(table, lookup), 'values').all(...values) as unknown as Values[];
      for (const row of found) verifiedList(this.sum, table, row);
      return found;
    });
  }

  private version(): number {
    return Number(this.statement('pragma data_version').get()!['data_version']);
  }

  check(known: number): void {
    if (this.version() !== known) throw new ConflictError('rows that were known');
  }

  commit(changes: PackedRows, known?: number): CommitResult {
    try {
      if (known !== undefined) {
        this.db.exec('begin immediate');
        this.check(known);
      }
      const committed = this.apply(changes);
      this.db.exec('commit');
      return committed;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  private apply({ facts, inserts, updates, deletes }: PackedRows): CommitResult {
    const epoch = this.epoch();
    const last = this.statement('select seq, sum from facts order by seq desc limit 1').get() as { seq: number; sum: string } | undefined;
    const firstSeq = (last?.seq ?? 0) + 1;
    let prev = last?.sum ?? '';
    const summed = new SumChanges();
    facts.forEach((fact, i) => {
      placeFact(fact, firstSeq + i, epoch, prev);
      prev = this.insert('facts', fact);
      summed.add('facts', prev);
    });
    // First what goes: something else may take its place under the same unique name.
    for (const { table, key, was } of deletes) {
      this.exactlyOne(this.statement(sql.remove(table)).run(...key, was), table, key);
      summed.take(table, was);
    }
    for (const [table, values] of inserts) {
      settle(table, values, firstSeq);
      summed.add(table, this.insert(table, values));
    }
    for (const [table, values, was, changed] of updates) {
      settle(table, values, firstSeq);
      const key = keyIn(table, values);
      const changedValues = changed.map((at) => values[at]!);
      const statement = this.statement(sql.update(table, changed.join(' ')));
      const sum = this.sum(table, values);
      this.exactlyOne(statement.run(...changedValues, sum, ...key, was), table, key);
      summed.take(table, was);
      summed.add(table, sum);
    }
    if (!summed.isEmpty) this.writeSums(this.sums.changed(this.storedSums(), summed));
    return { epoch, lastSeq: firstSeq + facts.length - 1, rowWrites: inserts.length + updates.length + deletes.length + facts.length };
  }

  private epoch(): string {
    return String(this.statement("select value from meta where key = 'epoch'").get()!['value']);
  }

  /** Returns the checksum. */
  private insert(table: TableName, values: Values): string {
    const sum = this.sum(table, values);
    this.statement(sql.insert(table)).run(...values, sum);
    return sum;
  }

  private exactlyOne(result: { changes: number | bigint }, table: string, key: readonly unknown[]): void {
    if (Number(result.changes) !== 1) throw new ConflictError(`${table} ${key.join('/')}`);
  }

  rollback(): void {
    if (this.db.isTransaction) this.db.exec('rollback');
  }

  rows(table: TableName, tail: string, params: unknown[], verify: boolean): Values[] {
    const text = `select ${storedColumns(table)
      .map((c) => `${table}.${c}`)
      .join(', ')} from ${table} ${tail}`;
    const rows = this.all(text, params, 'values') as unknown as Values[];
    if (verify) for (const row of rows) verifiedList(this.sum, table, row);
    return rows;
  }

  /** Row by row, so that a query that has become too long can be stopped between rows; before its first one it cannot. */
  all(text: string, params: unknown[], kind: 'rows' | 'values' = 'rows'): AnyRow[] {
    const rows: AnyRow[] = [];
    for (const row of this.statement(text, kind).iterate(...(params as Param[]))) {
      rows.push(row as AnyRow);
      if (rows.length >= this.settings.maxRows) throw new Error(`A read of more than ${this.settings.maxRows} rows was stopped`);
      if ((rows.length & 63) === 0 && Atomics.load(interrupt, 0) === this.request)
        throw new Error('The read took too long and was stopped');
    }
    return rows;
  }

  /** Without `sync` the next synced commit brings this one to disk: good enough for what can be rebuilt, like the search index. */
  batch(statements: { sql: string; params: unknown[] }[], sync: boolean): void {
    if (!sync && this.settings.sync) this.db.exec('pragma synchronous = normal');
    try {
      this.transact(() => {
        for (const { sql: text, params } of statements) this.statement(text).run(...(params as Param[]));
      });
    } finally {
      if (!sync && this.settings.sync) this.db.exec('pragma synchronous = full');
    }
  }

  private transact(work: () => void): void {
    this.db.exec('begin immediate');
    try {
      work();
      this.db.exec('commit');
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  restore(table: TableName, rows: AnyRow[]): void {
    this.transact(() => {
      const summed = new SumChanges();
      for (const row of rows) {
        this.statement(sql.insert(table)).run(...storedColumns(table).map((c) => row[c] ?? null));
        summed.add(table, String(row['sum']));
      }
      this.writeSums(this.sums.changed(this.storedSums(), summed));
    });
  }

  newEpoch(epoch: string): void {
    this.transact(() => {
      this.statement("update meta set value = ? where key = 'epoch'").run(epoch);
      this.writeSums(this.sums.renamed(this.storedSums(), epoch));
    });
  }

  close(): void {
    this.db.close();
  }
}

const answers: {
  [R in Exclude<Request, { op: 'open' }> as R['op']]: (database: Connection, request: R, onProgress: OnProgress) => unknown;
} = {
  migrate: (database, { epoch }, onProgress) => database.migrate(epoch, onProgress),
  begin: (database, { wants }) => database.begin(wants),
  load: (database, { wants }) => database.load(wants),
  commit: (database, { changes, known }) => database.commit(changes, known),
  check: (database, { known }) => database.check(known),
  rollback: (database) => database.rollback(),
  rows: (database, { table, tail, params, verify }) => database.rows(table, tail, params, verify),
  all: (database, { sql: text, params }) => database.all(text, params),
  batch: (database, { statements, sync }) => database.batch(statements, sync),
  epoch: (database, { epoch }) => database.newEpoch(epoch),
  restore: (database, { table, rows }) => database.restore(table, rows),
  close: (database) => database.close(),
};

if (parentPort) {
  const port = parentPort;
  let open: Connection | undefined;
  const send = (reply: WorkerReply): void => port.postMessage(JSON.stringify(reply));
  const run = (id: number, request: Request): unknown => {
    if (request.op === 'open') {
      open = new Connection(request.settings);
      return undefined;
    }
    const database = open!;
    database.request = id;
    if (request.op === 'close') open = undefined;
    const answer = answers[request.op] as (database: Connection, request: Request, onProgress: OnProgress) => unknown;
    return answer(database, request, (progress) => send({ id, progress }));
  };
  // Messages are JSON text: cloning the same rows as objects costs five times as much on either side.
  port.on('message', (text: string) => {
    const { id, request } = JSON.parse(text) as { id: number; request: Request };
    let reply: WorkerReply;
    try {
      reply = { id, value: run(id, request) };
    } catch (error) {
      const { name, message, errcode } = error as Error & { errcode?: number };
      reply = { id, failure: { name, message, ...(errcode === undefined ? {} : { code: errcode }) } };
    }
    send(reply);
  });
}
