import { expect, test } from 'vitest';
import { ByValues } from './tuple-map.ts';

test('lists are told apart by every value, its kind and its place', () => {
  const map = new ByValues<string>();
  const lists = [
    ['a', 'b', 1],
    ['a', 'b', '1'],
    ['b', 'a', 1],
    ['ab', '', 1],
    ['', 'ab', 1],
  ];
  for (const list of lists) map.set(list, JSON.stringify(list));
  expect(map.size).toBe(lists.length);
  for (const list of lists) expect(map.get(list)).toBe(JSON.stringify(list));
  expect(map.get(['a', 'c', 1])).toBeUndefined();
  expect(map.get(['c', 'b', 1])).toBeUndefined();
});

test('what is put again is counted once, and what is taken out is gone', () => {
  const map = new ByValues<number>();
  map.set(['a', 'b'], 1);
  map.set(['a', 'b'], 2);
  map.set(['a', 'c'], 3);
  expect([map.size, map.get(['a', 'b'])]).toEqual([2, 2]);
  map.delete(['a', 'b']);
  map.delete(['a', 'b']);
  map.delete(['x', 'y']);
  expect([map.size, map.get(['a', 'b']), map.get(['a', 'c'])]).toEqual([1, undefined, 3]);
  map.clear();
  expect([map.size, map.get(['a', 'c'])]).toEqual([0, undefined]);
});
