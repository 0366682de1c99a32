import { expect, test } from 'vitest';
import { ReceiveRate } from './receive-rate.ts';

test('[SYS-14] a connection may send a burst, and then as fast as its rate; an empty frame counts', () => {
  const pace = new ReceiveRate({ bytesPerSecond: 1000, burst: 2000 }, 0);
  expect(pace.spend(2000, 0)).toBe(0);
  expect(pace.spend(1000, 0)).toBe(1000);
  expect(pace.spend(0, 1000)).toBe(256);
  // Waiting longer saves up no more than the burst.
  expect(pace.spend(2000, 1_000_000)).toBe(0);
  expect(pace.spend(500, 1_000_000)).toBe(500);
});
