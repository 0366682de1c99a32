import { expect, test } from 'vitest';
import { addressKey } from '@parley/protocol';
import { RateLimits, TooMany } from './rate-limits.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1::5', '2001:db8:0:1'],
  ['2001:0DB8:0000:0001:ffff:1:2:3', '2001:db8:0:1'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['9.9.9.9:4711', '9.9.9.9'],
  ['[::ffff:9.9.9.9]:4711', '9.9.9.9'],
  ['[2001:db8::1]:4711', '2001:db8:0:0'],
  ['[2001:db8::1]', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('[SYS-11] %s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test('[SYS-11] one address cannot be two by writing itself differently', async () => {
  const limits = new RateLimits({ writesPerMinute: 10, readsPerMinute: 10, strangersPerMinute: 20 });
  await limits.stranger('192.0.2.7');
  await limits.stranger('::ffff:192.0.2.7');
  const refused = await limits.stranger('192.0.2.7').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TooMany);
  expect((refused as TooMany).retryAfterSeconds).toBeGreaterThan(0);
  await limits.stranger('192.0.2.8');
});

test('[SYS-11] reading and writing are counted apart, and so are members', async () => {
  const limits = new RateLimits({ writesPerMinute: 10, readsPerMinute: 10, strangersPerMinute: 10 });
  await limits.member('a', 'write');
  await expect(limits.member('a', 'write')).rejects.toThrow(TooMany);
  await limits.member('a', 'read');
  await limits.member('a', 'upload');
  await limits.member('b', 'write');
});
