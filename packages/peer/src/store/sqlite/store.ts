// A peer's records in one SQLite file. Keys are hashed and values sealed under the data key, so that the file alone says how many
// there are and how large.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fromUtf8, joinBytes, utf8 } from '@parley/protocol/relay';
import { asFileError } from '@parley/protocol/sqlite-fault';
import { closeBox, hashOf, openBox } from '../../seal/sodium.ts';
import { type PeerStore, type RecordChange, type RecordKind, type StoredRecord, VersionConflict } from '../port.ts';
import type { WrappedKey } from '../vault.ts';

interface Row {
  sequence: number;
  version: number;
  box: Uint8Array;
}

const schema = `
CREATE TABLE wrapped_key (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL) STRICT;
CREATE TABLE records (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  key BLOB NOT NULL,
  version INTEGER NOT NULL,
  box BLOB NOT NULL,
  UNIQUE (kind, key)
) STRICT;
CREATE INDEX records_kind ON records (kind, sequence);
PRAGMA user_version = 1;
`;

/**
 * No write-ahead log: it would keep earlier states of a session, and with them keys that were erased (A2C-5). Freed pages are
 * overwritten for the same reason.
 */
export function openPeerFile(path: string): DatabaseSync {
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path);
  try {
    prepareFile(db);
    return db;
  } catch (error) {
    const named = namingFile(db, error);
    db.close();
    throw named;
  }
}

function prepareFile(db: DatabaseSync): void {
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON;');
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > 1) throw new Error(`The peer's database has schema ${version}; this Parley knows 1. Update Parley.`);
  if (version === 0) db.exec(`BEGIN; ${schema} COMMIT;`);
}

/** SQLite names no file, and a person may have several peers. */
export const namingFile = (db: DatabaseSync, error: unknown): unknown =>
  asFileError(
    db.location() ?? 'peer.db',
    error,
    'Put back a copy of the folder, or restore a backup into an empty one with `parley peer restore <file>`.',
  );

export function wrappedKeyIn(db: DatabaseSync): WrappedKey | undefined {
  const row = db.prepare('SELECT value FROM wrapped_key').get() as { value: string } | undefined;
  return row && (JSON.parse(row.value) as WrappedKey);
}

export function keepWrappedKey(db: DatabaseSync, wrapped: WrappedKey): void {
  db.prepare('INSERT OR REPLACE INTO wrapped_key (id, value) VALUES (1, ?)').run(JSON.stringify(wrapped));
}

export function sqlitePeerStore(db: DatabaseSync, dataKey: Uint8Array): PeerStore {
  const hashingKey = hashOf(utf8('a2acp-record-key'), 32, dataKey);
  const sealingKey = hashOf(utf8('a2acp-record-value'), 32, dataKey);
  const hashed = (kind: RecordKind, key: string): Uint8Array => hashOf(utf8(`${kind}\0${key}`), 16, hashingKey);
  // A value belongs to its record and version: rows cannot be exchanged, nor an old one put back over a new one's number.
  const bound = (kind: RecordKind, key: Uint8Array, version: number): Uint8Array => joinBytes(utf8(`${kind}\0${version}\0`), key);

  const select = db.prepare('SELECT sequence, version, box FROM records WHERE kind = ? AND key = ?');
  const page = db.prepare('SELECT sequence, key, version, box FROM records WHERE kind = ? AND sequence > ? ORDER BY sequence LIMIT ?');
  const insert = db.prepare('INSERT INTO records (kind, key, version, box) VALUES (?, ?, 1, ?)');
  const update = db.prepare('UPDATE records SET version = ?, box = ? WHERE sequence = ?');
  const remove = db.prepare('DELETE FROM records WHERE kind = ? AND key = ?');

  const opened = (kind: RecordKind, hash: Uint8Array, { sequence, version, box }: Row): StoredRecord => {
    const { key, value } = JSON.parse(fromUtf8(openBox(sealingKey, box, bound(kind, hash, version)))) as { key: string; value: unknown };
    return { key, version, sequence, value };
  };

  const apply = (change: RecordChange): void => {
    if ('remove' in change) {
      remove.run(change.remove, hashed(change.remove, change.key));
      return;
    }
    const { put: kind, key, value, ifVersion } = change;
    const hash = hashed(kind, key);
    const row = select.get(kind, hash) as Row | undefined;
    if (ifVersion !== undefined && ifVersion !== (row?.version ?? 0)) throw new VersionConflict(`The ${kind} has changed meanwhile.`);
    const version = (row?.version ?? 0) + 1;
    const box = closeBox(sealingKey, utf8(JSON.stringify({ key, value })), bound(kind, hash, version));
    if (row) update.run(version, box, row.sequence);
    else insert.run(kind, hash, box);
  };

  const named = async <T>(act: () => T): Promise<T> => {
    try {
      return act();
    } catch (error) {
      throw namingFile(db, error);
    }
  };

  return {
    get: (kind, key) =>
      named(() => {
        const hash = hashed(kind, key);
        const row = select.get(kind, hash) as Row | undefined;
        return row && opened(kind, hash, row);
      }),
    list: (kind, after = 0, most = 1000) =>
      named(() => {
        const rows = page.all(kind, after, most) as unknown as (Row & { key: Uint8Array })[];
        return rows.map((row) => opened(kind, row.key, row));
      }),
    commit: (changes) =>
      named(() => {
        db.exec('BEGIN IMMEDIATE');
        try {
          for (const change of changes) apply(change);
          db.exec('COMMIT');
        } catch (error) {
          if (db.isTransaction) db.exec('ROLLBACK');
          throw error;
        }
      }),
    close: async () => db.close(),
  };
}
