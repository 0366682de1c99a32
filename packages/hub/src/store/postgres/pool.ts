// The connections of groups and reads, with an end to everything that others would have to wait for.

import pg, { type PoolClient, type PoolConfig } from 'pg';
import {
  type AdmitDatabase,
  type Statements,
  ConflictError,
  CorruptRowError,
  LostFactsError,
  StorageFullError,
  StoreAwayError,
} from '../port.ts';
import { hasTables } from '../reads/schema.ts';
import { forPostgres } from '../statements.ts';

/** A machine that is gone says nothing: after this time without a word either end asks whether the other is there. */
export const keepAliveMs = 30_000;

// int8 is for times and sequence numbers here, all far below 2^53.
export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export interface PoolOptions {
  url: string;
  /** A read that takes longer is stopped. */
  readTimeoutMs?: number;
  /** A group that its hub leaves alone for longer is ended by the database, so that others get its locks. */
  groupIdleMs?: number;
  /** A group that waits longer for its locks is given up. */
  lockWaitMs?: number;
  /** Checks each new connection before its first write, because another server may be behind the address by then. */
  admit?: AdmitDatabase;
}

const noticeSilence = `set tcp_user_timeout = ${2 * keepAliveMs}; set tcp_keepalives_idle = ${keepAliveMs / 1000};
  set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3`;

export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: 10,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    statement_timeout: options.readTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: options.groupIdleMs ?? 30_000,
    lock_timeout: options.lockWaitMs ?? 60_000,
    ...(options.admit ? { verify: admission(options.admit) } : {}),
    // Its type does not say that the pool waits for it.
    onConnect: (client) => client.query(noticeSilence) as unknown as void,
  });
  // A connection that dies while idle is replaced by the next one asked for; its death is no event of ours.
  pool.on('error', () => {});
  // One that dies in a transaction says so to its next user; without a listener the error would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

// Checks each new connection of a pool before its first use, because another server may be behind the address by then.

const admission = (admit: AdmitDatabase): PoolConfig['verify'] => {
  const ask = async (client: PoolClient): Promise<void> => {
    const found: Statements = {
      all: async <R>(text: string, params: unknown[] = []) => (await client.query(forPostgres(text), params)).rows as R[],
    };
    await admit((await hasTables(found, 'postgres')) ? found : undefined);
  };
  return (client, done) => {
    ask(client).then(() => done(), done);
  };
};

/** Translates an error of the database by its SQLSTATE code. */
export function translate(error: unknown): Error {
  if (error instanceof ConflictError || error instanceof CorruptRowError || error instanceof LostFactsError || error instanceof TypeError)
    return error;
  // Any other error means that the connection failed; the driver has many texts for it.
  if (!(error instanceof pg.DatabaseError)) return new StoreAwayError(error);
  const { code = '' } = error;
  // A group whose hub paused, or that waited too long, was ended by the database: it may be tried again.
  if (/^(08|57P|25P03|55P03)/.test(code)) return new StoreAwayError(error);
  if (code === '23505' || code === '40001' || code === '40P01') return new ConflictError((error as Error).message);
  if (code === '53100' || code === '58030') return new StorageFullError(error);
  return error;
}
