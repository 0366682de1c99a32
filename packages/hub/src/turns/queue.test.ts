import { expect, test } from 'vitest';
import type { TaskRow } from '../store/tables.ts';
import { type RunningTask, stillWaiting, startable, type QueuedTask } from './queue.ts';

const waiting = (id: string, conversation: string, isAsk = false): QueuedTask => ({
  task: { id, conversation_id: conversation } as TaskRow,
  isAsk,
});
const names = (queue: readonly QueuedTask[]) => queue.map(({ task }) => task.id);

const queue = [waiting('a1', 'a'), waiting('a2', 'a'), waiting('b1', 'b'), waiting('ask', 'a', true), waiting('a3', 'a')];

test('[IAC-8] of a conversation no more are begun together than there may be room for, each behind the one before it', () => {
  expect(startable(queue, 2).map(({ task, behind }) => [task.id, behind])).toEqual([
    ['a1', undefined],
    ['a2', 'a1'],
    ['b1', undefined],
    ['ask', undefined],
  ]);
  expect(names(startable(queue, 1))).toEqual(['a1', 'b1', 'ask']);
});

test.each<[string, number, RunningTask[], string[]]>([
  ['all begun: what there may still be room for', 2, ['begun', 'begun', 'begun', 'begun'], ['a3']],
  ['no room: what is behind it waits as well', 2, ['begun', 'busy', 'begun', 'begun'], []],
  ['an ask that is refused for want of room holds up nothing', 1, ['begun', 'begun', 'busy'], ['a2', 'a3']],
  ['refused: what stood behind it is tried for itself', 2, ['refused', 'busy', 'begun', 'begun'], ['a2', 'a3']],
  ['and so is what stood behind that', 3, ['refused', 'busy', 'begun', 'begun', 'busy'], ['a2', 'a3']],
  ['refused, and no room for the next', 3, ['begun', 'refused', 'begun', 'begun', 'begun'], []],
])('[IAC-8] %s', (_, most, became, left) => {
  expect(names(stillWaiting(queue, startable(queue, most), became))).toEqual(left);
});
