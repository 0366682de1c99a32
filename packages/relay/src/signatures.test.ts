// The relay verifies with node:crypto, its clients with libsodium: both must answer alike, or a frame that one takes stops at the other.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toBase64Url, utf8 } from '@parley/protocol/relay';
import { publicKey, relayKey, verifies } from './signatures.ts';

interface Case {
  tcId: number;
  flags: string;
  key: string;
  msg: string;
  sig: string;
  valid: boolean;
}
const path = new URL('../../../spec/vectors/wycheproof/ed25519.json', import.meta.url);
const { tests } = JSON.parse(readFileSync(path, 'utf8')) as { tests: Case[] };
const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
/** The eight points of low order, with the numbers that only another encoding has. */
const weakKeys = [
  ...['00', '01'].map((first) => first.padEnd(64, '0')),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ...Array.from({ length: 20 }, (_, n) => `${(0xec + n).toString(16)}${'ff'.repeat(30)}7f`),
];
const encoded = (hex: string): string => toBase64Url(bytes(hex));

describe('the relay’s Ed25519', () => {
  it('[A2C-2] verifies what Wycheproof calls valid and nothing else', () => {
    const answers = tests.map(({ tcId, key, msg, sig }) => [tcId, verifies(publicKey(encoded(key)), bytes(msg), bytes(sig))]);
    expect(answers).toEqual(tests.map(({ tcId, valid }) => [tcId, valid]));
  });

  it('[A2C-2] refuses keys of low order, keys in a second encoding and keys of another length', () => {
    for (const hex of weakKeys) {
      const withSign = bytes(hex);
      withSign[31]! |= 0x80;
      expect(() => publicKey(encoded(hex)), hex).toThrow();
      expect(() => publicKey(toBase64Url(withSign)), hex).toThrow();
    }
    for (const length of [0, 31, 33]) expect(() => publicKey(toBase64Url(new Uint8Array(length).fill(9)))).toThrow();
  });

  it('[A2C-2] refuses a signature whose number is not reduced', () => {
    const key = relayKey();
    const signature = Buffer.from(key.sign(utf8('text')), 'base64url');
    expect(verifies(publicKey(key.public), utf8('text'), signature)).toBe(true);
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const number = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString('hex')}`) + order;
    const changed = Buffer.concat([signature.subarray(0, 32), Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()]);
    expect(verifies(publicKey(key.public), utf8('text'), changed)).toBe(false);
  });
});
