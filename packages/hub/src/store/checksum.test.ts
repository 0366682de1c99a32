import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { listSummer } from './checksum.ts';

const byPlatform = (key: Uint8Array, values: unknown[]): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['messages', ...values]))
    .digest('base64url')
    .slice(0, 32);

test.each([1, 32, 63, 64, 65, 200])('SYS-4 a checksum with a key of %i bytes is the HMAC-SHA-256 that it was always', (length) => {
  const key = randomBytes(length);
  const sum = listSummer(key);
  // Round the ends of the room for it, short after long, in letters of one to four bytes.
  for (const letter of ['a', 'é', '語', '😀', '\uD83D', '"'])
    for (const count of [0, 1, 5_000, 5_430, 5_450, 16_300, 16_384, 40_000, 3]) {
      const values = [letter.repeat(count), 7, null];
      expect(sum('messages', values), `${count} of ${letter}, key ${key.toString('hex')}`).toBe(byPlatform(key, values));
    }
});
