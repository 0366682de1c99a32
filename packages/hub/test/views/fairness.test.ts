// What one member asks for is bounded in bytes, counts and order, so that the others get their turn.

import { once } from 'node:events';
import { onBothEngines, type Person, until, hubFor, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { PersonExport } from '@parley/protocol';
import { Wire } from '../kit/agent-wire.ts';
import { bytesRead, watchReads } from '../kit/reads.ts';
import { exportText } from '../../src/views/export.ts';

const pageBytes = 256 * 1024;
const long = (i: number): string => `${i} heron `.padEnd(100_000, 'x');
const textIn = (messages: readonly { body: string | null }[]): number =>
  messages.reduce((sum, { body }) => sum + Buffer.byteLength(body ?? ''), 0);

onBothEngines('pages are bounded by bytes', (engine) => {
  let room: string;
  const ids: string[] = [];
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann'));
  beforeAll(async () => {
    room = (await ann.call('createChannel', { body: { name: 'long' } })).id;
    for (let i = 0; i < 12; i++) ids.push((await ann.post(room, long(i))).id);
  });
  const read = (query: object) => ann.call('listMessages', { params: { conversationId: room }, query });

  test('[SYS-14] history goes on by its cursor and misses nothing, in either direction', async () => {
    const back: string[] = [];
    for (let before: number | undefined, more = true; more;) {
      const page = await read({ limit: 200, ...(before === undefined ? {} : { before }) });
      expect(textIn(page.messages)).toBeLessThanOrEqual(pageBytes);
      expect(page.messages.length).toBeGreaterThan(0);
      back.unshift(...page.messages.map(({ id }) => id));
      before = page.messages[0]!.seq;
      more = page.moreBefore;
    }
    expect(back).toEqual(ids);
    const forth: string[] = [];
    for (let after = 0, more = true; more;) {
      const page = await read({ limit: 200, after });
      expect(textIn(page.messages)).toBeLessThanOrEqual(pageBytes);
      forth.push(...page.messages.map(({ id }) => id));
      after = page.messages.at(-1)!.seq;
      more = page.moreAfter;
    }
    expect(forth).toEqual(ids);
    const middle = await read({ limit: 200, around: ids[4] });
    expect(middle.messages.map(({ id }) => id)).toContain(ids[4]);
    expect(textIn(middle.messages)).toBeLessThanOrEqual(pageBytes);
    expect(middle).toMatchObject({ moreBefore: true, moreAfter: true });
  });

  test('[SYS-14] search goes on where its page ends', async () => {
    await kit.hub.kernel.indexer.settled();
    const found: string[] = [];
    for (let before: number | undefined, more = true; more;) {
      const page = await ann.call('search', { query: { q: 'heron', limit: 50, ...(before === undefined ? {} : { before }) } });
      expect(textIn(page.messages)).toBeLessThanOrEqual(pageBytes);
      found.push(...page.messages.map(({ id }) => id));
      before = page.messages.at(-1)!.seq;
      more = page.more;
    }
    expect(found).toEqual(ids.toReversed());
  });

  test('[SYS-14] the versions of a message are paged', async () => {
    const { id } = await ann.post(room, long(0));
    for (let i = 1; i < 6; i++) await ann.call('editMessage', { params: { messageId: id }, body: { body: long(i) } });
    const seen: number[] = [];
    for (let before: number | undefined, more = true; more;) {
      const page = await ann.call('listVersions', { params: { messageId: id }, query: before === undefined ? {} : { before } });
      expect(textIn(page.versions)).toBeLessThanOrEqual(pageBytes + 100_000);
      seen.unshift(...page.versions.map(({ version }) => version));
      before = page.versions[0]!.version;
      more = page.more;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    await ann.call('deleteMessage', { params: { messageId: id } });
  });

  test('[SYS-14] an export holds everything, whatever its size, also when several are asked for at once', async () => {
    const exports = await Promise.all([1, 2, 3].map(() => ann.call('exportMember', { params: { memberId: ann.id } })));
    for (const whole of exports) {
      expect(whole.messages.filter(({ body }) => body !== null).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      expect(whole.member.id).toBe(ann.id);
      expect(whole.tokens).toHaveLength(1);
    }
  });

  test('[SYS-14] an export sends the versions of one message page by page', async () => {
    const { id } = await ann.post(room, long(0));
    for (let i = 1; i < 8; i++) await ann.call('editMessage', { params: { messageId: id }, body: { body: long(i) } });
    const pieces: string[] = [];
    const head = { exportedAt: 0, member: {}, agents: [] } as never;
    for await (const piece of exportText(kit.hub.kernel.store, ann.id, head, [], true)) pieces.push(piece);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(pageBytes + 1000);
    const { messages } = JSON.parse(pieces.join('')) as PersonExport;
    const found = messages.find((message) => message.id === id)!;
    expect(found.body).toBe(long(7));
    expect(found.versions.map(({ version, body }) => [version, body])).toEqual(Array.from({ length: 7 }, (_, i) => [i + 1, long(i)]));
    expect(messages.filter(({ versions }) => versions.length === 0).map((message) => message.id)).toEqual(expect.arrayContaining(ids));
    await ann.call('deleteMessage', { params: { messageId: id } });
  });

  test('[SYS-14] an agent that comes back is told its tasks a page of text at a time, each of them once', async () => {
    const agent = await kit.agent('BUSY', ann);
    await ann.call('editAgent', { params: { memberId: agent.id }, body: { maxConcurrent: 12 } });
    const place = (await ann.call('createChannel', { body: { name: 'catch-up' } })).id;
    await ann.call('addToConversation', { params: { conversationId: place }, body: { memberId: agent.id } });
    const first = await Wire.hello(agent);
    const asked: string[] = [];
    for (let i = 0; i < 8; i++) asked.push((await ann.post(place, `^BUSY ${long(i).slice(0, 90_000)}`)).id);
    for (const id of asked) await first.event('task', ({ messageId }) => messageId === id);
    await first.cut();
    await until(async () => (await kit.hub.kernel.store.rows('agents', 'where member_id = ?', [agent.id]))[0]!.online === 0);
    await kit.hub.kernel.indexer.settled();
    const read = bytesRead(kit);
    const second = await Wire.hello(agent);
    for (const id of asked) await second.event('task', ({ messageId }) => messageId === id);
    expect(read.largest()).toBeLessThanOrEqual(pageBytes);
    expect(read.largest()).toBeGreaterThan(0);
    read.end();
    await second.close();
    const { tasks } = await ann.call('listTasks', { query: { conversationId: place, state: 'open' } });
    for (const { id } of tasks) await ann.call('stopTask', { params: { taskId: id } });
  });

  test('[SYS-14] events, and what they started, are listed a page of text at a time', async () => {
    const { owner } = kit;
    await owner.call('putProvoke', {
      params: { kind: 'manifest', id: 'calm' },
      body: { version: 0, object: { id: 'calm', risk_level: 'read_only' } },
    });
    const trigger = { id: 'long', agent: 'calm', match: { type: 'test.text.long' } };
    await owner.call('putProvoke', { params: { kind: 'trigger', id: 'long' }, body: { version: 0, object: trigger } });
    const sent: string[] = [];
    for (let i = 0; i < 8; i++) {
      const event = {
        pap_version: '0.2',
        id: `long-${i}`,
        source: 'monitoring.test',
        type: 'test.text.long',
        time: '2026-03-11T06:00:00Z',
        data: { text: long(i) },
      };
      await kit.operator.call('emitEvent', { body: event as never });
      sent.unshift(event.id);
    }
    await kit.hub.kernel.runner.settled();
    const read = bytesRead(kit);
    const events: string[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const page = await owner.call('listEvents', {
        query: { limit: 200, type: 'test.text.long', ...(before === undefined ? {} : { before }) },
      });
      expect(page.events.length).toBeGreaterThan(0);
      events.push(...page.events.map(({ event }) => event.id));
      before = page.next;
    }
    const started: string[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const page = await owner.call('listInvocations', {
        query: { limit: 200, trigger: 'long', ...(before === undefined ? {} : { before }) },
      });
      expect(page.invocations.length).toBeGreaterThan(0);
      started.push(...page.invocations.map(({ eventId }) => eventId));
      before = page.next;
    }
    expect(events).toEqual(sent);
    expect(started).toEqual(sent);
    expect(read.largest()).toBeLessThanOrEqual(pageBytes);
    expect(read.largest()).toBeGreaterThan(100_000);
    read.end();
  });

  test('[SYS-14] no two pages of any exports are read at the same time', async () => {
    let [reading, most] = [0, 0];
    const end = watchReads(kit, (table, _params, go) => {
      if (table !== 'messages') return go();
      most = Math.max(most, ++reading);
      return go().finally(() => reading--);
    });
    await Promise.all([1, 2, 3, 4].map(() => ann.call('exportMember', { params: { memberId: ann.id } })));
    end();
    expect(most).toBe(1);
  });

  test('[C2A-6] [SYS-14] a mailbox is read a page of text at a time', async () => {
    const { operator } = kit;
    const agent = await kit.agent('POSTIE', ann);
    await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: agent.id } });
    const said: string[] = [];
    for (let i = 0; i < 7; i++) said.push((await ann.post(room, long(i))).id);
    const wire = await Wire.hello(agent);
    await ann.post(room, '^POSTIE read');
    const { event } = await wire.event('task');
    const found: string[] = [];
    for (let after: number | undefined, more = true; more;) {
      const query = { limit: 200, ...(after === undefined ? {} : { after }) };
      const page = await agent.call('readMailbox', { params: { conversationId: room }, query }, { 'parley-task': event.task.id });
      expect(textIn(page.entries.map(({ content }) => ({ body: content })))).toBeLessThanOrEqual(pageBytes);
      found.push(...page.entries.map(({ messageId }) => messageId));
      after = page.upTo;
      more = page.more;
    }
    expect(found).toEqual(said);
    await wire.close();
    await operator.call('deactivateMember', { params: { memberId: agent.id } });
    for (const id of said) await ann.call('deleteMessage', { params: { messageId: id } });
  });

  test('[SYS-4] who comes back to more text than a stream holds starts over instead of being sent all of it', async () => {
    const { cursor } = await ann.call('getSession', {});
    const [epoch] = cursor.split(':');
    const socket = new WebSocket(`${kit.url.replace('http', 'ws')}/api/v1/socket?cursor=${epoch}:0`, {
      headers: { authorization: `Bearer ${ann.token}` },
    });
    const read = bytesRead(kit);
    const [text] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(text.toString())).toMatchObject({ type: 'reset', reason: 'too_far_behind' });
    // Its size is asked for first: nothing is read only to be thrown away.
    expect(read.largest()).toBe(0);
    read.end();
    socket.close();
  });

  test('[SYS-14] unread is counted among the newest, own and deleted messages left out, and no further than 100', async () => {
    const bob = await kit.person('bob');
    const busy = (await ann.call('createChannel', { body: { name: 'busy' } })).id;
    await bob.call('joinConversation', { params: { conversationId: busy } });
    const unread = async (who: Person) => (await who.call('getConversation', { params: { conversationId: busy } })).unread;
    const first = await ann.post(busy, 'one');
    await bob.post(busy, 'two');
    expect([await unread(ann), await unread(bob)]).toEqual([1, 1]);
    await ann.call('deleteMessage', { params: { messageId: first.id } });
    expect(await unread(bob)).toBe(0);
    await Promise.all(Array.from({ length: 120 }, (_, i) => ann.post(busy, `m${i}`)));
    expect([await unread(ann), await unread(bob)]).toEqual([1, 100]);
    await Promise.all(Array.from({ length: 100 }, (_, i) => ann.post(busy, `n${i}`)));
    // Two hundred of one's own later, what others said before them counts as read.
    expect(await unread(ann)).toBe(0);
  });
});
