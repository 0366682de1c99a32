import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ear, onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../../src/engine/command.ts';
import { gif, jpeg } from '../../kit/images.ts';
import { roundsOf } from '../../kit/rounds.ts';

onBothEngines('attachments, leaving, export and erasure', (engine) => {
  let kit: TestHub;
  let clock: SimClock;
  let ann: Person;
  let bob: Person;
  let general: string;
  beforeAll(async () => {
    clock = new SimClock();
    kit = await startTestHub(engine, { clock });
    ann = await kit.person('ann');
    bob = await kit.person('bob');
    general = await kit.general();
  });
  afterAll(() => kit.stop());

  const upload = async (who: Person, bytes: string | Uint8Array, name = 'a.txt', type = 'text/plain') => {
    const response = await fetch(`${kit.url}/api/v1/attachments?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token}`, 'content-type': type },
      body: bytes,
    });
    return {
      status: response.status,
      body: (await response.json()) as {
        id: string;
        sha256: string;
        size: number;
        mediaType: string;
        error: { code: string; problems: { field: string }[] };
      },
    };
  };
  const download = (who: Person, id: string) =>
    fetch(`${kit.url}/api/v1/attachments/${id}`, { headers: { authorization: `Bearer ${who.token}` } });
  const send = (who: Person, attachmentIds: string[], conversationId = general) =>
    who.ask('postMessage', { params: { conversationId }, body: { body: '', attachmentIds } });
  const blob = (sha256: string) => join(kit.ground.dataDir, 'blobs', sha256.slice(0, 2), sha256);

  test('[SYS-14] an attachment is kept by its content, seen by those who see its message, and never run', async () => {
    const file = await upload(ann, 'hello', 'né w.html', 'text/html');
    expect(file.body.sha256).toBe(createHash('sha256').update('hello').digest('hex'));
    expect((await download(bob, file.body.id)).status).toBe(404);
    const posted = await send(ann, [file.body.id]);
    expect(posted.body.attachments).toMatchObject([{ name: 'né w.html', size: 5, erased: false }]);
    const got = await download(bob, file.body.id);
    expect(await got.text()).toBe('hello');
    expect(got.headers.get('content-type')).toBe('application/octet-stream');
    expect(got.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''n%C3%A9%20w.html");
    expect(got.headers.get('content-security-policy')).toContain('sandbox');
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await send(bob, [file.body.id])).body.error?.problems?.[0]?.field).toBe('attachmentIds');
    expect((await send(ann, [file.body.id])).body.error?.problems?.[0]?.message).toContain('posted already');
    const secret = await ann.call('createChannel', { body: { name: 'files', visibility: 'private' } });
    const inside = await upload(ann, 'inside');
    await send(ann, [inside.body.id], secret.id);
    expect((await download(bob, inside.body.id)).status).toBe(404);
  });

  test('[SYS-14] an image is one only when its bytes say so, up to 40 megapixels; a name is a name; a size has a limit', async () => {
    const png = (width: number, height: number) => {
      const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000806000000', 'hex');
      header.writeUInt32BE(width, 16);
      header.writeUInt32BE(height, 20);
      return Buffer.concat([header, Buffer.alloc(8)]);
    };
    const typeOf = async (bytes: Uint8Array) => (await upload(ann, bytes, 'x.png', 'image/png')).body.mediaType;
    // Few bytes that a browser would unpack to gigabytes are a file; so is what does not say its size.
    expect([await typeOf(png(8000, 5000)), await typeOf(png(20_000, 20_000)), await typeOf(png(8000, 5000).subarray(0, 11))]).toEqual([
      'image/png',
      'application/octet-stream',
      'application/octet-stream',
    ]);
    // Nor is one that hides its size behind a small one.
    for (const [type, large] of [
      ['image/gif', gif([10, 10], [[20_000, 20_000]])],
      ['image/jpeg', jpeg([20_000, 20_000], { decoy: [10, 10] })],
    ] as const)
      expect((await upload(ann, large, 'x', type)).body.mediaType, type).toBe('application/octet-stream');
    expect((await upload(ann, jpeg([640, 480]), 'x', 'image/jpeg')).body.mediaType).toBe('image/jpeg');
    expect((await upload(ann, '<script>', 'x.png', 'image/png')).body.mediaType).toBe('application/octet-stream');
    for (const name of ['../x', 'a/b', '', '..', 'a\u202Egnp.exe'])
      expect((await upload(ann, 'x', name)).body.error.problems[0]!.field, name).toBe('name');
    expect((await upload(ann, new Uint8Array(26 * 1024 * 1024), 'big.bin')).body.error.code).toBe('too_large');
    const agent = await kit.agent('UPL', ann);
    expect((await upload(agent, 'x')).status).toBe(403);
  });

  test('[SYS-14] deleting the message erases the file, unless another message has the same content', async () => {
    const one = await upload(ann, 'shared content');
    const two = await upload(bob, 'shared content');
    const [first, second] = [await send(ann, [one.body.id]), await send(bob, [two.body.id])];
    await ann.call('deleteMessage', { params: { messageId: first.body.id } });
    await kit.hub.kernel.outbox.settled();
    expect((await download(ann, one.body.id)).status).toBe(404);
    expect(await (await download(ann, two.body.id)).text()).toBe('shared content');
    await bob.call('deleteMessage', { params: { messageId: second.body.id } });
    await kit.hub.kernel.outbox.settled();
    expect(existsSync(blob(two.body.sha256))).toBe(false);
  });

  test('[SYS-14] ten seconds after it was deleted, no file of the database holds the text', async () => {
    const said = await ann.post(general, 'platypus42 in the open');
    await ann.call('editMessage', { params: { messageId: said.id }, body: { body: 'platypus42 again' } });
    await kit.hub.kernel.indexer.settled();
    await ann.call('deleteMessage', { params: { messageId: said.id } });
    await kit.hub.kernel.indexer.settled();
    clock.advance(11_000);
    await kit.hub.kernel.timers.tick();
    await kit.hub.kernel.outbox.settled();
    const left = await kit.hub.kernel.store.rows('outbox', "where kind = 'store.scrub'");
    expect(left).toEqual([]);
    if (engine === 'postgres') return; // its logs are its operator's
    for (const file of ['parley.db', 'parley.db-wal']) {
      expect((await readFile(join(kit.ground.dataDir, file))).includes('platypus42'), file).toBe(false);
    }
  });

  test('[SYS-14] an upload that is never posted goes away after a day, one that is posted stays', async () => {
    const [left, kept] = [await upload(ann, 'left behind'), await upload(ann, 'kept')];
    await send(ann, [kept.body.id]);
    clock.advance(24 * 3600 * 1000 + 1000);
    await kit.hub.kernel.timers.tick();
    await kit.hub.kernel.outbox.settled();
    expect(existsSync(blob(left.body.sha256))).toBe(false);
    expect(existsSync(blob(kept.body.sha256))).toBe(true);
  });

  test('[SYS-14] deactivating a person ends their sessions at once and hands their agents on', async () => {
    const boss = await kit.person('boss');
    const leo = await kit.person('leo');
    await kit.owner.call('editMember', { params: { memberId: leo.id }, body: { managerId: boss.id } });
    const bot = await kit.agent('LEOBOT', leo);
    const ear = new Ear(leo);
    await ear.ready();
    expect((await ann.ask('deactivateMember', { params: { memberId: leo.id } })).status).toBe(403);
    expect((await kit.owner.call('deactivateMember', { params: { memberId: leo.id } })).status).toBe('deactivated');
    expect((await leo.ask('getSession', {})).status).toBe(401);
    expect(await ear.closed()).toBe(4001);
    expect((await kit.owner.call('getMember', { params: { memberId: bot.id } })).ownerId).toBe(boss.id);
    // Whoever has its tokens acts for the new owner in nothing.
    expect((await bot.ask('getSession', {})).status).toBe(401);
    expect((await kit.owner.ask('createSignInLink', { body: { memberId: leo.id } })).status).toBe(400);
    expect((await ann.ask('openDm', { body: { memberIds: [leo.id] } })).status).toBe(400);
    expect((await kit.owner.ask('deactivateMember', { params: { memberId: kit.owner.id } })).body.error?.code).toBe('last_owner');
    await kit.restart();
    expect((await leo.ask('getSession', {})).status).toBe(401);
    await kit.owner.call('reactivateMember', { params: { memberId: leo.id } });
    // The old ways in stay closed; a new link opens one.
    expect((await leo.ask('getSession', {})).status).toBe(401);
    expect((await kit.owner.ask('createSignInLink', { body: { memberId: leo.id } })).status).toBe(200);
  });

  test('[SYS-14] a person takes everything the hub keeps about them along', async () => {
    const kim = await kit.person('kim');
    const said = await kim.post(general, 'kim was here');
    await kim.call('editMessage', { params: { messageId: said.id }, body: { body: 'kim was there' } });
    await kim.call('addReaction', { params: { messageId: said.id, emoji: '🎉' } });
    const file = await upload(kim, 'kims file');
    await send(kim, [file.body.id]);
    const agent = await kit.agent('KIMBOT', kim);
    expect((await ann.ask('exportMember', { params: { memberId: kim.id } })).status).toBe(403);
    const all = await kim.call('exportMember', { params: { memberId: kim.id } });
    expect(all.messages[0]).toMatchObject({ body: 'kim was there', versions: [{ version: 1, body: 'kim was here' }] });
    expect(all.reactions).toMatchObject([{ emoji: '🎉' }]);
    expect(all.attachments).toMatchObject([{ sha256: file.body.sha256 }]);
    expect(all.agents.map((a) => a.id)).toEqual([agent.id]);
    expect(all.memberships.map((m) => m.conversationId)).toContain(general);
    expect(JSON.stringify(all)).not.toContain('hash');
    const record = await kit.hub.kernel.store.rows('facts', "where type = 'member.exported'");
    expect(record.map((f) => [f.actor_id, f.member_id])).toEqual([[kim.id, kim.id]]);
  });

  test('[SYS-14] erasing a person erases what they wrote and who they were, however much, and nothing of others', async () => {
    const eva = await kit.person('eva');
    const dm = await eva.call('openDm', { body: { memberIds: [bob.id] } });
    await Promise.all(Array.from({ length: 450 }, (_, i) => eva.post(i % 2 ? general : dm.id, `xylophone ${i}`)));
    const first = (await eva.call('listMessages', { params: { conversationId: dm.id }, query: {} })).messages[0]!;
    await eva.call('editMessage', { params: { messageId: first.id }, body: { body: 'xylophone edited' } });
    const file = await upload(eva, 'xylophone file', 'xylophone.txt');
    await send(eva, [file.body.id]);
    const answer = await bob.post(dm.id, 'bobs answer');
    await eva.call('addReaction', { params: { messageId: answer.id, emoji: '🎻' } });
    expect((await ann.ask('eraseMember', { params: { memberId: eva.id } })).status).toBe(403);
    await eva.call('eraseMember', { params: { memberId: eva.id } });
    expect((await eva.ask('getSession', {})).status).toBe(401);
    await kit.hub.kernel.outbox.settled();
    await kit.hub.kernel.indexer.settled();
    const { store } = kit.hub.kernel;
    for (const table of ['members', 'messages', 'message_versions', 'attachments', 'facts', 'outbox', 'requests'] as const) {
      const text = JSON.stringify(await store.rows(table, ''));
      expect(/xylophone|"eva"/i.exec(text)?.[0], table).toBeUndefined();
    }
    expect(await store.rows('reactions', 'where member_id = ?', [eva.id])).toEqual([]);
    expect(existsSync(blob(file.body.sha256))).toBe(false);
    expect((await bob.call('search', { query: { q: 'xylophone' } })).messages).toEqual([]);
    expect((await bob.call('getMessage', { params: { messageId: answer.id } })).body).toBe('bobs answer');
    expect((await bob.call('getMember', { params: { memberId: eva.id } })).displayName).toBe('Erased member');
    // The handle is free again.
    expect((await kit.person('eva')).handle).toBe('eva');
  });

  test('[SYS-14] the oldest and the newest words of a member are in their export, and are erased', async () => {
    const lea = await kit.person('lea');
    const { auth, engine: running, store, outbox } = kit.hub.kernel;
    const { by } = (await auth.principal(ann.token))!;
    await lea.post(general, 'long before');
    // More places than are looked through at once.
    const others = Array.from({ length: 5001 }, (_, i) => `of others ${i}`);
    await Promise.all(others.map((body) => running.submit({ type: 'message.post', by, conversationId: general, body, attachmentIds: [] })));
    await lea.post(general, 'long after');
    const { messages } = await lea.call('exportMember', { params: { memberId: lea.id } });
    expect(messages.map(({ body }) => body)).toEqual(['long before', 'long after']);
    await lea.call('eraseMember', { params: { memberId: lea.id } });
    await outbox.settled();
    const left = await store.rows('messages', 'where author_id = ?', [lea.id]);
    expect(left.map(({ body }) => body)).toEqual([null, null]);
    expect(await store.all("select count(*) as n from messages where body like 'of others %'")).toEqual([{ n: others.length }]);
  });

  test('[SYS-14] a person who is in two hundred channels, and holds as many roles, can be erased, and the store is asked as often as for a few', async () => {
    const everywhere = await kit.person('everywhere');
    const { auth, engine: running, store } = kit.hub.kernel;
    const { by } = (await auth.principal(everywhere.token))!;
    const channels = Array.from({ length: 200 }, (_, i) => `everywhere-${i}`);
    await Promise.all(
      channels.map((name) =>
        running.submit({ type: 'channel.create', by, name, topic: '', visibility: 'public', floor: 'open', history: 'all' }),
      ),
    );
    const holderIds = [everywhere.id];
    await Promise.all(channels.map((handle) => running.submit({ type: 'role.add', by: operator, handle, about: '', holderIds })));
    const among = () => store.rows('memberships', 'where member_id = ?', [everywhere.id]);
    expect(await among()).toHaveLength(201);
    const { rounds, begins } = await roundsOf(store, () => kit.owner.call('eraseMember', { params: { memberId: everywhere.id } }));
    expect(await among()).toEqual([]);
    expect(await store.rows('role_holders', 'where member_id = ?', [everywhere.id])).toEqual([]);
    expect(rounds.length + begins, rounds.map((round) => round.slice(0, 200)).join('\n')).toBeLessThanOrEqual(30);
  });
});
