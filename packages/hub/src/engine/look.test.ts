import { expect, test } from 'vitest';
import type { Reader } from '../store/port.ts';
import { stretches } from './look.ts';

test.each([null, 1, 4999, 5000, 5001, 12_345])('[SYS-14] stretches cover every place once, the last of them being %s', async (last) => {
  const store = { all: () => Promise.resolve([{ seq: last }]) } as unknown as Reader;
  const places: number[] = [];
  for await (const [after, upTo] of stretches(store)) for (let seq = after + 1; seq <= upTo; seq++) places.push(seq);
  expect(places.length).toBeGreaterThanOrEqual(last ?? 0);
  expect(places).toEqual(places.map((_, i) => i + 1));
});
