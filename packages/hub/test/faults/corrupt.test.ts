// A byte changes inside a stored row: what it says now was said by nobody. Whoever reads that row is told that it is
// damaged, nobody is shown it, and everything else goes on.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChildHub, Ear, freshGround, onBothEngines, Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tamper } from '../kit/backup.ts';

onBothEngines('a byte flipped in a stored row', (engine) => {
  let kit: TestHub;
  let ann: Person;
  let bob: Person;
  let general: string;
  let calm: { conversationId: string; ear: Ear };
  beforeAll(async () => {
    kit = await startTestHub(engine, {}, { PARLEY_LOG: 'silent' });
    ann = await kit.person('ann', 'owner');
    bob = await kit.person('bob');
    general = await kit.general();
    const { id: conversationId } = await ann.call('createChannel', { body: { name: 'calm' } });
    await bob.call('joinConversation', { params: { conversationId } });
    calm = { conversationId, ear: new Ear(bob) };
    await calm.ear.ready();
  });
  afterAll(async () => {
    calm.ear.close();
    await kit.stop();
  });

  /** Changes one letter behind the hub's back. */
  const flip = (table: string, column: string, where: string) =>
    tamper(kit.ground, `update ${table} set ${column} = replace(${column}, 'genuine', 'genuime') where ${where}`);
  const corrupt = {
    status: 500,
    body: { error: { code: 'corrupt', message: expect.stringContaining('does not match its checksum. Run `npx parley verify`') } },
  };
  /** People elsewhere talk, live, as if nothing had happened. */
  const undisturbed = async (): Promise<void> => {
    const { id } = await ann.post(calm.conversationId, 'as ever');
    await calm.ear.fact('message.posted', (fact) => fact.data.message.id === id);
    await bob.call('listMessages', { params: { conversationId: calm.conversationId }, query: {} });
    expect(JSON.stringify(calm.ear.heard)).not.toContain('genuime');
  };
  const channel = async (name: string): Promise<string> => {
    const { id } = await ann.call('createChannel', { body: { name, topic: 'genuine' } });
    await bob.call('joinConversation', { params: { conversationId: id } });
    return id;
  };

  test('[SYS-4] in a message: who reads it is told, a stream passes it over, and new ones can be posted beside it', async () => {
    const conversationId = await channel('message');
    const { cursor } = await bob.call('getSession', {});
    const { id: messageId } = await ann.post(conversationId, 'genuine');
    const { id: after } = await ann.post(conversationId, 'after');
    await flip('messages', 'body', `id = '${messageId}'`);
    expect(await bob.ask('getMessage', { params: { messageId } })).toMatchObject(corrupt);
    expect(await bob.ask('listMessages', { params: { conversationId }, query: {} })).toMatchObject(corrupt);
    expect((await bob.ask('getMessage', { params: { messageId: after } })).status).toBe(200);
    expect((await bob.ask('postMessage', { params: { conversationId }, body: { body: 'beside it' } })).status).toBe(200);
    const ear = new Ear(bob, cursor);
    await ear.fact('message.posted', (fact) => fact.data.message.id === after);
    await ear.ready();
    ear.close();
    expect(JSON.stringify(ear.heard)).not.toContain('genuime');
    await undisturbed();
  });

  test('[SYS-4] in an earlier version of a message', async () => {
    const { id: messageId } = await ann.post(general, 'genuine');
    await ann.call('editMessage', { params: { messageId }, body: { body: 'edited' } });
    await flip('message_versions', 'body', `message_id = '${messageId}'`);
    expect(await bob.ask('listVersions', { params: { messageId }, query: {} })).toMatchObject(corrupt);
    expect((await bob.ask('getMessage', { params: { messageId } })).status).toBe(200);
    await undisturbed();
  });

  test('[SYS-4] in what hangs on a message: the message is not shown without it, and it holds up nobody', async () => {
    const conversationId = await channel('reaction');
    const { id: messageId } = await ann.post(conversationId, 'popular');
    const { id: other } = await ann.post(conversationId, 'unpopular');
    await bob.call('addReaction', { params: { messageId, emoji: '👍' } });
    await tamper(kit.ground, `update reactions set emoji = '👎' where message_id = '${messageId}'`);
    expect(await bob.ask('getMessage', { params: { messageId } })).toMatchObject(corrupt);
    const { messages } = await bob.call('listMessages', { params: { conversationId }, query: {} });
    expect(messages.map(({ id }) => id)).toEqual([other]);
    await ann.ask('editMessage', { params: { messageId }, body: { body: 'still popular' } });
    await undisturbed();
    expect(JSON.stringify(calm.ear.heard)).not.toContain('👎');
  });

  test('[SYS-4] in a member: their name is shown to nobody, and others act as before', async () => {
    const dave = await kit.person('dave');
    await ann.call('editMember', { params: { memberId: dave.id }, body: { displayName: 'genuine dave' } });
    await flip('members', 'display_name', `id = '${dave.id}'`);
    expect(await bob.ask('getMember', { params: { memberId: dave.id } })).toMatchObject(corrupt);
    await undisturbed();
    // Taken along in a group with others, a command of his fails alone.
    const posts = await Promise.all(
      [ann, dave, bob].map((person) => person.ask('postMessage', { params: { conversationId: general }, body: { body: 'together' } })),
    );
    expect([posts[0]!.status, posts[2]!.status]).toEqual([200, 200]);
    await tamper(kit.ground, `update members set display_name = 'genuine dave' where id = '${dave.id}'`);
  });

  test('[SYS-4] in a conversation: its topic is shown to nobody, and other conversations go on', async () => {
    const conversationId = await channel('topic');
    await flip('conversations', 'topic', `id = '${conversationId}'`);
    expect(await bob.ask('getConversation', { params: { conversationId } })).toMatchObject(corrupt);
    expect(await bob.ask('listMessages', { params: { conversationId }, query: {} })).toMatchObject(corrupt);
    await undisturbed();
    await tamper(kit.ground, `update conversations set topic = 'genuine' where id = '${conversationId}'`);
  });

  test('[SYS-4] in a fact: a stream that comes across it passes it over', async () => {
    const conversationId = await channel('fact');
    const { cursor } = await bob.call('getSession', {});
    const { id: before } = await ann.post(conversationId, 'before');
    const { id: damaged, seq } = await ann.post(conversationId, 'damaged');
    const { id: after } = await ann.post(conversationId, 'after');
    await tamper(kit.ground, `update facts set data = '{"forged":true}' where seq = ${seq}`);
    const ear = new Ear(bob, cursor);
    await ear.ready();
    const told = ear.facts().flatMap((fact) => (fact.type === 'message.posted' ? [fact.data.message.id] : []));
    expect(told.filter((id) => [before, damaged, after].includes(id))).toEqual([before, after]);
    ear.close();
    await undisturbed();
  });

  test('[SYS-4] in a token: it lets nobody in, and its holder’s other tokens do', async () => {
    const { token, secret } = await bob.call('createToken', { body: { kind: 'person', label: 'genuine' } });
    await flip('tokens', 'label', `id = '${token.id}'`);
    const answer = await fetch(new URL('/api/v1/session', kit.url), { headers: { authorization: `Bearer ${secret}` } });
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: 'corrupt' } }]);
    await undisturbed();
    await tamper(kit.ground, `update tokens set label = 'genuine' where id = '${token.id}'`);
  });

  test('[SYS-4] in a membership: its holder’s stream ends instead of standing still', async () => {
    const eve = await kit.person('eve');
    await tamper(kit.ground, `update memberships set joined_seq = 1 where member_id = '${eve.id}'`);
    expect(await new Ear(eve).closed()).toBe(1011);
    const events = await fetch(new URL('/api/v1/stream', kit.url), { headers: { authorization: `Bearer ${eve.token}` } });
    await expect(events.text()).rejects.toThrow('terminated');
    await undisturbed();
  });

  test('[SYS-14] in an attachment’s name', async () => {
    const upload = await fetch(new URL('/api/v1/attachments?name=genuine.txt', kit.url), {
      method: 'POST',
      body: 'content',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/octet-stream' },
    });
    const { id } = (await upload.json()) as { id: string };
    await flip('attachments', 'name', `id = '${id}'`);
    const answer = await fetch(new URL(`/api/v1/attachments/${id}`, kit.url), { headers: { authorization: `Bearer ${ann.token}` } });
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: 'corrupt' } }]);
    await undisturbed();
  });
});

test('[SYS-4] a bit flipped in SQLite’s own file, where no statement ever touched it', async () => {
  const ground = await freshGround('sqlite');
  const hub = new ChildHub({ ground });
  try {
    await hub.start();
    const ann = await hub.person('ann', 'owner');
    const [general] = (await ann.call('listConversations', { query: {} })).conversations;
    const { id: messageId } = await ann.post(general!.id, 'genuine');
    const { id: other } = await ann.post(general!.id, 'another');
    await hub.kill();
    await tamper(ground, 'pragma wal_checkpoint(truncate)');
    const path = join(ground.dataDir, 'parley.db');
    const bytes = await readFile(path);
    const at = bytes.indexOf('genuine');
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(path, bytes);
    const { url } = await hub.start();
    const again = new Person(url, ann.token, ann.id, ann.handle);
    expect(await again.ask('getMessage', { params: { messageId } })).toMatchObject({ status: 500, body: { error: { code: 'corrupt' } } });
    expect((await again.ask('getMessage', { params: { messageId: other } })).status).toBe(200);
  } finally {
    await hub.end();
    await ground.clear();
  }
});
