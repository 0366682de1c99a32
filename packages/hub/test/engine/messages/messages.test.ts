import { onBothEngines, type Person, twoPeopleOn } from '@parley/testkit';
import { expect, test } from 'vitest';

onBothEngines('messages', (engine) => {
  const { kit, ann, bob, general } = twoPeopleOn(engine);

  const post = (who: Person, body: object, headers: Record<string, string> = {}) =>
    who.ask('postMessage', { params: { conversationId: general.id }, body: body as never }, headers);

  test('[SYS-4] a repeat under the same key is answered with the first message, and shown once', async () => {
    const key = { 'idempotency-key': 'k-1' };
    const first = await post(ann, { body: 'once' }, key);
    const again = await Promise.all([post(ann, { body: 'once' }, key), post(ann, { body: 'once' }, key)]);
    expect(again.map((a) => a.body.id)).toEqual([first.body.id, first.body.id]);
    await kit.restart();
    expect((await post(ann, { body: 'once' }, key)).body.id).toBe(first.body.id);
    expect((await post(ann, { body: 'twice' }, key)).body.error?.code).toBe('key_reused');
    expect((await post(bob, { body: 'once' }, key)).body.id).not.toBe(first.body.id);
    expect((await post(ann, { body: 'x' }, { 'idempotency-key': 'with space' })).body.error?.problems?.[0]?.field).toBe('Idempotency-Key');
    const both = await Promise.all([1, 2, 3, 4].map(() => post(ann, { body: 'at once' }, { 'idempotency-key': 'k-2' })));
    expect(new Set(both.map((a) => a.body.id)).size).toBe(1);
    const { messages } = await ann.call('listMessages', { params: { conversationId: general.id }, query: {} });
    expect(messages.filter((m) => m.body === 'once')).toHaveLength(2);
  });

  test('[SYS-4] the order of acks is the order of history', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'order' } });
    const acked: string[] = [];
    await Promise.all(Array.from({ length: 30 }, async (_, i) => acked.push((await ann.post(channel.id, `m${i}`)).id)));
    const { messages } = await ann.call('listMessages', { params: { conversationId: channel.id }, query: {} });
    expect(messages.map((m) => m.seq)).toEqual(messages.map((m) => m.seq).toSorted((a, b) => a - b));
    expect(messages.map((m) => m.id).toSorted()).toEqual(acked.toSorted());
  });

  test('[SYS-14] an edit keeps the earlier versions; a stale edit is refused', async () => {
    const message = await ann.post(general.id, 'helo');
    const params = { messageId: message.id };
    expect((await bob.ask('editMessage', { params, body: { body: 'hacked' } })).body.error?.reason).toBe('message.edit:not_related');
    expect((await kit.owner.ask('editMessage', { params, body: { body: 'hacked' } })).status).toBe(403);
    const edited = await ann.call('editMessage', { params, body: { body: 'hello', version: 1 } });
    expect(edited).toMatchObject({ body: 'hello', version: 2 });
    expect((await ann.ask('editMessage', { params, body: { body: 'other', version: 1 } })).body.error?.code).toBe('version_conflict');
    const race = await Promise.all([2, 2].map((version, i) => ann.ask('editMessage', { params, body: { body: `hello ${i}`, version } })));
    expect(race.map((r) => r.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const { versions } = await bob.call('listVersions', { params, query: {} });
    expect(versions.map((v) => [v.version, v.body])).toEqual([
      [1, 'helo'],
      [2, 'hello'],
      [3, expect.stringMatching(/^hello \d$/)],
    ]);
  });

  test('[SYS-14] a deleted message leaves no word of any version: not in rows, index, history or facts', async () => {
    const message = await ann.post(general.id, 'quokka one');
    const params = { messageId: message.id };
    await ann.call('editMessage', { params, body: { body: 'quokka two' } });
    await kit.hub.kernel.indexer.settled();
    expect((await bob.call('search', { query: { q: 'quokka' } })).messages).toHaveLength(1);
    expect((await bob.ask('deleteMessage', { params })).status).toBe(403);
    expect(await ann.call('deleteMessage', { params })).toMatchObject({ body: null, attachments: [] });
    expect((await ann.ask('deleteMessage', { params })).body.error?.code).toBe('already_deleted');
    expect((await ann.ask('editMessage', { params, body: { body: 'x' } })).body.error?.code).toBe('already_deleted');
    expect((await bob.call('listVersions', { params, query: {} })).versions.map((v) => v.body)).toEqual([null]);
    await kit.hub.kernel.indexer.settled();
    expect((await bob.call('search', { query: { q: 'quokka' } })).messages).toEqual([]);
    const { store } = kit.hub.kernel;
    for (const table of ['messages', 'message_versions', 'facts'] as const) {
      expect(JSON.stringify(await store.rows(table, '')), table).not.toContain('quokka');
    }
    const index = await store.all<{ n: number }>(
      engine === 'sqlite'
        ? "select count(*) as n from search_index where words match 'quokka'"
        : "select count(*) as n from search_index where words @@ 'quokka'::tsquery",
    );
    expect(index[0]!.n).toBe(0);
  });

  test('[SYS-14] a moderator takes others’ messages away in a channel, nobody does in a DM', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'tidy', visibility: 'private' } });
    await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: bob.id } });
    const said = await bob.post(channel.id, 'spam');
    expect((await ann.ask('deleteMessage', { params: { messageId: said.id } })).status).toBe(200);
    const dm = await kit.owner.call('openDm', { body: { memberIds: [bob.id] } });
    const whisper = await bob.post(dm.id, 'hm');
    expect((await kit.owner.ask('deleteMessage', { params: { messageId: whisper.id } })).status).toBe(403);
  });

  test('[SYS-14] reactions are one per person and emoji, and come off again', async () => {
    const message = await ann.post(general.id, 'lunch?');
    const react = (who: Person, emoji: string, on = true) =>
      who.ask(on ? 'addReaction' : 'removeReaction', { params: { messageId: message.id, emoji } });
    await react(ann, '👍');
    await react(bob, '👍');
    expect((await react(bob, '👍')).body.reactions).toEqual([
      { emoji: '👍', memberIds: expect.arrayContaining([ann.id, bob.id]), signal: 'agree' },
    ]);
    expect((await react(ann, '👍', false)).body.reactions).toEqual([{ emoji: '👍', memberIds: [bob.id], signal: 'agree' }]);
    for (const emoji of ['👨‍👩‍👧‍👦', '🇳🇴', '❤️', '👍🏽']) expect((await react(ann, emoji)).status, emoji).toBe(200);
    for (const emoji of ['x', '👍👍', '<b>', '1']) expect((await react(ann, emoji)).status, emoji).toBe(400);
  });

  test('[SYS-14] history pages both ways without gap or overlap, and opens around a linked message', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'paging' } });
    const ids = [];
    for (let i = 0; i < 25; i++) ids.push((await ann.post(channel.id, `m${i}`)).id);
    const back: string[] = [];
    for (let before: number | undefined, more = true; more;) {
      const page = await ann.call('listMessages', { params: { conversationId: channel.id }, query: { limit: 10, before } });
      back.unshift(...page.messages.map((m) => m.id));
      before = page.messages[0]?.seq;
      more = page.moreBefore;
    }
    expect(back).toEqual(ids);
    const forth: string[] = [];
    for (let after = 0, more = true; more;) {
      const page = await ann.call('listMessages', { params: { conversationId: channel.id }, query: { limit: 10, after } });
      forth.push(...page.messages.map((m) => m.id));
      after = page.messages.at(-1)!.seq;
      more = page.moreAfter;
    }
    expect(forth).toEqual(ids);
    const around = await ann.call('listMessages', { params: { conversationId: channel.id }, query: { around: ids[12]!, limit: 6 } });
    expect(around.messages.map((m) => m.id)).toEqual(ids.slice(10, 16));
    expect(around).toMatchObject({ moreBefore: true, moreAfter: true });
    expect((await ann.ask('listMessages', { params: { conversationId: channel.id }, query: { before: 5, after: 5 } })).status).toBe(400);
  });

  test('[SYS-14] a reply names a message of the same conversation', async () => {
    const first = await ann.post(general.id, 'question');
    expect((await post(bob, { body: 'answer', replyTo: first.id })).body.replyTo).toBe(first.id);
    const elsewhere = await ann.call('createChannel', { body: { name: 'elsewhere' } });
    const other = await ann.post(elsewhere.id, 'x');
    expect((await post(ann, { body: 'answer', replyTo: other.id })).body.error?.problems?.[0]?.field).toBe('replyTo');
  });
});
