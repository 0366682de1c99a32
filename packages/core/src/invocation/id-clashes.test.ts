import { expect, test } from 'vitest';
import { clashes, type FileClaim } from './id-clashes.ts';

const file = (name: string, ids: string, whole = true): FileClaim => ({ file: name, ids: ids.split(''), whole });

test.each<[string, FileClaim[], Record<string, string | null>, Record<string, [string, string | null][]>]>([
  ['what nobody has is taken', [file('a', 'xy')], {}, {}],
  ['what stands over the API is not', [file('a', 'xy')], { y: null }, { a: [['y', null]] }],
  ['nor what a file has that did not change', [file('a', 'x')], { x: 'b' }, { a: [['x', 'b']] }],
  ['two swap', [file('a', 'y'), file('b', 'x')], { x: 'a', y: 'b' }, {}],
  ['three in a ring', [file('a', 'z'), file('b', 'x'), file('c', 'y')], { x: 'a', y: 'b', z: 'c' }, {}],
  ['one moves to a file that is read before', [file('a', 'x'), file('z', 'y')], { x: 'z', y: 'z' }, {}],
  ['a file gets another name', [file('new', 'xy'), file('old', '')], { x: 'old', y: 'old' }, {}],
  ['of two that would have it the first', [file('a', 'x'), file('b', 'xy')], {}, { b: [['x', 'a']] }],
  ['but who has it keeps it', [file('a', 'x'), file('b', 'x')], { x: 'b' }, { a: [['x', 'b']] }],
  ['what is wrong otherwise keeps what it had', [file('a', 'x'), file('b', 'y', false)], { x: 'b' }, { a: [['x', 'b']] }],
  ['and what it has', [file('a', 'x'), file('b', 'x', false)], { x: 'b' }, { a: [['x', 'b']] }],
  [
    'and so do those that depend on it',
    [file('a', 'x'), file('b', 'y'), file('c', 'z', false), file('d', 'q')],
    { x: 'b', y: 'c' },
    { a: [['x', 'b']], b: [['y', 'c']] },
  ],
  [
    'all that is wrong with one is named',
    [file('a', 'xyz', false)],
    { x: null, z: 'b' },
    {
      a: [
        ['x', null],
        ['z', 'b'],
      ],
    },
  ],
])('[PRV-4] ids that move between files: %s', (_, files, held, expected) => {
  const found = clashes(files, (id) => held[id]);
  const named = [...found].map(([name, list]) => [name, list.map(({ at, by }) => [files.find((one) => one.file === name)!.ids[at], by])]);
  expect(Object.fromEntries(named)).toEqual(expected);
});
