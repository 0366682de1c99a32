// The relay's folder: its key and its database, both for their owner alone.

import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asFileError, isSqliteBusy } from '@parley/protocol/sqlite-fault';
import { invitationMs } from './limits.ts';
import { type RelayKey, relayKey, sha256 } from './signatures.ts';
import type { RelayStore } from './store/port.ts';
import { openSqliteStore } from './store/sqlite/store.ts';

export interface RelayFolder {
  key: RelayKey;
  store: RelayStore;
}

export function openRelayFolder(path: string): RelayFolder {
  return { key: relayKeyIn(path), store: openSqliteStore(join(path, 'relay.db')) };
}

export function relayKeyIn(path: string): RelayKey {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return keyIn(join(path, 'relay.key'));
}

/** Clients pin this key, so a relay that loses it is another relay to them. */
function keyIn(path: string): RelayKey {
  try {
    const pem = readFileSync(path, 'utf8');
    chmodSync(path, 0o600);
    return relayKey(pem);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = relayKey();
  writeWhole(path, key.pem);
  return key;
}

/** The file is there with all its bytes or not at all, also after a crash: half a key would stop every later start. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  // Windows opens no folders, and needs no sync of them.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

export class RelayFolderInUse extends Error {}

/** Locks the folder, because each of two relays would know only half of the connections. Returns the release; the process's end releases it too. */
export function lockRelayFolder(path: string): () => void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const file = join(path, 'relay.lock');
  // Anybody who can read it can lock it, and then no relay starts.
  closeSync(openSync(file, 'a', 0o600));
  const lock = new DatabaseSync(file);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isSqliteBusy(error)) throw asFileError(file, error, 'Remove it while no relay runs, then try again.');
    throw new RelayFolderInUse(`Another relay uses ${path}.`, { cause: error });
  }
  return () => lock.close();
}

/** True while a relay holds the lock of the folder. */
export function isRelayRunning(path: string): boolean {
  try {
    lockRelayFolder(path)();
    return false;
  } catch (error) {
    if (error instanceof RelayFolderInUse) return true;
    throw error;
  }
}

const alphabet = 'abcdefghjkmnpqrstvwxyz0123456789';

/** Letters and digits only, so that a shell takes a code as it is. */
export const newCode = (): string => Array.from(randomBytes(24), (byte) => alphabet[byte & 31]).join('');

/** A code that registers one name. Works beside a running relay: the database takes several writers. */
export async function inviteTo(store: RelayStore, now: number): Promise<{ code: string; codeHash: string; expiresAt: number }> {
  const code = newCode();
  const codeHash = sha256(code);
  const expiresAt = now + invitationMs;
  await store.invite(codeHash, expiresAt);
  return { code, codeHash, expiresAt };
}
