// One process's copy of the registry, in a temporary SQLite database. Applying the same commands in the same order gives the same
// rows and the same results everywhere: times, codes and keys are part of the command.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { notePair } from '../sqlite/registry.ts';
import { storeOver } from '../sqlite/store.ts';
import type { Passkey, PinnedIdentity, RelayStore } from '../port.ts';

type Methods = Omit<RelayStore, 'others'>;
type Call<T extends keyof Methods> = T extends keyof Methods ? [method: T, ...values: Parameters<Methods[T]>] : never;
type TextPasskey = Omit<Passkey, 'publicKey'> & { publicKey: string };
type Hold = Call<'hold'>;

/** A command as JSON: its name, then its arguments. */
export type RegistryCommand =
  | Call<'register' | 'setEpoch' | 'invite' | 'publish' | 'lookup' | 'setBlock' | 'report' | 'countUse' | 'putTicket' | 'noteConnect'>
  | Call<'removeHolder' | 'meetRelay' | 'acceptRelayKey'>
  | ['hold', Hold[1], TextPasskey, Hold[3], Hold[4]]
  | ['notePairs', { from: string; to: string }[]]
  | ['agreeOn', PinnedIdentity]
  | ['snapshotTaken', at: number];

export interface TableRow {
  table: string;
  row: Record<string, SQLInputValue>;
}

export interface Replica {
  store: RelayStore;
  apply: (command: RegistryCommand) => Promise<unknown>;
  /** True after an entry failed for a reason that other processes may not have, such as a full disk. */
  readonly isBroken: boolean;
  hasPair: (from: string, to: string) => boolean;
  /** The version of an address's directory entry; 0 if there is none. */
  versionOf: (address: string) => number;
  dump: () => TableRow[];
  close: () => void;
}

const tables = [
  'accounts',
  'invitations',
  'pairs',
  'directory',
  'packages',
  'blocks',
  'reports',
  'holders',
  'passkeys',
  'tickets',
  'relays',
  'identity',
] as const;

export function replicaFrom(rows: Iterable<TableRow>): Replica {
  // An empty name is a temporary file, which SQLite removes.
  const db = new DatabaseSync('');
  db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; CREATE TABLE identity (name TEXT NOT NULL, key TEXT NOT NULL) STRICT');
  const store = storeOver(db);
  load(db, rows);
  let isBroken = false;
  const pairFound = db.prepare('SELECT 1 FROM pairs WHERE sender = ? AND recipient = ?');
  const version = db.prepare('SELECT version FROM directory WHERE address = ?');
  const identity = db.prepare('SELECT name, key FROM identity');
  const agreeOn = ({ name, key }: PinnedIdentity): PinnedIdentity => {
    if (!identity.get()) db.prepare('INSERT INTO identity (name, key) VALUES (?, ?)').run(name, key);
    return identity.get() as unknown as PinnedIdentity;
  };

  const run = async (command: RegistryCommand): Promise<unknown> => {
    switch (command[0]) {
      case 'notePairs':
        return command[1].forEach(({ from, to }) => notePair((sql) => db.prepare(sql), from, to));
      case 'agreeOn':
        return agreeOn(command[1]);
      case 'snapshotTaken':
        return undefined;
      case 'hold': {
        const [, holder, passkey, codeHash, ticket] = command;
        const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'));
        return store.hold(holder, { ...passkey, publicKey }, codeHash, ticket);
      }
      default: {
        const [method, ...values] = command;
        if (!(method in store)) throw new Error(`The registry has an entry ${method}, which this Parley does not know. Update Parley.`);
        return (store[method] as (...given: unknown[]) => Promise<unknown>)(...values);
      }
    }
  };

  return {
    store,
    get isBroken() {
      return isBroken;
    },
    apply: (command) =>
      run(command).catch((error: unknown) => {
        isBroken = !isConstraint(error);
        throw error;
      }),
    hasPair: (from, to) => pairFound.get(from, to) !== undefined,
    versionOf: (address) => ((version.get(address) ?? { version: 0 }) as { version: number }).version,
    dump: () =>
      tables.flatMap((table) =>
        db
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map((row) => ({ table, row })),
      ),
    close: () => db.close(),
  };
}

/** A row that is there already is so in every copy. */
const isConstraint = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === 19;

function load(db: DatabaseSync, rows: Iterable<TableRow>): void {
  db.exec('BEGIN');
  for (const { table, row } of rows) {
    const columns = Object.keys(row);
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(...Object.values(row));
  }
  db.exec('COMMIT');
}
