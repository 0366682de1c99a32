// A peer's folder is used by one process at a time: two lines would displace each other. The lock goes with its process.

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asFileError, isSqliteBusy } from '@parley/protocol/sqlite-fault';

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
