import { expect, test } from 'vitest';
import { task } from '../../test/fixtures.ts';
import { keyed } from '../state/model.ts';
import { chainsIn, treeOf } from './tree.ts';
import type { Branch } from './tree.ts';

const shape = (branches: Branch[]): unknown[] =>
  branches.map(({ step, below }) => (below.length === 0 ? step.id : [step.id, shape(below)]));

test('[SYS-2] each step stands under the one it was given on in, hidden ones among them', () => {
  const hidden = { hidden: true, id: 'h', parentId: 'a', state: 'active' } as const;
  expect(shape(treeOf([task('a'), hidden, task('b', { parentId: 'h' }), task('c', { parentId: 'a' })]))).toEqual([
    ['a', [['h', ['b']], 'c']],
  ]);
  expect(shape(treeOf([task('b', { parentId: 'unknown' })]))).toEqual(['b']);
});

test('chains of this conversation: those going on first, then the newest', () => {
  const tasks = keyed([
    task('old', { state: 'completed', chainId: 'one', createdAt: 1 }),
    task('newer', { state: 'completed', chainId: 'two', createdAt: 5 }),
    task('open', { chainId: 'three', createdAt: 2 }),
    task('below', { chainId: 'three', createdAt: 3, parentId: 'open', conversationId: 'thread' }),
    task('elsewhere', { chainId: 'four', conversationId: 'other' }),
  ]);
  const chains = chainsIn(tasks, (id) => id === 'con' || id === 'thread');
  expect(chains.map((chain) => chain.map(({ id }) => id))).toEqual([['open', 'below'], ['newer'], ['old']]);
});
