// libsodium's Ed25519, where the optional package is installed and has a build for this machine: half the time of OpenSSL's.

import { createRequire } from 'node:module';
import type { SignedBytes } from './batch.ts';

/**
 * Throws where sodium is not installed. The verdicts are those of node:crypto for every key that `publicKey` accepts; a
 * test compares them.
 */
export function sodiumVerifier(): (signed: SignedBytes) => boolean {
  const sodium = createRequire(import.meta.url)('sodium-native') as {
    crypto_sign_verify_detached: (signature: Uint8Array, bytes: Uint8Array, key: Uint8Array) => boolean;
  };
  return ({ key, bytes, signature }) => sodium.crypto_sign_verify_detached(signature, bytes, key);
}
