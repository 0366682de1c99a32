// Ed25519 with node:crypto. Keys of low order would make signatures that fit many texts, so they are refused where keys come in.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { fromBase64Url, toBase64Url } from '@parley/protocol/relay';

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Every encoding of the eight points of low order (RFC 8032 curves), the non-canonical ones included, without the sign bit. */
const lowOrder = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

function isLowOrder(key: Uint8Array): boolean {
  const bare = Buffer.from(key);
  bare[31]! &= 0x7f;
  return lowOrder.has(bare.toString('hex'));
}

/** False for a second encoding of a point, with the field's prime added. libsodium refuses those in clients, so the relay does too. */
function isCanonical(key: Uint8Array): boolean {
  return key[0]! < 0xed || (key[31]! & 0x7f) < 0x7f || key.subarray(1, 31).some((byte) => byte !== 0xff);
}

export interface PublicKey {
  raw: Uint8Array;
  object: KeyObject;
}

/** Throws where the text is no usable Ed25519 public key. */
export function publicKey(text: string): PublicKey {
  const raw = fromBase64Url(text);
  if (raw.length !== 32 || isLowOrder(raw) || !isCanonical(raw)) throw new Error('not a usable Ed25519 public key');
  return { raw, object: createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' }) };
}

export const verifies = ({ object }: PublicKey, bytes: Uint8Array, signature: Uint8Array): boolean =>
  verifyBytes(null, bytes, object, signature);

/** Verifies keys and signatures given as texts. False if one of them cannot be used. */
export function isSigned(key: string, bytes: Uint8Array, signature: string): boolean {
  try {
    return verifies(publicKey(key), bytes, fromBase64Url(signature));
  } catch {
    return false;
  }
}

/** On a thread of Node's pool, so that the relay goes on meanwhile. */
export function verifyAside({ object }: PublicKey, bytes: Uint8Array, signature: Uint8Array, done: (isValid: boolean) => void): void {
  verifyBytes(null, bytes, object, signature, (error, isValid) => done(!error && isValid));
}

export interface RelayKey {
  /** base64url, as clients pin it. */
  public: string;
  sign: (bytes: Uint8Array) => string;
  /** PKCS #8, for the file. */
  pem: string;
}

export function relayKey(pem?: string): RelayKey {
  const key = pem === undefined ? generateKeyPairSync('ed25519').privateKey : createPrivateKey(pem);
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    public: toBase64Url(spki.subarray(spkiPrefix.length)),
    sign: (bytes) => toBase64Url(signBytes(null, bytes, key)),
    pem: key.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
