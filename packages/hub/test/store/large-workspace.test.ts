// What grows with use grows past every round number, and history, stream and search still answer.

import type { AnyRow, Store, TableName } from '@parley/hub';
import { Ear, hubFor, makeOnce, onBothEngines } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';

const member = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;

async function insert(store: Store, table: TableName, rows: AnyRow[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 5000) {
    const { transaction } = await store.begin([], []);
    const inserts = rows.slice(i, i + 5000).map((row) => ({ table, row }));
    await transaction.commit({ inserts, updates: [], deletes: [], facts: [] });
  }
}

onBothEngines('a workspace that has grown', (engine) => {
  const kit = hubFor(engine);
  const bob = makeOnce(() => kit.person('bob'));
  let general: string;
  beforeAll(async () => {
    general = await kit.general();
  });

  test('[SYS-4] messages with 25,000 reactions are shown, told live and found, with the first thousand of each', async () => {
    const { store } = kit.hub.kernel;
    const [loud, quiet] = [await bob.post(general, 'a marmot'), await bob.post(general, 'another marmot')];
    await bob.call('addReaction', { params: { messageId: quiet.id, emoji: '👍' } });
    await insert(
      store,
      'reactions',
      Array.from({ length: 25_000 }, (_, i) => ({
        message_id: loud.id,
        member_id: member(i % 12_500),
        emoji: i < 12_500 ? '👍' : '🎉',
        at: i,
      })),
    );
    const ear = new Ear(bob);
    await ear.ready();
    await bob.call('editMessage', { params: { messageId: loud.id }, body: { body: 'a loud marmot', version: 1 } });
    const { data } = await ear.fact('message.edited');
    ear.close();
    const expected = [{ emoji: '👍', memberIds: Array.from({ length: 1000 }, (_, i) => member(i)), signal: 'agree' }];
    expect(data.message.reactions).toEqual(expected);
    const { messages } = await bob.call('listMessages', { params: { conversationId: general }, query: { limit: 50 } });
    expect(messages.find(({ id }) => id === loud.id)!.reactions).toEqual(expected);
    expect(messages.find(({ id }) => id === quiet.id)!.reactions).toEqual([{ emoji: '👍', memberIds: [bob.id], signal: 'agree' }]);
    await kit.hub.kernel.indexer.settled();
    const found = await bob.call('search', { query: { q: 'marmot' } });
    expect(found.messages.map(({ id }) => id).toSorted()).toEqual([loud.id, quiet.id].toSorted());
  });

  test('[SYS-4] who is in 21,000 channels lists them, resumes a stream and searches', async () => {
    const { store } = kit.hub.kernel;
    const { cursor } = await bob.call('getSession', {});
    const next = kit.hub.kernel.ids.at(Date.now());
    const ids = Array.from({ length: 21_000 }, () => next.next('conversation'));
    await insert(
      store,
      'conversations',
      ids.map((id, i) => ({
        id,
        kind: 'channel',
        name: `many-${i}`,
        name_fold: `many-${i}`,
        topic: '',
        visibility: 'private',
        floor: 'polite',
        history: 'all',
        parent_id: null,
        root_message_id: null,
        dm_key: null,
        created_by: bob.id,
        created_at: 1,
        archived_at: null,
      })),
    );
    await insert(
      store,
      'memberships',
      ids.map((id) => ({ conversation_id: id, member_id: bob.id, role: 'participant', notify: 'all', joined_at: 1, joined_seq: 1 })),
    );
    const last = ids.at(-1)!;
    const said = await bob.post(last, 'a pangolin');
    const listed = new Set<string>();
    for (let after: string | null | undefined; after !== null;) {
      const page = await bob.call('listConversations', { query: { limit: 500, after } });
      for (const { id } of page.conversations) listed.add(id);
      after = page.next;
    }
    expect(ids.filter((id) => !listed.has(id))).toEqual([]);
    expect(listed).toContain(general);
    const ear = new Ear(bob, cursor);
    await ear.ready();
    expect(ear.facts().some((fact) => fact.type === 'message.posted' && fact.data.message.id === said.id)).toBe(true);
    ear.close();
    await kit.hub.kernel.indexer.settled();
    expect((await bob.call('search', { query: { q: 'pangolin' } })).messages.map(({ id }) => id)).toEqual([said.id]);
  });

  test('[SYS-4] a channel with 21,000 threads is searched', async () => {
    const { store } = kit.hub.kernel;
    await insert(
      store,
      'conversations',
      Array.from({ length: 21_000 }, (_, i) => ({
        id: `con_thread${i}`,
        kind: 'thread',
        name: null,
        name_fold: null,
        topic: '',
        visibility: 'public',
        floor: 'polite',
        history: 'all',
        parent_id: general,
        root_message_id: `msg_${i}`,
        dm_key: null,
        created_by: bob.id,
        created_at: 1,
        archived_at: null,
      })),
    );
    const carol = await kit.person('carol');
    const said = await carol.post(general, 'an aardvark');
    await kit.hub.kernel.indexer.settled();
    expect((await carol.call('search', { query: { q: 'aardvark' } })).messages.map(({ id }) => id)).toEqual([said.id]);
  });
});
