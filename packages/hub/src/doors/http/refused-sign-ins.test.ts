import { expect, test } from 'vitest';
import { type Burst, burst, RefusedSignIns } from './refused-sign-ins.ts';

test('[SYS-11] a burst warns once, with where it came from, and the next burst again', () => {
  let now = 0;
  const warnings: Burst[] = [];
  const refused = new RefusedSignIns(
    () => now,
    (found) => warnings.push(found),
  );
  const refuse = (times: number, apartMs: number) => {
    for (let i = 0; i < times; i++, now += apartMs) refused.note(`192.0.2.${i % 8}`);
  };
  refuse(9, 100);
  now += burst.quietMs;
  refuse(50, burst.quietMs);
  expect(warnings).toEqual([]);
  now += burst.quietMs;
  refuse(500, 1000);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]!.refused).toBe(burst.refusals);
  expect(warnings[0]!.addresses).toHaveLength(5);
  now += burst.quietMs;
  refuse(10, 1);
  expect(warnings).toHaveLength(2);
});
