import { expect, test } from 'vitest';
import { eventOf } from '../../../test/provoke/sample.ts';
import { parsePath } from '../triggers/event-path.ts';
import { keyAt, longestKey } from './throttle.ts';

test('[PRV-10] a key has so many characters, and what holds more is gone through once for all keys that lead into it', () => {
  let reads = 0;
  const wide = new Proxy(
    Array.from({ length: longestKey }, () => 1),
    { ownKeys: (target) => (reads++, Reflect.ownKeys(target)) },
  );
  const event = eventOf({ text: 'x'.repeat(longestKey), long: 'x'.repeat(longestKey + 1), few: { b: 1, a: ['x'] }, wide: [[wide]] });
  const keyOf = (text: string) => {
    const parsed = parsePath(text);
    return parsed.ok ? keyAt(parsed.path, event) : parsed.message;
  };
  expect([keyOf('$.data.text')?.length, keyOf('$.data.few')]).toEqual([longestKey + 2, '{"a":["x"],"b":1}']);
  expect(['long', 'none', 'wide', 'wide[0]', 'wide[0][0]', 'wide'].map((name) => keyOf(`$.data.${name}`))).toEqual(
    Array(6).fill(undefined),
  );
  expect(reads).toBe(1);
});
