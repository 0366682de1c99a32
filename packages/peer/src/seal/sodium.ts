// libsodium, once it is ready, and the few calls of it that sealing needs.

import { joinBytes } from '@parley/protocol/relay';
import sodium from 'libsodium-wrappers';

await sodium.ready;

const nonceBytes = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
export const boxOverhead = nonceBytes + sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES;

/** A random nonce, then the ciphertext. */
export function closeBox(key: Uint8Array, plaintext: Uint8Array, associated: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  return joinBytes(nonce, sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, associated, null, nonce, key));
}

/** Throws where one bit of box or associated data is another. */
export function openBox(key: Uint8Array, box: Uint8Array, associated: Uint8Array): Uint8Array {
  const [nonce, sealed] = [box.subarray(0, nonceBytes), box.subarray(nonceBytes)];
  return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, associated, nonce, key);
}

/** The platform's own source: libsodium's wrapper asks it for every four bytes. */
export const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** BLAKE2b. */
export const hashOf = (bytes: Uint8Array, length = 32, key: Uint8Array | null = null): Uint8Array =>
  sodium.crypto_generichash(length, bytes, key);

export const erase = (...secrets: readonly Uint8Array[]): void => {
  for (const secret of secrets) secret.fill(0);
};

/** An Ed25519 key pair; `secret` is the seed of 32 bytes. */
export interface SigningKey {
  public: Uint8Array;
  secret: Uint8Array;
}

export function newSigningKey(seed: Uint8Array = randomBytes(32)): SigningKey {
  return { public: sodium.crypto_sign_seed_keypair(seed).publicKey, secret: seed };
}

export function signBytes(secret: Uint8Array, bytes: Uint8Array): Uint8Array {
  const { privateKey } = sodium.crypto_sign_seed_keypair(secret);
  const signature = sodium.crypto_sign_detached(bytes, privateKey);
  erase(privateKey);
  return signature;
}

/** Refuses keys of low order and signatures that are not canonical, as RFC 8032 asks. */
export function verifies(key: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  return key.length === 32 && signature.length === 64 && sodium.crypto_sign_verify_detached(signature, bytes, key);
}
