import { SimClock } from '@parley/testkit';
import { expect, test } from 'vitest';
import { Stuck } from './stuck.ts';

const minute = 60_000;

function start() {
  const clock = new SimClock();
  const tried: string[][] = [];
  const said: unknown[] = [];
  const all = new Map<string, string>();
  const stuck: Stuck = new Stuck(
    clock,
    (error) => said.push(error),
    () => {
      const now = [...all.keys()].filter((id) => !stuck.has(id));
      tried.push(now);
      for (const id of now) meet(id);
    },
  );
  const meet = (id: string): void => stuck.met(new Error(`row ${all.get(id)} is damaged`), id);
  const add = (id: string, row: string): void => {
    all.set(id, row);
    meet(id);
  };
  return { clock, tried, said, all, stuck, add };
}

test('[PRV-15] of those that hang on one row one is tried, ever more seldom, and the row is told once', () => {
  const { clock, tried, said, add } = start();
  for (const id of ['a1', 'a2', 'a3']) add(id, 'a');
  add('b1', 'b');
  for (let left = 7; left > 0; left--) clock.advance(minute);
  expect(tried).toEqual([
    ['a1', 'b1'],
    ['a2', 'b1'],
    ['a3', 'b1'],
  ]);
  expect(said).toHaveLength(2);
});

test('[PRV-15] however many rows are damaged, each gets its turn', () => {
  const { clock, tried, add } = start();
  for (let n = 0; n < 40; n++) add(`i${n}`, `r${n}`);
  for (let left = 7; left > 0; left--) clock.advance(minute);
  expect(tried.map(({ length }) => length)).toEqual([16, 16, 16]);
  expect(new Set(tried.flat()).size).toBe(40);
});

test('[PRV-15] with one that could be begun all that hang on the same row are free, and no other', () => {
  const { clock, all, stuck, add } = start();
  for (const [id, row] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
    ['b2', 'b'],
  ] as const)
    add(id, row);
  all.delete('a1');
  clock.advance(minute);
  expect(stuck.freed('a1')).toBe(true);
  expect([stuck.has('a2'), stuck.has('b1'), stuck.has('b2')]).toEqual([false, true, true]);
  expect(stuck.freed('other')).toBe(false);
});

test('[PRV-15] one that is begun keeps none that was left running from being looked at again', () => {
  const { clock, tried, all, stuck, add } = start();
  add('a1', 'a');
  all.delete('a1');
  clock.advance(minute);
  // In the same look, before a1 is begun, what was left running is met once more.
  stuck.met(new Error('row r is damaged'));
  expect(stuck.freed('a1')).toBe(true);
  tried.length = 0;
  clock.advance(minute);
  expect(tried).toHaveLength(1);
});

test('[PRV-15] what was long over makes nobody wait longer, and is told again', () => {
  const { clock, tried, said, all, add } = start();
  add('a1', 'a');
  for (let left = 60; left > 0; left--) clock.advance(minute);
  all.clear();
  for (let left = 60; left > 0; left--) clock.advance(minute);
  tried.length = 0;
  add('a2', 'a');
  clock.advance(minute);
  expect([tried.length, said.length]).toEqual([1, 2]);
});
