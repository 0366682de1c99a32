// A peer's data key, wrapped: by a key from the passphrase, or by a key in a file beside the database (ADR 0018).

import { scryptAsync } from '@noble/hashes/scrypt.js';
import { fromBase64Url, toBase64Url, utf8 } from '@parley/protocol/relay';
import { closeBox, erase, openBox, randomBytes } from '../seal/sodium.ts';

/** What the database keeps of the data key. None of it is secret. */
export interface WrappedKey {
  v: 1;
  by: 'passphrase' | 'file';
  /** Of scrypt; absent for a key in a file. */
  salt?: string;
  cost?: number;
  box: string;
}

/** What unwraps: a passphrase, or the bytes of the key file. */
export type Unlock = { passphrase: string } | { fileKey: Uint8Array };

export class LockedError extends Error {}

/** 64 MiB and about half a second for each guess. */
const defaultCost = 2 ** 16;
const purpose = utf8('a2acp-vault/1');

async function wrappingKey(unlock: Unlock, { salt, cost }: Pick<WrappedKey, 'salt' | 'cost'>): Promise<Uint8Array> {
  if ('fileKey' in unlock) return unlock.fileKey.slice();
  return scryptAsync(utf8(unlock.passphrase.normalize('NFKC')), fromBase64Url(salt!), { N: cost!, r: 8, p: 1, dkLen: 32 });
}

export async function wrapKey(dataKey: Uint8Array, unlock: Unlock, cost = defaultCost): Promise<WrappedKey> {
  const how = 'passphrase' in unlock ? { by: 'passphrase' as const, salt: toBase64Url(randomBytes(16)), cost } : { by: 'file' as const };
  const key = await wrappingKey(unlock, how);
  const box = toBase64Url(closeBox(key, dataKey, purpose));
  erase(key);
  return { v: 1, ...how, box };
}

/** Throws a `LockedError` that says what is missing or wrong. */
export async function unwrapKey(wrapped: WrappedKey, unlock: Unlock): Promise<Uint8Array> {
  const by = 'passphrase' in unlock ? 'passphrase' : 'file';
  if (by !== wrapped.by)
    throw new LockedError(
      wrapped.by === 'passphrase'
        ? 'This peer needs its passphrase. Set PARLEY_PEER_PASSPHRASE.'
        : 'This peer was made without a passphrase. Unset PARLEY_PEER_PASSPHRASE. To lock the peer, back it up, then set the passphrase and restore it into a new folder.',
    );
  const key = await wrappingKey(unlock, wrapped);
  try {
    return openBox(key, fromBase64Url(wrapped.box), purpose);
  } catch (error) {
    throw new LockedError(by === 'passphrase' ? 'The passphrase is wrong.' : 'The key file does not belong to this peer.', {
      cause: error,
    });
  } finally {
    erase(key);
  }
}
