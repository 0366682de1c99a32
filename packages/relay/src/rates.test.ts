import { expect, test } from 'vitest';
import { Rates } from './rates.ts';

test('[A2C-10] [SYS-10] keys that somebody invents take bounded room, and the latest keep their counts', () => {
  const rates = new Rates(1, () => 0);
  for (let n = 0; n < 250_000; n += 1) rates.take(`agent:${n}@x.example`);
  expect((rates as unknown as { buckets: Map<string, unknown> }).buckets.size).toBeLessThanOrEqual(100_000);
  expect(rates.take('agent:249999@x.example')).toBeGreaterThan(0);
});
