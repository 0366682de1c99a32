import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toBase64Url } from '@parley/protocol/relay';
import { describe, expect, test } from 'vitest';
import { publicKey } from './signatures.ts';

const prime = 2n ** 255n - 19n;
/** Little-endian, with the sign bit of x on top. */
const encoded = (y: bigint, sign: 0 | 1): string =>
  toBase64Url(Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 255n) | (i === 31 ? sign << 7 : 0)));

/** The y of the points of order 8, from -x² + y² = 1 + d·x²·y² and y² = -x². */
const orderEight = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;

describe('[A2C-2] public keys', () => {
  test.for(
    [0n, 1n, prime - 1n, prime, prime + 1n].flatMap((y) => [
      { y, sign: 0 as const },
      { y, sign: 1 as const },
    ]),
  )('of low order are refused: y = $y, sign $sign', ({ y, sign }) => {
    expect(() => publicKey(encoded(y, sign))).toThrow('not a usable');
  });

  test('of order eight are refused', () => {
    for (const y of [orderEight, prime - orderEight])
      for (const sign of [0, 1] as const) expect(() => publicKey(encoded(y, sign))).toThrow('not a usable');
  });

  test('are refused as in the published vectors', () => {
    const path = new URL('../../../spec/vectors/relay.json', import.meta.url);
    const { refused } = JSON.parse(readFileSync(path, 'utf8')) as { refused: { low_order_keys: string[] } };
    for (const key of refused.low_order_keys) expect(() => publicKey(key)).toThrow('not a usable');
  });

  test('of another length are refused, and a common one is taken', () => {
    expect(() => publicKey(toBase64Url(new Uint8Array(31).fill(9)))).toThrow('not a usable');
    const { publicKey: open } = generateKeyPairSync('ed25519');
    expect(publicKey(open.export({ format: 'jwk' }).x!).object.asymmetricKeyType).toBe('ed25519');
  });
});
