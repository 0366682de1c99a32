// The registry as a log: accounts, directory, blocks and reports change by entries that JetStream puts into one order. Every process
// applies them to a SQLite copy of its own, so that each reaches the same decision about the same entry without a lock.

import { randomBytes } from 'node:crypto';
import type { Msg } from '@nats-io/transport-node';
import type { Nats } from './connection.ts';
import { type Replica, type RegistryCommand, replicaFrom } from './replica.ts';
import { readSnapshot, writeSnapshot } from './snapshots.ts';

interface LogEntry {
  origin: string;
  id: number;
  command: RegistryCommand;
}

export interface AppliedEntry {
  command: RegistryCommand;
  result: unknown;
  isOwn: boolean;
}

export interface RegistryLogOptions {
  /** Called in the order of the log, for the entries of every process. */
  onApplied: (entry: AppliedEntry) => void;
  /** The copy was made anew: entries may have been skipped. */
  onReload: () => void;
  onFailure: (error: unknown) => void;
  /** A snapshot follows so many entries. */
  snapshotEvery: number;
}

const text = new TextDecoder();

export class RegistryLog {
  replica!: Replica;
  private readonly nats: Nats;
  private readonly options: RegistryLogOptions;
  private readonly origin = randomBytes(9).toString('base64url');
  private readonly pending = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly arrived = new Map<number, LogEntry>();
  private lastId = 0;
  /** The last entry that was applied, the last one known of, and the one that the latest snapshot includes. */
  private position = 0;
  private newest = 0;
  private snapshotAt = 0;
  private running: Promise<void> | undefined;
  private isLoaded = false;
  private isClosed = false;

  static async open(nats: Nats, options: RegistryLogOptions): Promise<RegistryLog> {
    const log = new RegistryLog(nats, options);
    nats.connection.subscribe(nats.names.registry.stored, {
      callback: (error, message) => {
        if (!error) log.receive(message);
      },
    });
    await log.load();
    await log.current();
    return log;
  }

  private constructor(nats: Nats, options: RegistryLogOptions) {
    this.nats = nats;
    this.options = options;
  }

  /** The result is that of applying the entry in its place. Where it rejects, the entry may still be applied. */
  async append(command: RegistryCommand): Promise<unknown> {
    const id = (this.lastId += 1);
    const answer = Promise.withResolvers<unknown>();
    this.pending.set(id, answer);
    // The caller gets the first failure; the other one is no news.
    answer.promise.catch(() => {});
    try {
      const entry: LogEntry = { origin: this.origin, id, command };
      const { seq } = await this.nats.js.publish(this.nats.names.registry.subject, JSON.stringify(entry));
      this.newest = Math.max(this.newest, seq);
      if (this.position < seq) await this.advance();
      return await answer.promise;
    } finally {
      this.pending.delete(id);
    }
  }

  /** Resolves when everything that any process has appended until now is applied. */
  async current(): Promise<void> {
    const { state } = await this.nats.manager.streams.info(this.nats.names.registry.stream);
    this.newest = Math.max(this.newest, state.last_seq);
    if (this.position < state.last_seq) await this.advance();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // The caller of that entry gets the error.
    await this.running?.catch(() => {});
    this.replica.close();
  }

  private receive(message: Msg): void {
    const sequence = Number(message.headers?.get('Nats-Sequence'));
    if (sequence <= this.position || this.isClosed) return;
    this.arrived.set(sequence, entryIn(message.data));
    this.newest = Math.max(this.newest, sequence);
    // The first load is followed by a look at the log.
    if (this.isLoaded) this.advance().catch(this.options.onFailure);
  }

  /** Runs one at a time, so that entries are applied in order. */
  private advance(): Promise<void> {
    this.running ??= this.applyAll().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async applyAll(): Promise<void> {
    while (this.position < this.newest && !this.isClosed) {
      if (this.replica.isBroken) await this.load();
      const next = this.position + 1;
      const entry = this.arrived.get(next) ?? (await this.read(next));
      this.arrived.delete(next);
      if (entry) await this.apply(next, entry);
      else await this.load(next);
    }
  }

  /** Undefined if a snapshot replaced the entry. */
  private async read(sequence: number): Promise<LogEntry | undefined> {
    const message = await this.nats.manager.streams.getMessage(this.nats.names.registry.stream, { seq: sequence });
    return message ? entryIn(message.data) : undefined;
  }

  private async apply(sequence: number, { origin, id, command }: LogEntry): Promise<void> {
    const isOwn = origin === this.origin;
    const waiting = isOwn ? this.pending.get(id) : undefined;
    try {
      const result = await this.replica.apply(command);
      this.position = sequence;
      this.options.onApplied({ command, result, isOwn });
      waiting?.resolve(result);
    } catch (error) {
      if (this.replica.isBroken) throw error;
      this.position = sequence;
      waiting?.reject(error);
    }
    if (command[0] === 'snapshotTaken') this.snapshotAt = Math.max(this.snapshotAt, command[1]);
    // The writer of the entry writes the snapshot, so that not every process does.
    else if (isOwn && sequence - this.snapshotAt >= this.options.snapshotEvery) await this.snapshot().catch(this.options.onFailure);
  }

  private async snapshot(): Promise<void> {
    const { nats, position } = this;
    this.snapshotAt = position;
    await writeSnapshot(nats, position, this.replica.dump());
    await nats.js.publish(
      nats.names.registry.subject,
      JSON.stringify({ origin: this.origin, id: 0, command: ['snapshotTaken', position] }),
    );
    await nats.manager.streams.purge(nats.names.registry.stream, { seq: position + 1 });
  }

  /** Starts over from the latest snapshot, which includes the entry `missing`. */
  private async load(missing = 0): Promise<void> {
    const isFirst = !this.isLoaded;
    const { at, rows } = await readSnapshot(this.nats);
    if (at < missing) throw new Error(`The stream ${this.nats.names.registry.stream} lacks entry ${missing}, which no snapshot includes.`);
    if (!isFirst) this.replica.close();
    this.replica = replicaFrom(rows);
    this.isLoaded = true;
    this.position = this.snapshotAt = at;
    for (const sequence of this.arrived.keys()) if (sequence <= at) this.arrived.delete(sequence);
    for (const { reject } of this.pending.values()) reject(new Error('The registry was read anew while the entry was under way.'));
    if (!isFirst) this.options.onReload();
  }
}

const entryIn = (data: Uint8Array): LogEntry => JSON.parse(text.decode(data)) as LogEntry;
