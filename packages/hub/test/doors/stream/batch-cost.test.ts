// What a stream sends at once takes as many statements for one fact as for a hundred, live and when a client comes back.

import { seqOfFact } from '@parley/hub';
import { Ear, hubFor, onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { copyRow, CountedStore } from '../../kit/counted-store.ts';

/** The hub asks for itself meanwhile, which only adds to a count. */
async function leastOf(times: number, count: () => Promise<number>): Promise<number> {
  const found: number[] = [];
  for (let n = 0; n < times; n++) found.push(await count());
  return Math.min(...found);
}

onBothEngines('statements of a stream', (engine) => {
  const kit = hubFor(engine);
  const settled = async (): Promise<void> => {
    const { tail, outbox, indexer, scheduler } = kit.hub.kernel;
    for (const part of [tail, scheduler, outbox, indexer]) await part.settled();
  };

  test('[SYS-4] a live batch of a hundred messages takes the statements of one', async () => {
    const [ann, general] = [await kit.person('ann'), await kit.general()];
    const { store } = kit.hub.kernel;
    await ann.post(general, 'first');
    const [message] = await store.rows('messages', { conversation_id: general }, { order: 'seq', limit: 1 });
    const ear = new Ear(ann);
    await ear.ready();
    const counted = new CountedStore(store);
    let copies = 0;
    const statements = (many: number) =>
      leastOf(3, async () => {
        await settled();
        const before = ear.facts().length;
        const id = () => `msg_${String((copies += 1)).padStart(26, '0')}`;
        counted.reads = { asked: 0, rows: 0 };
        await copyRow(store, 'messages', message, (n) => ({ id: id(), seq: seqOfFact(n) }), many);
        await ear.until(() => ear.facts().length === before + many);
        return counted.reads.asked;
      });
    const one = await statements(1);
    expect(one).toBeLessThanOrEqual(6);
    expect(await statements(100)).toBe(one);
    ear.close();
  });

  test('[SYS-4] a client that comes back to 125 facts of five kinds costs the statements of five', async () => {
    const [ben, agent, general] = [await kit.person('ben'), await kit.agent('HELPER'), await kit.general()];
    await kit.owner.call('addToConversation', { params: { conversationId: general }, body: { memberId: agent.id } });
    const counted = new CountedStore(kit.hub.kernel.store);
    let made = 0;
    const happen = async (): Promise<void> => {
      const { id: messageId } = await ben.post(general, '^HELPER help');
      const params = { messageId };
      await ben.call('editMessage', { params, body: { body: '^HELPER help me' } });
      await ben.call('addReaction', { params: { ...params, emoji: '👍' } });
      await ben.call('createChannel', { body: { name: `made-${(made += 1)}` } });
    };
    const statements = async (many: number): Promise<number> => {
      const first = new Ear(ben);
      const cursor = await first.ready();
      first.close();
      for (let n = 0; n < many; n++) await happen();
      return leastOf(3, async () => {
        await settled();
        counted.reads = { asked: 0, rows: 0 };
        const ear = new Ear(ben, cursor);
        await ear.ready();
        const { asked } = counted.reads;
        expect(ear.facts().length).toBeGreaterThanOrEqual(5 * many);
        ear.close();
        return asked;
      });
    };
    for (const many of [1, 25]) expect(await statements(many), `${many} of each`).toBeLessThanOrEqual(23);
  });
});
