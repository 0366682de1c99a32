// The one cipher suite of sessions: X25519, ChaCha20-Poly1305, SHA-256, Ed25519 (RFC 9420, suite 3). Signatures are libsodium's; the
// hashes are not WebCrypto's, whose every call crosses a thread.

import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type CiphersuiteImpl, getCiphersuiteFromName, getCiphersuiteImpl, nobleCryptoProvider } from 'ts-mls';
import { newSigningKey, signBytes, verifies } from './sodium.ts';
import { fromUtf8 } from '@parley/protocol/relay';

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

// A key and a nonce that wait for a skipped packet. ts-mls would keep the ratchet's secret instead, from which the keys of all later
// packets follow; it asks the cipher suite for both, so the suite takes them out of such a pair instead of deriving them (A2C-5).

const keyBytes = 32;
const nonceBytes = 12;

/** No secret of the suite has this length. */
const isPacketKey = (secret: Uint8Array): boolean => secret.length === keyBytes + nonceBytes;

/** `info` is RFC 9420's KDFLabel: two bytes of length, then the label with its own length. */
function partOf(pair: Uint8Array, info: Uint8Array): Uint8Array {
  const label = fromUtf8(info.subarray(3, 3 + info[2]!));
  if (label === 'MLS 1.0 key') return pair.slice(0, keyBytes);
  if (label === 'MLS 1.0 nonce') return pair.slice(keyBytes);
  throw new Error(`A packet's key cannot become "${label}".`);
}
