import { expect, test } from 'vitest';
import { chain, conversation, task } from '../../test/fixtures.ts';
import { byId } from '../state/model.ts';
import { chainsFor, chainsIn, newerStep, placesToShow, stepsOf, treeOf } from './task-tree.ts';
import type { TreeBranch, WorkFilter } from './task-tree.ts';

const shape = (branches: TreeBranch[]): unknown[] =>
  branches.map(({ step, below }) => (below.length === 0 ? step.id : [step.id, shape(below)]));

test('[SYS-2] each task is shown under the task that delegated it, hidden ones included', () => {
  const hidden = { hidden: true, id: 'h', parentId: 'a', state: 'active' } as const;
  expect(shape(treeOf([task('a'), hidden, task('b', { parentId: 'h' }), task('c', { parentId: 'a' })]))).toEqual([
    ['a', [['h', ['b']], 'c']],
  ]);
  expect(shape(treeOf([task('b', { parentId: 'unknown' })]))).toEqual(['b']);
});

test('[SYS-2] [PRV-9] a task stands under the invocation that opened it, and that under its event', () => {
  const event = {
    kind: 'event',
    id: 'evt',
    parentId: null,
    type: 'a.price.crossed',
    source: 'meter',
    via: 'api',
    sourceId: 'meter',
    by: null,
    at: 0,
  } as const;
  const invocation = { kind: 'invocation', id: 'inv', parentId: 'evt', hidden: true } as const;
  const opened = { ...task('a'), title: null, invocationId: 'inv' };
  expect(shape(treeOf([event, invocation, opened, task('b', { parentId: 'a' })]))).toEqual([['evt', [['inv', [['a', ['b']]]]]]]);
});

test('chains of this conversation: those going on first, then the newest', () => {
  const tasks = byId([
    task('old', { state: 'completed', chainId: 'one', createdAt: 1 }),
    task('newer', { state: 'completed', chainId: 'two', createdAt: 5 }),
    task('open', { chainId: 'three', createdAt: 2 }),
    task('below', { chainId: 'three', createdAt: 3, parentId: 'open', conversationId: 'thread' }),
    task('elsewhere', { chainId: 'four', conversationId: 'other' }),
  ]);
  const chains = chainsIn(tasks, (id) => id === 'con' || id === 'thread');
  expect(chains.map((chain) => chain.map(({ id }) => id))).toEqual([['open', 'below'], ['newer'], ['old']]);
});

test('[IAC-18] chains that fit: what runs first, then the newest; by agent, and by conversation with its threads', () => {
  const hidden = { hidden: true, id: 'h', parentId: null, state: 'active' } as const;
  const over = (id: string, extra: object = {}) => task(id, { state: 'completed', ...extra });
  const chains = byId([
    chain('old', [over('a')], { startedAt: 1 }),
    chain('new', [over('b', { agentId: 'stef' })], { startedAt: 9 }),
    chain('runs', [over('c', { conversationId: 'thread' }), hidden], { startedAt: 2 }),
    chain('unseen', [hidden]),
  ]);
  const fit = (filter: Partial<WorkFilter>) =>
    chainsFor(chains, { state: 'all', agentId: '', conversationId: '', ...filter }, (id) => (id === 'thread' ? 'home' : id)).map(
      ({ id }) => id,
    );
  expect(fit({})).toEqual(['runs', 'new', 'old']);
  expect(fit({ state: 'open' })).toEqual(['runs']);
  expect(fit({ agentId: 'stef' })).toEqual(['new']);
  expect(fit({ conversationId: 'home' })).toEqual(['runs']);
  expect(fit({ conversationId: 'con' })).toEqual(['new', 'old']);
});

test('[IAC-18] a step is as the newer of its chain and its facts has it, and keeps its title', () => {
  const step = { ...task('a', { updatedAt: 5 }), title: 'do it' };
  expect(newerStep(step, task('a', { updatedAt: 6, state: 'completed' }))).toMatchObject({ state: 'completed', title: 'do it' });
  expect(newerStep(step, task('a', { updatedAt: 4, state: 'queued' }))).toBe(step);
  expect(newerStep(step, undefined)).toBe(step);
});

test('[SYS-2] every open step of a chain counts by the chain’s timer', () => {
  const paused = { running: false, endsAt: null, leftMs: 5, outerAt: 9 };
  const whole = chain('c', [task('a'), task('b', { state: 'completed', timer: null })], { timer: paused });
  expect(stepsOf(whole, {}, []).map((step) => 'timer' in step && step.timer)).toEqual([paused, null]);
});

test('[SYS-2] archived channels are not offered as a filter', () => {
  const all = [conversation('demo', { archivedAt: 1 }), conversation('general'), conversation('far', { joined: false })];
  expect(placesToShow(all).map(({ id }) => id)).toEqual(['general']);
});
