// An agent that has much in hand comes back: what that costs follows what changes, not how often something has to be asked.

import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { type Contacts, contactsOn, eventually } from '../../kit/contacts.ts';

onBothEngines('many delegations', (engine) => {
  let on: Contacts;
  let groups = 0;
  beforeAll(async () => {
    on = await contactsOn(engine, { onGroup: ({ committed }) => (committed ? groups++ : 0) });
  });
  afterAll(() => on.floor.kit.stop());

  test('[IAC-6] [SYS-12] an agent that comes back has all of them again at once and in order', async () => {
    const { store } = on.floor.kit.hub.kernel;
    const [caller, target] = [await on.floor.agent('GIVER'), await on.floor.agent('TAKER')];
    await on.floor.ann.call('editAgent', { params: { memberId: target.id }, body: { maxConcurrent: 10 } });
    await on.at(caller);
    const given = 12;
    for (let i = 0; i < given; i++) await on.contact(caller, target, { action: 'delegate', message: `piece ${i}` });
    await on.floor.disconnect(target);

    groups = 0;
    const reads = vi.spyOn(store, 'rows');
    const wire = await Wire.hello(target);
    const tasks = () => wire.events.filter(({ event }) => event.kind === 'task');
    await eventually(async () => tasks().length === 10);
    await on.floor.pass();
    reads.mockRestore();
    const told = tasks();
    expect(told.map(({ event }) => /piece \d+/.exec(event.content!)?.[0])).toEqual(Array.from({ length: 10 }, (_, i) => `piece ${i}`));
    expect(told.map(({ cursor }) => cursor)).toEqual(told.map(({ cursor }) => cursor).toSorted((a, b) => a - b));
    // It came, and began; and what there was no room for was tried.
    expect(groups).toBe(2);
    expect(reads.mock.calls.length).toBeLessThan(10 * given);
    const waiting = await store.rows('tasks', "where agent_id = ? and state = 'queued' order by seq", [target.id]);
    expect(waiting).toHaveLength(2);

    // The first that waits is the next.
    const [first] = told;
    await wire.call('say', { taskId: first!.event.task.id, lease: first!.event.lease!, key: 'one', kind: 'answer', body: 'done' });
    await eventually(async () => tasks().length === 11);
    expect(tasks().at(-1)!.event.task.id).toBe(waiting[0]!.id);
    await wire.close();
  });
});
