// What comes in again and again goes to the writing thread once: all it needs is known, so that the commit is the first
// that the writer hears of it. Asked before as well, the doors and the writer would wait for each other in turns.

import type { ProvokeKind } from '@parley/protocol';
import { startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Thread } from '../../src/store/sqlite/thread.ts';
import { event, sent } from '../kit/provoke.ts';

let kit: TestHub;
beforeAll(async () => {
  kit = await startTestHub('sqlite');
});
afterAll(() => kit.stop());

/** What the writer is asked while `work` is done, by name. Reads by themselves are another thread's. */
async function asked(work: () => Promise<unknown>): Promise<string[]> {
  // The runners look at what has just come as well, in transactions of their own.
  const { scheduler, runner, outbox, indexer } = kit.hub.kernel;
  const settle = () => Promise.all([scheduler.settled(), runner.settled(), outbox.settled(), indexer.settled()]);
  await settle();
  const calls = vi.spyOn(Thread.prototype, 'call');
  await work();
  const ops = calls.mock.calls.map(([{ op }]) => op);
  calls.mockRestore();
  await settle();
  return ops.filter((op) => ['begin', 'load', 'commit', 'rollback'].includes(op));
}

test('[SYS-4] a message in a room where nobody is asked', async () => {
  const { owner } = kit;
  const channel = await owner.call('createChannel', { body: { name: 'quiet' } });
  await owner.post(channel.id, 'hello');
  expect(await asked(() => owner.post(channel.id, 'hello again'))).toEqual(['commit']);
});

test('[PRV-1] an event where nothing waits for any, and one from a monitor that was here before', async () => {
  const { owner, hub } = kit;
  const emit = () => owner.call('emitEvent', { body: sent({ type: 'energy.price.exceeded' }) });
  await emit();
  expect(await asked(emit)).toEqual(['commit']);

  const object = { id: 'meter', types: ['energy.*'] };
  await owner.call('putProvoke', { params: { kind: 'source', id: 'meter' }, body: { version: 0, object } });
  const { secret } = await owner.call('createToken', { body: { kind: 'source', label: 'meter', source: 'meter' } });
  const say = (type: string) =>
    fetch(`${hub.url}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(event({ type, source: 'meter' })),
    });
  expect((await say('energy.price.exceeded')).status).toBe(200);
  expect(await asked(() => say('energy.price.exceeded'))).toEqual(['commit']);
  // One that a trigger waits for has to know whether it has been here, and whether there is room: asked for at once.
  await owner.call('halt', {});
  const put = (kind: ProvokeKind, it: { id: string } & Record<string, unknown>) =>
    owner.call('putProvoke', { params: { kind, id: it.id }, body: { version: 0, object: it } });
  await put('manifest', { id: 'calm', risk_level: 'read_only' });
  const throttle = { max_per_window: 1, window_seconds: 3600, window_key: '$.data.region' };
  await put('trigger', { id: 'price', agent: 'calm', match: { type: 'energy.price.exceeded' }, throttle });
  expect(await (await say('energy.price.exceeded')).json()).toMatchObject({ triggers: [{ outcome: 'run' }] });
  expect(await (await say('energy.price.exceeded')).json()).toMatchObject({ triggers: [{ reason: 'throttled' }] });
  expect(await asked(() => say('energy.price.exceeded'))).toEqual(['begin', 'commit']);
  // What is known changes with what is written, at once.
  await owner.call('putProvoke', {
    params: { kind: 'source', id: 'meter' },
    body: { version: 1, object: { ...object, types: ['water.*'] } },
  });
  expect((await say('energy.price.exceeded')).status).toBe(403);
  expect((await say('water.level.exceeded')).status).toBe(200);
});
