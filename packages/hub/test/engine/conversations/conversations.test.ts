import { Ear, hubFor, makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';

onBothEngines('conversations', (engine) => {
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob'));

  test('[SYS-14] a channel is made, joined, talked in, renamed, archived and left', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'Plans', topic: 'what next' } });
    expect((await bob.ask('createChannel', { body: { name: 'plans' } })).body.error?.code).toBe('name_taken');
    expect((await bob.ask('postMessage', { params: { conversationId: channel.id }, body: { body: 'hi' } })).body.error?.reason).toBe(
      'message.post:not_related',
    );
    await bob.call('joinConversation', { params: { conversationId: channel.id } });
    await bob.post(channel.id, 'hi');
    expect((await bob.ask('editConversation', { params: { conversationId: channel.id }, body: { name: 'mine' } })).status).toBe(403);
    expect(
      (await ann.call('editConversation', { params: { conversationId: channel.id }, body: { name: 'plans-2', topic: '' } })).name,
    ).toBe('plans-2');
    await ann.call('editConversation', { params: { conversationId: channel.id }, body: { archived: true } });
    expect((await bob.ask('postMessage', { params: { conversationId: channel.id }, body: { body: 'hi' } })).body.error?.code).toBe(
      'archived',
    );
    expect((await bob.call('listMessages', { params: { conversationId: channel.id }, query: {} })).messages).toHaveLength(1);
    // An archived channel gives its name back, and needs another to return if it was taken.
    await bob.call('createChannel', { body: { name: 'plans-2' } });
    expect(
      (await ann.ask('editConversation', { params: { conversationId: channel.id }, body: { archived: false } })).body.error?.code,
    ).toBe('name_taken');
    await ann.call('editConversation', { params: { conversationId: channel.id }, body: { archived: false, name: 'plans-3' } });
    await bob.post(channel.id, 'back');
    await bob.call('leaveConversation', { params: { conversationId: channel.id } });
    expect((await bob.ask('postMessage', { params: { conversationId: channel.id }, body: { body: 'x' } })).status).toBe(403);
  });

  test('[SYS-11] a private channel’s name is taken for those in it, and free for everyone else', async () => {
    const create = (who: Person, name: string, visibility: 'public' | 'private') =>
      who.ask('createChannel', { body: { name, visibility } });
    const rename = (who: Person, conversationId: string, body: object) => who.ask('editConversation', { params: { conversationId }, body });
    const code = ({ body }: { body: { error?: { code: string } } }): string | undefined => body.error?.code;
    const secret = (await create(ann, 'layoffs', 'private')).body;
    // Whoever is in it is told.
    expect(code(await create(ann, 'Layoffs', 'public'))).toBe('name_taken');
    expect(code(await create(ann, 'Layoffs', 'private'))).toBe('name_taken');
    // Nobody else learns that it is there, by making, renaming, opening or taking out of the archive.
    const own = (await create(bob, 'layoffs', 'private')).body;
    expect(own.name).toBe('layoffs');
    const other = (await create(bob, 'other', 'public')).body;
    expect(code(await rename(bob, other.id, { name: 'layoffs' }))).toBe('name_taken');
    await bob.call('leaveConversation', { params: { conversationId: own.id } });
    expect((await rename(bob, other.id, { name: 'layoffs' })).body.name).toBe('layoffs');
    // A public one is seen by everyone, so that its name is taken for everyone.
    expect(code(await create(kit.owner, 'layoffs', 'public'))).toBe('name_taken');
    expect(code(await create(kit.owner, 'layoffs', 'private'))).toBe('name_taken');
    expect(code(await rename(ann, secret.id, { visibility: 'public' }))).toBe('name_taken');
    // Two of a name that came together keep working; what does not touch the name may be changed.
    expect((await rename(ann, secret.id, { topic: 'still here' })).body.topic).toBe('still here');
    await rename(bob, other.id, { archived: true });
    expect((await rename(ann, secret.id, { visibility: 'public' })).body.visibility).toBe('public');
    expect(code(await rename(bob, other.id, { archived: false }))).toBe('name_taken');
  });

  test('[SYS-11] a private channel of an earlier version gives up its name at the next start', async () => {
    const secret = await ann.call('createChannel', { body: { name: 'legacy', visibility: 'private' } });
    const { store } = kit.hub.kernel;
    // As it was written before private channels gave up their names.
    const { transaction, loaded } = await store.begin([], [{ table: 'conversations', values: [secret.id] }]);
    const row = loaded.found[0]![0]!;
    const update = { table: 'conversations', row: { ...row, name_fold: 'legacy' }, was: row['sum'] as string } as const;
    await transaction.commit({ inserts: [], updates: [update], deletes: [], facts: [] });
    await kit.restart();
    expect((await bob.ask('createChannel', { body: { name: 'legacy' } })).status).toBe(200);
  });

  test('[SYS-14] a channel whose history begins on joining shows nothing from before, by any way', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'fresh', visibility: 'private', history: 'joined' } });
    const before = await ann.post(channel.id, 'zebra before');
    const cursor = (await bob.call('getSession', {})).cursor;
    await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: bob.id } });
    const after = await ann.post(channel.id, 'zebra after');
    const list = async (query: object) =>
      (await bob.call('listMessages', { params: { conversationId: channel.id }, query })).messages.map((m) => m.id);
    expect(await list({})).toEqual([after.id]);
    expect(await list({ after: 0 })).toEqual([after.id]);
    expect(await list({ before: after.seq })).toEqual([]);
    expect((await bob.ask('listMessages', { params: { conversationId: channel.id }, query: { around: before.id } })).status).toBe(404);
    expect((await bob.ask('getMessage', { params: { messageId: before.id } })).status).toBe(404);
    expect((await bob.ask('listVersions', { params: { messageId: before.id }, query: {} })).status).toBe(404);
    await kit.hub.kernel.indexer.settled();
    expect((await bob.call('search', { query: { q: 'zebra' } })).messages.map((m) => m.id)).toEqual([after.id]);
    expect((await bob.call('search', { query: { q: 'zebra', conversationId: channel.id } })).messages.map((m) => m.id)).toEqual([after.id]);
    // The stream's past is no other way in: it was all said after this cursor.
    const early = new Ear(bob, cursor.replace(/:\d+$/, ':0'));
    await early.ready();
    expect(
      early
        .facts()
        .filter((f) => f.type === 'message.posted')
        .map((f) => f.data.message.id),
    ).not.toContain(before.id);
    early.close();
    // Nor is changing or reacting to what one cannot see.
    expect((await bob.ask('addReaction', { params: { messageId: before.id, emoji: '👍' } })).status).toBe(404);
    expect((await bob.ask('openThread', { params: { messageId: before.id } })).status).toBe(404);
    expect((await bob.ask('postMessage', { params: { conversationId: channel.id }, body: { body: 'x', replyTo: before.id } })).status).toBe(
      400,
    );
    expect((await ann.call('listMessages', { params: { conversationId: channel.id }, query: {} })).messages).toHaveLength(2);
  });

  test('[SYS-14] the same people have one DM, however often and by whom it is opened', async () => {
    const opened = await Promise.all([
      ann.call('openDm', { body: { memberIds: [bob.id] } }),
      bob.call('openDm', { body: { memberIds: [ann.id] } }),
      ann.call('openDm', { body: { memberIds: [bob.id, ann.id, bob.id] } }),
    ]);
    expect(new Set(opened.map((dm) => dm.id)).size).toBe(1);
    expect(opened[0].memberIds.toSorted()).toEqual([ann.id, bob.id].sort());
    const dm = opened[0].id;
    await ann.post(dm, 'between us');
    expect((await kit.owner.ask('listMessages', { params: { conversationId: dm }, query: {} })).status).toBe(404);
    expect((await ann.ask('leaveConversation', { params: { conversationId: dm } })).status).toBe(400);
    expect((await ann.ask('addToConversation', { params: { conversationId: dm }, body: { memberId: kit.owner.id } })).status).toBe(400);
    expect((await ann.ask('openDm', { body: { memberIds: [ann.id] } })).body.error?.problems?.[0]?.field).toBe('memberIds');
  });

  test('[SYS-14] threads hang on one message, are read by those in its conversation, and end there', async () => {
    const general = await kit.general();
    const root = await ann.post(general, 'who comes?');
    const [one, two] = await Promise.all([
      ann.call('openThread', { params: { messageId: root.id } }),
      bob.call('openThread', { params: { messageId: root.id } }),
    ]);
    expect(one.id).toBe(two.id);
    const reply = await bob.post(one.id, 'me');
    expect(await ann.call('getMessage', { params: { messageId: root.id } })).toMatchObject({
      threadId: one.id,
      threadReplies: 1,
      threadLastAt: reply.createdAt,
    });
    expect((await bob.ask('openThread', { params: { messageId: reply.id } })).status).toBe(400);
    expect((await ann.call('listConversations', { query: {} })).conversations.map((c) => c.id)).not.toContain(one.id);
    const secret = await ann.call('createChannel', { body: { name: 'sub-rosa', visibility: 'private' } });
    const hidden = await ann.post(secret.id, 'x');
    const thread = await ann.call('openThread', { params: { messageId: hidden.id } });
    expect((await bob.ask('listMessages', { params: { conversationId: thread.id }, query: {} })).status).toBe(404);
    expect((await bob.ask('postMessage', { params: { conversationId: thread.id }, body: { body: 'x' } })).status).toBe(404);
  });

  test('[SYS-14] read state is the server’s: it moves forward only, and is the same on every device', async () => {
    const channel = await ann.call('createChannel', { body: { name: 'reading' } });
    await bob.call('joinConversation', { params: { conversationId: channel.id } });
    const said = [];
    for (const text of ['one', 'two', 'three']) said.push(await ann.post(channel.id, text));
    const mine = async (who: Person) =>
      (await who.call('listConversations', { query: {} })).conversations.find((c) => c.id === channel.id)!;
    expect(await mine(bob)).toMatchObject({ unread: 3, lastSeq: said[2]!.seq });
    expect((await mine(ann)).unread).toBe(0);
    const ear = new Ear(bob);
    await ear.ready();
    const move = (seq: number) => bob.call('markRead', { params: { conversationId: channel.id }, body: { seq } });
    expect(await move(said[1]!.seq)).toMatchObject({ readSeq: said[1]!.seq, unread: 1 });
    expect(await ear.fact('read.moved')).toMatchObject({ data: { conversationId: channel.id, readSeq: said[1]!.seq } });
    expect((await move(said[0]!.seq)).readSeq).toBe(said[1]!.seq);
    expect((await move(Number.MAX_SAFE_INTEGER)).readSeq).toBe(said[2]!.seq);
    await kit.restart();
    expect((await mine(bob)).unread).toBe(0);
    ear.close();
  });

  test('[SYS-14] notification level and do-not-disturb are kept per member and seen by nobody else', async () => {
    const general = await kit.general();
    await bob.call('setNotify', { params: { conversationId: general }, body: { level: 'mentions' } });
    expect((await bob.call('getConversation', { params: { conversationId: general } })).notify).toBe('mentions');
    expect((await ann.call('getConversation', { params: { conversationId: general } })).notify).toBe('all');
    const until = Date.now() + 3_600_000;
    expect((await bob.call('setDnd', { body: { until } })).dndUntil).toBe(until);
    expect((await ann.call('getMember', { params: { memberId: bob.id } })).dndUntil).toBeNull();
    expect((await bob.call('setDnd', { body: { until: null } })).dndUntil).toBeNull();
    expect(
      (await bob.ask('setNotify', { params: { conversationId: general }, body: { level: 'loud' as never } })).body.error?.problems?.[0]
        ?.field,
    ).toBe('level');
  });
});
