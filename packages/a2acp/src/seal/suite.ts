// The one cipher suite of sessions: X25519, ChaCha20-Poly1305, SHA-256, Ed25519 (RFC 9420, suite 3), with libsodium's signatures.

import { type CiphersuiteImpl, getCiphersuiteFromName, getCiphersuiteImpl } from 'ts-mls';
import { newSigningKey, signBytes, verifies } from './sodium.ts';

const suiteName = 'MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519';

export const suite: CiphersuiteImpl = {
  ...(await getCiphersuiteImpl(getCiphersuiteFromName(suiteName))),
  signature: {
    sign: async (secret, bytes) => signBytes(secret, bytes),
    verify: async (key, bytes, signature) => verifies(key, bytes, signature),
    keygen: async () => {
      const { public: publicKey, secret: signKey } = newSigningKey();
      return { publicKey, signKey };
    },
  },
};
