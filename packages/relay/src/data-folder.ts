// The relay's folder: its key and its database, both for their owner alone.

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RelayKey, relayKey, sha256 } from './signatures.ts';
import type { RelayStore } from './store/port.ts';
import { openSqliteStore } from './store/sqlite/store.ts';

export interface RelayFolder {
  key: RelayKey;
  store: RelayStore;
}

export function openRelayFolder(path: string): RelayFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return { key: keyIn(join(path, 'relay.key')), store: openSqliteStore(join(path, 'relay.db')) };
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
  writeFileSync(path, key.pem, { mode: 0o600, flag: 'wx' });
  return key;
}

const invitationMs = 7 * 24 * 3_600_000;

/** A code that registers one name. Works beside a running relay: the database takes several writers. */
export async function inviteTo(store: RelayStore, now: number): Promise<{ code: string; expiresAt: number }> {
  const code = randomBytes(15).toString('base64url');
  const expiresAt = now + invitationMs;
  await store.invite(sha256(code), expiresAt);
  return { code, expiresAt };
}
