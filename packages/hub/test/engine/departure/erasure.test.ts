// Words go however many agents they were said to, and however often their author asked for something (SYS-14).

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { type Floor, floorOn } from '../../kit/floor.ts';

/** So many agents of ann's in the channel, none of them here. */
async function crowd(floor: Floor, here: string, size: number): Promise<void> {
  const { engine } = floor.kit.hub.kernel;
  const by = { operator: true } as const;
  await Promise.all(
    Array.from({ length: size }, async (_, i) => {
      const named = { handle: `N${i}`, displayName: `N${i}`, about: '', role: 'member', ownerId: floor.ann.id } as const;
      const { member } = await engine.submit({ type: 'member.add', by, kind: 'agent', ...named });
      await engine.submit({ type: 'conversation.add', by, conversationId: here, memberId: member.id });
    }),
  );
}

onBothEngines('erasing what agents were asked', (engine) => {
  test('[SYS-14] ^ALL to three hundred agents is deleted, with the tasks that are open and those that ended long ago', async () => {
    const floor = await floorOn(engine);
    try {
      const { store } = floor.kit.hub.kernel;
      const here = await floor.channel('crowd', floor.bob);
      await crowd(floor, here, 300);
      const open = () => store.all<{ n: number }>('select count(*) as n from tasks where open = 1');
      const call = (body: string) => floor.bob.call('postMessage', { params: { conversationId: here }, body: { body, confirmAll: 300 } });
      const drop = async (messageId: string) => (await floor.bob.ask('deleteMessage', { params: { messageId } })).status;
      const asked = await call('^ALL report');
      expect(await open()).toEqual([{ n: 300 }]);
      expect(await drop(asked.id)).toBe(200);
      expect(await open()).toEqual([{ n: 0 }]);
      const again = await call('^ALL once more');
      // Time runs out for all of them.
      floor.clock.jump(8 * 24 * 3_600_000);
      await floor.pass(1000);
      expect(await open()).toEqual([{ n: 0 }]);
      expect(await drop(again.id)).toBe(200);
      expect((await floor.bodies(here)).map(([, body]) => body)).toEqual(['', '']);
    } finally {
      await floor.kit.stop();
    }
  });
});

onBothEngines('erasing who asked agents', (engine) => {
  test('[SYS-14] a person who asked agents a hundred times, in many places and with many files, is erased', async () => {
    const floor = await floorOn(engine);
    try {
      const { store, outbox } = floor.kit.hub.kernel;
      const eva = await floor.kit.person('eva');
      const orac = await floor.agent('ORAC');
      const rooms = await Promise.all(Array.from({ length: 60 }, (_, i) => floor.channel(`asked-${i}`, eva, orac)));
      const file = async (text: string): Promise<string> => {
        const headers = { authorization: `Bearer ${eva.token}`, 'content-type': 'text/plain' };
        const sent = await fetch(`${floor.kit.url}/api/v1/attachments?name=a.txt`, { method: 'POST', headers, body: text });
        return ((await sent.json()) as { id: string }).id;
      };
      for (let i = 0; i < 100; i++) {
        const attachmentIds = i < 60 ? [await file(`file ${i}`)] : [];
        await eva.call('postMessage', { params: { conversationId: rooms[i % 60]! }, body: { body: '^ORAC go', attachmentIds } });
      }
      expect(await store.rows('tasks', 'where requester_id = ?', [eva.id])).toHaveLength(100);
      await eva.call('eraseMember', { params: { memberId: eva.id } });
      await outbox.settled();
      expect(await store.rows('messages', 'where author_id = ? and deleted_at is null', [eva.id])).toEqual([]);
      expect(await store.rows('attachments', 'where uploaded_by = ? and erased_at is null', [eva.id])).toEqual([]);
      expect(await store.rows('outbox', "where kind = 'member.erase_more'", [])).toEqual([]);
    } finally {
      await floor.kit.stop();
    }
  });
});
