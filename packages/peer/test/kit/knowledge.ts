// What somebody could work out who holds some bytes and everything that went over the wire. Each secret that the real cipher suite
// makes is recorded with the secrets it came from; from what stands in stolen bytes, all that follows is added until nothing new does.

import type { webcrypto } from 'node:crypto';
import { decodeMlsMessage } from 'ts-mls';
import { readBody } from '../../src/seal/sealed-body.ts';
import { suite } from '../../src/seal/suite.ts';

interface Derivation {
  /** All of them are needed. */
  from: string[];
  to: string;
}
export interface Encryption {
  key: string;
  nonce: string;
  plaintext: Uint8Array;
}

/** Opaque, as WebCrypto makes them. */
type HpkeKey = webcrypto.CryptoKey;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** Zeros and nothing are known to everybody. */
const isSecret = (value: string): boolean => !/^0*$/.test(value);

export class Knowledge {
  readonly encryptions: Encryption[] = [];
  readonly #derivations: Derivation[] = [];
  readonly #secrets = new Set<string>();
  readonly #keyOfCiphertext = new Map<string, string>();
  readonly #bytesOfKey = new Map<HpkeKey, string>();
  readonly #original = { kdf: { ...suite.kdf }, hpke: { ...suite.hpke } };

  /** Begins to record. `stop` ends it. */
  constructor() {
    const { kdf, hpke } = this.#original;
    suite.kdf.expand = async (prk, info, length) => this.#derived([prk], await kdf.expand(prk, info, length));
    suite.kdf.extract = async (salt, ikm) => this.#derived([salt, ikm], await kdf.extract(salt, ikm));
    suite.hpke.importPrivateKey = async (bytes) => {
      const key = (await hpke.importPrivateKey(bytes)) as HpkeKey;
      this.#named(key, bytes);
      return key;
    };
    suite.hpke.deriveKeyPair = async (ikm) => {
      const pair = await hpke.deriveKeyPair(ikm);
      const secret = await hpke.exportPrivateKey(pair.privateKey);
      this.#named(pair.privateKey as HpkeKey, secret);
      this.#derived([ikm], secret);
      return pair;
    };
    suite.hpke.open = async (key, ...rest) => {
      const plaintext = await hpke.open(key, ...rest);
      this.#add({ from: [this.#bytesOfKey.get(key as HpkeKey)!], to: hex(plaintext) });
      return plaintext;
    };
    suite.hpke.encryptAead = async (key, nonce, aad, plaintext) => {
      const ciphertext = await hpke.encryptAead(key, nonce, aad, plaintext);
      this.encryptions.push({ key: hex(key), nonce: hex(nonce), plaintext: plaintext.slice() });
      this.#keyOfCiphertext.set(hex(ciphertext), hex(key));
      return ciphertext;
    };
  }

  stop(): void {
    Object.assign(suite.kdf, this.#original.kdf);
    Object.assign(suite.hpke, this.#original.hpke);
  }

  /** Which captured bodies the holder of these bytes could open: it follows from them which key a body's last message was sealed with. */
  opener(...stolen: readonly unknown[]): (body: Uint8Array) => boolean {
    const known = this.#closure(stolen.map(flat).join(' '));
    return (body) => {
      const message = decodeMlsMessage(readBody(body).messages.at(-1)!, 0)![0];
      if (message.wireformat !== 'mls_private_message') throw new Error('The body carries no key.');
      const key = this.#keyOfCiphertext.get(hex(message.privateMessage.ciphertext));
      if (key === undefined) throw new Error('The body was sealed before the recording began.');
      return known.has(key);
    };
  }

  #closure(bytes: string): Set<string> {
    const known = new Set([...this.#secrets].filter((secret) => bytes.includes(secret)));
    for (let size = -1; size < known.size;) {
      size = known.size;
      for (const { from, to } of this.#derivations)
        if (!known.has(to) && from.every((one) => known.has(one) || !isSecret(one))) {
          known.add(to);
          // A Welcome's plaintext holds several secrets.
          if (to.length > 64) for (const inside of this.#secrets) if (to.includes(inside)) known.add(inside);
        }
    }
    return known;
  }

  #derived(from: readonly Uint8Array[], to: Uint8Array): Uint8Array {
    this.#add({ from: from.map(hex), to: hex(to) });
    return to;
  }

  #named(key: HpkeKey, bytes: Uint8Array): void {
    this.#bytesOfKey.set(key, hex(bytes));
    this.#secrets.add(hex(bytes));
  }

  #add(derivation: Derivation): void {
    this.#derivations.push(derivation);
    for (const secret of [...derivation.from, derivation.to]) if (isSecret(secret)) this.#secrets.add(secret);
  }
}

/** All bytes in a value, however deep, as hexadecimal text. */
function flat(value: unknown): string {
  if (value instanceof Uint8Array) return hex(value);
  return typeof value === 'object' && value !== null ? Object.values(value).map(flat).join(' ') : '';
}
