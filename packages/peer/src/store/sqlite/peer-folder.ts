// A peer's folder: `peer.db`, and `peer.key` where there is no passphrase. Both are for their owner alone.

import { chmodSync, mkdirSync, readFileSync, writeFileSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fromBase64Url, toBase64Url } from '@parley/protocol/relay';
import { randomBytes } from '../../seal/sodium.ts';
import type { PeerStore } from '../port.ts';
import { type Unlock, unwrapKey, wrapKey } from '../vault.ts';
import { keepWrappedKey, namingFile, openPeerFile, sqlitePeerStore, wrappedKeyIn } from './store.ts';
import { DatabaseSync } from 'node:sqlite';
import { asFileError, isSqliteBusy } from '@parley/protocol/sqlite-fault';

/** Opens the folder, or makes it. An empty passphrase counts as none. */
export async function openPeerFolder(path: string, passphrase: string | undefined, cost?: number): Promise<PeerStore> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const db = openPeerFile(join(path, 'peer.db'));
  try {
    const unlock: Unlock = passphrase
      ? { passphrase }
      : { fileKey: fileKeyIn(join(path, 'peer.key'), wrappedKeyIn(db)?.by === 'passphrase') };
    let wrapped = wrappedKeyIn(db);
    if (!wrapped) keepWrappedKey(db, (wrapped = await wrapKey(randomBytes(32), unlock, cost)));
    return sqlitePeerStore(db, await unwrapKey(wrapped, unlock));
  } catch (error) {
    const named = namingFile(db, error);
    db.close();
    throw named;
  }
}

/** For this process alone, until the store is closed. Undefined while another one has the folder. */
export async function openLockedFolder(path: string, passphrase?: string): Promise<PeerStore | undefined> {
  const release = lockPeerFolder(path);
  if (!release) return undefined;
  try {
    const store = await openPeerFolder(path, passphrase);
    return { ...store, close: () => store.close().then(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/** A peer with a passphrase gets no key file, also when somebody forgot to give the passphrase. */
function fileKeyIn(path: string, isLocked: boolean): Uint8Array {
  if (isLocked) return new Uint8Array(32);
  try {
    const text = readFileSync(path, 'utf8').trim();
    chmodSync(path, 0o600);
    return fromBase64Url(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const key = randomBytes(32);
  writeFileSync(path, `${toBase64Url(key)}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

// A peer's folder is used by one process at a time: two lines would displace each other. The lock goes with its process.

export const holdsPeer = (folder: string): boolean => existsSync(join(folder, 'peer.db'));

/** Undefined while another process has it. Returns what releases it. */
export function lockPeerFolder(folder: string): (() => void) | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'peer.lock');
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (isSqliteBusy(error)) return undefined;
    throw asFileError(path, error, 'Remove it while nothing uses the peer, then try again.');
  }
}
