// What one member asks for is bounded in bytes, counts and order, so that the others get their turn.

import { mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onBothEngines, type Person, startTestHub, type TestHub, until } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { agentSocketPath, type PersonExport } from '@parley/protocol';
import { Wire } from './floor/agent-wire.ts';
import { readFolder } from '../src/agents/read-folder.ts';
import { readToolsFile } from '../src/tools/file.ts';
import { exportText } from '../src/views/export.ts';

const pageBytes = 256 * 1024;
const long = (i: number): string => `${i} heron `.padEnd(100_000, 'x');
const textIn = (messages: readonly { body: string | null }[]): number =>
  messages.reduce((sum, { body }) => sum + Buffer.byteLength(body ?? ''), 0);

onBothEngines('pages are bounded by bytes', (engine) => {
  let kit: TestHub;
  let ann: Person;
  let room: string;
  const ids: string[] = [];
  beforeAll(async () => {
    kit = await startTestHub(engine);
    ann = await kit.person('ann');
    room = (await ann.call('createChannel', { body: { name: 'long' } })).id;
    for (let i = 0; i < 12; i++) ids.push((await ann.post(room, long(i))).id);
  });
  afterAll(() => kit.stop());
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
    for await (const piece of exportText(kit.hub.kernel.store, ann.id, head, [])) pieces.push(piece);
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

describe('frames and requests', () => {
  let kit: TestHub;
  let ann: Person;
  beforeAll(async () => {
    kit = await startTestHub('sqlite');
    ann = await kit.person('ann');
  });
  afterAll(() => kit.stop());

  test('[SYS-14] a frame that is longer than any sign of typing is refused by its length', async () => {
    const socket = new WebSocket(`${kit.url.replace('http', 'ws')}/api/v1/socket`, { headers: { authorization: `Bearer ${ann.token}` } });
    await once(socket, 'open');
    const frame = JSON.stringify({ type: 'typing', conversationId: await kit.general() }) + ' '.repeat(5000);
    socket.send(frame);
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1009);
  });

  test('[SYS-14] a body with many wrong fields is refused with a hundred of them, and one with more than 20,000 unread', async () => {
    const post = async (count: number) => {
      const body = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
      return ann.ask('postMessage', { params: { conversationId: await kit.general() }, body: body as never });
    };
    const some = await post(5000);
    expect(some.body.error!.code).toBe('invalid_request');
    expect(some.body.error!.problems).toHaveLength(100);
    const many = await post(60_000);
    expect(many.body.error).toMatchObject({ code: 'malformed_json', message: expect.stringContaining('20000') as string });
  });

  test('[PAP-18] of a thousand names in one message the first hundred are looked up', async () => {
    const agent = await kit.agent('LAST', ann);
    const place = (await ann.call('createChannel', { body: { name: 'names' } })).id;
    await ann.call('addToConversation', { params: { conversationId: place }, body: { memberId: agent.id } });
    const names = (count: number): string => Array.from({ length: count }, (_, i) => `^nobody${i}`).join(' ');
    const woken = async (body: string): Promise<number> => {
      await ann.post(place, body);
      return (await ann.call('listTasks', { query: { conversationId: place, state: 'all' } })).tasks.length;
    };
    expect(await woken(`${names(1000)} ^LAST help`)).toBe(0);
    expect(await woken(`${names(99)} ^LAST help`)).toBe(1);
  });

  test('[SYS-14] four requests of one member are worked on at once, and those of others beside them', async () => {
    const bob = await kit.person('bob');
    let held = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const end = watchReads(kit, async (table, params, go) => {
      if (table === 'memberships' && params[0] === ann.id) {
        held++;
        await released;
      }
      return go();
    });
    const asked = Array.from({ length: 7 }, () => ann.ask('listConversations', {}));
    await until(() => held === 4);
    for (let i = 0; i < 5; i++) await bob.call('listConversations', {});
    const most = held;
    release();
    const answers = await Promise.all(asked);
    end();
    expect(most).toBe(4);
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
  });

  const opened = async (who: Person, path: string): Promise<WebSocket> => {
    const socket = new WebSocket(`${kit.url.replace('http', 'ws')}${path}`, { headers: { authorization: `Bearer ${who.token}` } });
    await once(socket, 'open');
    return socket;
  };
  /** Whether the hub stops reading before it answers the ping that comes last. */
  const isPaced = async (socket: WebSocket, frames: readonly string[]): Promise<boolean> => {
    const pause = vi.spyOn(WebSocket.prototype, 'pause');
    const paused = new Promise<true>((resolve) => pause.mockImplementation(() => resolve(true)));
    for (const frame of frames) socket.send(frame);
    socket.ping();
    const first = await Promise.race([paused, once(socket, 'pong').then(() => false)]);
    pause.mockRestore();
    socket.terminate();
    return first;
  };

  test('[SYS-14] the hub stops reading from a person’s socket, and from an agent’s, that sends faster than it may', async () => {
    const typing = JSON.stringify({ type: 'typing', conversationId: await kit.general() }).padEnd(4000);
    const few = await opened(ann, '/api/v1/socket');
    expect(await isPaced(few, [typing])).toBe(false);
    const many = await opened(ann, '/api/v1/socket');
    expect(
      await isPaced(
        many,
        Array.from({ length: 20 }, () => typing),
      ),
    ).toBe(true);
    const agent = await kit.agent('LOUD', ann);
    const loud = await opened(agent, agentSocketPath);
    expect(
      await isPaced(
        loud,
        Array.from({ length: 3 }, () => JSON.stringify({ jsonrpc: '2.0' }).padEnd(900_000)),
      ),
    ).toBe(true);
  });

  test('[SYS-14] a large body that is refused before it is read is not read afterwards either', async () => {
    const socket = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    const head = `POST /api/v1/events HTTP/1.1\r\nhost: ${new URL(kit.url).host}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: 900000\r\n\r\n{`);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 401/);
    expect(answer.toLowerCase()).toContain('connection: close');
    socket.destroy();
    // A small one is: its connection goes on.
    const small = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    small.write(`${head}content-length: 2\r\n\r\n{}`);
    const [text] = (await once(small, 'data')) as [Buffer];
    expect(text.toString().toLowerCase()).toContain('connection: keep-alive');
    small.destroy();
  });
});

test('[SYS-14] opening a socket counts as a read', async () => {
  const kit = await startTestHub('sqlite', {}, { PARLEY_READS_PER_MINUTE: '50' });
  const ann = await kit.person('ann');
  const open = async (): Promise<number> => {
    const socket = new WebSocket(`${kit.url.replace('http', 'ws')}/api/v1/socket`, { headers: { authorization: `Bearer ${ann.token}` } });
    socket.on('error', () => {});
    const status = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(([, response]) => (response as { statusCode: number }).statusCode),
    ]);
    socket.terminate();
    return status;
  };
  const seen: number[] = [];
  for (let i = 0; i < 6; i++) seen.push(await open());
  await kit.stop();
  expect(seen).toEqual([101, 101, 101, 101, 101, 429]);
});

describe('[PRV-4] the guards of trigger files hold for every file', () => {
  const keys = Array.from({ length: 3000 }, (_, i) => `k${i}: 1`).join('\n');
  const bomb = [
    'a: &a [x,x]',
    ...'bcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((n, i) => `${n}: &${n} [*${'abcdefghijklmnopqrstuvwxy'[i]},*${'abcdefghijklmnopqrstuvwxy'[i]}]`),
  ].join('\n');
  const cases: [string, string, RegExp][] = [
    ['3,000 unknown keys', keys, /is not a field here/],
    ['4,000 keys', Array.from({ length: 4000 }, (_, i) => `k${i}: 1`).join('\n'), /must be at most/],
    ['24,000 keys', Array.from({ length: 24_000 }, (_, i) => `k${i}: 1`).join('\n'), /must be at most/],

    ['a name twice', 'name: a\nname: b', /stands here twice/],
    ['aliases', bomb, /aliases are not taken/],
    ['depth', '['.repeat(20_000), /nested more than 64/],
    ['size', `# ${'x'.repeat(150_000)}\na: 1`, /at most/],
    ['two documents', 'a: 1\n---\nb: 2', /one document|is not a field/],
  ];
  test.each(cases)('agent.yaml: %s', async (_, text, message) => {
    const kit = await folder(text);
    const read = await readFolder({ root: kit, handle: 'wide' });
    expect('problems' in read && read.problems.length).toBeLessThanOrEqual(100);
    expect('problems' in read && read.problems[0]?.message).toMatch(message);
  });
  test.each(cases)('tools.yaml: %s', async (_, text, message) => {
    const kit = await folder(text);
    const read = await readToolsFile(join(kit, 'wide', 'agent.yaml'));
    expect(read && 'problems' in read && read.problems.length).toBeLessThanOrEqual(100);
    expect(read && 'problems' in read && read.problems[0]?.message).toMatch(message);
  });
});

type Read = <R>(table: string, params: readonly unknown[], go: () => Promise<R>) => Promise<R>;

/** Puts `read` before every read of rows; the answer takes it away again. */
function watchReads({ hub }: TestHub, read: Read): () => void {
  const { store } = hub.kernel;
  const [rows, intact] = [store.rows.bind(store), store.intact.bind(store)];
  store.rows = (table, tail, params = []) => read(table, params, () => rows(table, tail, params));
  store.intact = (table, tail, params = []) => read(table, params, () => intact(table, tail, params));
  return () => {
    Reflect.deleteProperty(store, 'rows');
    Reflect.deleteProperty(store, 'intact');
  };
}

/** The most text that one read of the database has brought. */
function bytesRead(kit: TestHub): { largest: () => number; end: () => void } {
  let largest = 0;
  const end = watchReads(kit, async (_table, _params, go) => {
    const found = await go();
    const texts = JSON.stringify(found).matchAll(/"(?:body|output)":"((?:[^"\\]|\\.)*)"/g);
    largest = Math.max(
      largest,
      [...texts].map(([, text]) => text!.length).reduce((sum, size) => sum + size, 0),
    );
    return found;
  });
  return { largest: () => largest, end };
}

async function folder(text: string): Promise<string> {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const root = await mkdtemp(join(tmpdir(), 'parley-'));
  await mkdir(join(root, 'wide'));
  await writeFile(join(root, 'wide', 'agent.yaml'), text);
  return root;
}
