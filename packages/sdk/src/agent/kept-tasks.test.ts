// A hub that was away for a moment takes nothing from an agent that is still at work.

import { ParleyError } from '@parley/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bench } from '../../test/agent/bench.ts';
import { delivery } from '../../test/agent/hub-in-memory.ts';
import { until } from '../../test/support.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.close());

const held = () => bench.hub.of('initialize').at(-1)!['holds'];

test('[SYS-12] a reconnecting agent names the tasks it holds, and goes on under its leases', async () => {
  const go = Promise.withResolvers<void>();
  let runs = 0;
  await bench.connect(async (task) => {
    runs++;
    if (task.id === 'tsk_2') return 'done before';
    await go.promise;
    return 'done';
  });
  expect(held()).toEqual([]);
  bench.hub.deliver(delivery(1, 'task', { lease: 3 }));
  bench.hub.deliver(delivery(2, 'task', { task: 'tsk_2' }));
  await until(() => bench.hub.acked === 2 && bench.hub.shown.length === 1);
  bench.hub.kept = ['tsk_1'];
  await bench.restart();
  expect(held()).toEqual([{ taskId: 'tsk_1', lease: 3 }]);
  go.resolve();
  await until(() => bench.hub.shown.length === 2);
  expect(bench.hub.of('say').at(-1)).toMatchObject({ taskId: 'tsk_1', lease: 3, kind: 'answer', body: 'done' });
  expect([runs, bench.errors]).toEqual([2, []]);
});

test('[SYS-12] taken from it after that, it is lost: nothing new is waited for', async () => {
  const go = Promise.withResolvers<void>();
  const ends: unknown[] = [];
  await bench.connect(async (task) => {
    task.signal.addEventListener('abort', () => ends.push(task.signal.reason));
    await go.promise;
    return 'done';
  });
  bench.hub.deliver(delivery(1, 'task'));
  await until(() => bench.hub.acked === 1);
  bench.hub.kept = ['tsk_1'];
  await bench.restart();
  bench.hub.refuse = ({ method }) => (method === 'say' ? { code: 'stale_lease' } : undefined);
  go.resolve();
  await until(() => ends.length === 1);
  expect(ends[0]).toBeInstanceOf(ParleyError);
  expect(ends[0]).toMatchObject({ code: 'stale_lease' });
});

test('[PAP-10] [SYS-12] a run that waits for its task again does not hold it, whether the hub knows of the pause or not', async () => {
  await bench.connect(async (task) => {
    await task.pause();
    return `${task.id} goes on`;
  });
  bench.hub.refuse = ({ method, params }) => (method === 'pause' && params['taskId'] === 'tsk_2' ? 'no answer' : undefined);
  bench.hub.deliver(delivery(1, 'task'));
  bench.hub.deliver(delivery(2, 'task', { task: 'tsk_2' }));
  await until(() => bench.hub.of('pause').length === 2);
  await bench.restart();
  expect(held()).toEqual([]);
  bench.hub.deliver(delivery(3, 'task', { lease: 2 }));
  bench.hub.deliver(delivery(4, 'task', { task: 'tsk_2', lease: 2 }));
  await until(() => bench.hub.shown.length === 2);
  expect(new Set(bench.bodies().map(([, body]) => body))).toEqual(new Set(['tsk_1 goes on', 'tsk_2 goes on']));
});
