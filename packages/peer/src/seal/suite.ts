// The one cipher suite of sessions: X25519, ChaCha20-Poly1305, SHA-256, Ed25519 (RFC 9420, suite 3). Signatures are libsodium's; the
// hashes are not WebCrypto's, whose every call crosses a thread.

import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type CiphersuiteImpl, getCiphersuiteFromName, getCiphersuiteImpl, nobleCryptoProvider } from 'ts-mls';
import { newSigningKey, signBytes, verifies } from './sodium.ts';
import { isPacketKey, partOf } from './packet-keys.ts';

const suiteName = 'MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519';

export const suite: CiphersuiteImpl = {
  ...(await getCiphersuiteImpl(getCiphersuiteFromName(suiteName), nobleCryptoProvider)),
  kdf: {
    size: sha256.outputLen,
    extract: async (salt, ikm) => extract(sha256, ikm, salt),
    expand: async (secret, info, length) => (isPacketKey(secret) ? partOf(secret, info) : expand(sha256, secret, info, length)),
  },
  signature: {
    sign: async (secret, bytes) => signBytes(secret, bytes),
    verify: async (key, bytes, signature) => verifies(key, bytes, signature),
    keygen: async () => {
      const { public: publicKey, secret: signKey } = newSigningKey();
      return { publicKey, signKey };
    },
  },
};
