import { expect, test } from 'vitest';
import type { Reader } from '../store/port.ts';
import { factRanges } from './decision-reads.ts';

test.each([null, 1, 4999, 5000, 5001, 12_345])('[SYS-14] stretches cover every place once, the last of them being %s', async (last) => {
  const store = { all: () => Promise.resolve([{ seq: last }]) } as unknown as Reader;
  const places: number[] = [];
  for await (const [after, upTo] of factRanges(store)) for (let seq = after + 1; seq <= upTo; seq++) places.push(seq);
  expect(places).toEqual(Array.from({ length: last ?? 0 }, (_, i) => i + 1));
});

test('[SYS-14] facts that are appended while the stretches are read are in a stretch, too', async () => {
  const lasts = [5000, 5003, 5003];
  const store = { all: () => Promise.resolve([{ seq: lasts.shift() }]) } as unknown as Reader;
  const found: [number, number][] = [];
  for await (const stretch of factRanges(store)) found.push(stretch);
  expect(found).toEqual([
    [0, 5000],
    [5000, 5003],
  ]);
});
