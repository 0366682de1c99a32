// What one member sends is bounded before it is read, so that the others get their turn.

import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentSocketPath } from '@parley/protocol';
import { type Person, startTestHub, type TestHub, until } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readFolder } from '../../../src/agents/read-folder.ts';
import { readToolsFile } from '../../../src/tools/tools-file.ts';
import { watchReads } from '../../kit/reads.ts';

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

  test('[SYS-14] a member and two agents of theirs who hold back the bodies of many requests hold up nobody', async () => {
    const [place, idle, bob] = [await kit.general(), await kit.person('idle'), await kit.person('rob')];
    const crew = [await kit.agent('IDLE1', idle), await kit.agent('IDLE2', idle)];
    const { port, host } = new URL(kit.url);
    const begin = async ({ token }: Person) => {
      const socket = connect(Number(port), '127.0.0.1');
      const head = [
        'host: ' + host,
        `authorization: Bearer ${token}`,
        'content-type: application/json',
        'content-length: 30',
        'expect: 100-continue',
      ];
      socket.write(`POST /api/v1/conversations/${place}/messages HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toContain('100 Continue');
      return socket;
    };
    const held = await Promise.all([...Array.from({ length: 58 }, () => idle), ...crew.flatMap((one) => [one, one, one, one])].map(begin));
    await bob.post(place, 'short');
    await bob.post(place, 'long '.repeat(4000));
    for (const socket of held) socket.destroy();
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
    const asked = Array.from({ length: 7 }, () => ann.ask('listConversations', { query: {} }));
    await until(() => held === 4);
    for (let i = 0; i < 5; i++) await bob.call('listConversations', { query: {} });
    const most = held;
    release();
    const answers = await Promise.all(asked);
    end();
    expect(most).toBe(4);
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
  });

  test('[SYS-14] [PRV-16] dry runs of one member take turns, and another member does not wait for them', async () => {
    const cat = await kit.person('cat');
    let [held, most] = [0, 0];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const end = watchReads(kit, async (table, params, go) => {
      if (table !== 'provoke_objects' || !params.includes('trigger') || !params.includes(ann.id)) return go();
      most = Math.max(most, ++held);
      await released;
      return go().finally(() => held--);
    });
    const event = { pap_version: '0.2', id: 'e', source: 'm', type: 'a.b.c', time: '2026-03-11T06:00:00Z', data: {} };
    const tested = (who: Person, events: object[]) => who.ask('testTriggers', { body: { events } });
    const asked = [[event], [{}], [event], [event]].map((events) => tested(ann, events));
    await until(() => held > 0);
    for (let i = 0; i < 5; i++) expect((await tested(cat, [event])).status).toBe(200);
    release();
    const answers = await Promise.all(asked);
    end();
    expect(most).toBe(1);
    // One that is refused gives its turn away, too.
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
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

  test('[SYS-14] a large body that is refused before it is read is not waited for', async () => {
    const socket = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    const head = `POST /api/v1/events HTTP/1.1\r\nhost: ${new URL(kit.url).host}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: 900000\r\n\r\n{`);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 401/);
    socket.destroy();
    const huge = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    huge.write(`${head}content-length: 90000000\r\n\r\n{`);
    const [refusal] = (await once(huge, 'data')) as [Buffer];
    expect(refusal.toString().toLowerCase()).toContain('connection: close');
    huge.destroy();
    const endless = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    endless.on('error', () => {});
    endless.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    const part = `100000\r\n${'x'.repeat(1_048_576)}\r\n`;
    let sent = 0;
    for (; sent < 100 && !endless.destroyed; sent++) await new Promise<void>((resolve) => endless.write(part, () => resolve()));
    expect(sent).toBeLessThan(60);
    // A small one is: its connection goes on.
    const small = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    small.write(`${head}content-length: 2\r\n\r\n{}`);
    const [text] = (await once(small, 'data')) as [Buffer];
    expect(text.toString().toLowerCase()).toContain('connection: keep-alive');
    small.destroy();
    // One that asked for its end gets it, with the answer before.
    const last = connect(new URL(kit.url).port as unknown as number, '127.0.0.1');
    last.write(`${head}connection: close\r\ncontent-length: 2\r\n\r\n{}`);
    let ending = '';
    last.on('data', (chunk: Buffer) => (ending += chunk.toString()));
    await once(last, 'end');
    expect(ending).toMatch(/^HTTP\/1\.1 401/);
    last.destroy();
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

async function folder(text: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'parley-'));
  await mkdir(join(root, 'wide'));
  await writeFile(join(root, 'wide', 'agent.yaml'), text);
  return root;
}
