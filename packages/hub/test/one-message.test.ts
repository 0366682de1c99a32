// What comes in again and again goes to the writing thread once: all it needs is known, so that the commit is the first
// that the writer hears of it. Asked before as well, the doors and the writer would wait for each other in turns.

import { startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Thread } from '../src/store/sqlite/thread.ts';
import { event } from './provoke/kit.ts';

let kit: TestHub;
beforeAll(async () => {
  kit = await startTestHub('sqlite');
});
afterAll(() => kit.stop());

/** What the writer is asked while `work` is done, by name. Reads by themselves are another thread's. */
async function asked(work: () => Promise<unknown>): Promise<string[]> {
  const { tail, outbox, indexer } = kit.hub.kernel;
  const settle = () => Promise.all([tail.settled(), outbox.settled(), indexer.settled()]);
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
  const emit = () => owner.call('emitEvent', { body: event({ type: 'energy.price.exceeded' }) });
  await emit();
  expect(await asked(emit)).toEqual(['commit']);

  const object = { id: 'meter', types: ['energy.*'] };
  await owner.call('putProvoke', { params: { kind: 'source', id: 'meter' }, body: { version: 0, object } });
  const { secret } = await owner.call('createToken', { body: { kind: 'source', label: 'meter', source: 'meter' } });
  const say = (type: string) =>
    fetch(`${hub.url}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(event({ type })),
    });
  expect((await say('energy.price.exceeded')).status).toBe(200);
  expect(await asked(() => say('energy.price.exceeded'))).toEqual(['commit']);
  // What is known changes with what is written, at once.
  await owner.call('putProvoke', {
    params: { kind: 'source', id: 'meter' },
    body: { version: 1, object: { ...object, types: ['water.*'] } },
  });
  expect((await say('energy.price.exceeded')).status).toBe(403);
  expect((await say('water.level.exceeded')).status).toBe(200);
});
