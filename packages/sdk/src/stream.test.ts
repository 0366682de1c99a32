import type { StreamEvent } from '@parley/protocol';
import { closeCodes } from '@parley/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fact, ManualClock, TestServer, until } from '../test/support.ts';
import { createClient } from './client.ts';
import { connectWithToken } from './node.ts';
import { createSseParser } from './transport.ts';
import type { Stream, StreamState } from './stream.ts';

let clock: ManualClock;
let server: TestServer;
let stream: Stream | undefined;
let events: StreamEvent[];
let states: StreamState[];
/** What the hub holds; clients are greeted with everything after their cursor, as the real one does. */
let log: number[];
let epoch: string;

beforeEach(async () => {
  clock = new ManualClock();
  server = new TestServer();
  [events, states, log, epoch] = [[], [], [], 'e1'];
  server.greet = (cursor) => {
    const [from, seq] = cursor.split(':');
    const last = `${epoch}:${log.at(-1) ?? 0}`;
    if (from !== epoch)
      return [
        { type: 'reset', cursor: last, reason: 'epoch' },
        { type: 'ready', cursor: last },
      ];
    return [...log.filter((n) => n > Number(seq)).map((n) => fact(epoch, n)), { type: 'ready', cursor: last }];
  };
  await server.start();
});
afterEach(async () => {
  stream?.close();
  await server.die();
});

function follow(
  options: { transport?: 'websocket' | 'sse'; cursor?: string; onEvent?: (event: StreamEvent) => void | Promise<void> } = {},
) {
  const client = createClient({
    baseUrl: server.baseUrl,
    token: 't0ken',
    connect: connectWithToken,
    clock,
    random: () => 0,
    timeoutMs: 60_000,
  });
  stream = client.stream({
    cursor: options.cursor ?? 'e1:0',
    transport: options.transport ?? 'websocket',
    onEvent: options.onEvent ?? ((event) => void events.push(event)),
    onState: (state) => void states.push(state),
  });
  return stream;
}
const say = (seq: number) => {
  log.push(seq);
  server.broadcast(fact(epoch, seq));
};
const seqs = () => events.flatMap((event) => ('at' in event ? [event.at] : []));
const isLive = () => states.at(-1)?.status === 'live';
const isWaiting = () => states.at(-1)?.status === 'waiting';

describe.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  test('SYS-4 the hub dies mid-stream: it resumes with no gap and no duplicate', async () => {
    log = [1, 2];
    const it = follow({ transport });
    await until(isLive);
    say(3);
    await until(() => seqs().length === 3);
    await server.die();
    log.push(4, 5);
    await until(isWaiting, 'noticing the loss');
    await server.start();
    clock.advance(1_000);
    await until(isLive);
    say(6);
    await until(() => seqs().length === 6);
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(it.cursor).toBe('e1:6');
    const urls = transport === 'sse' ? server.streams : server.sockets;
    expect(urls.map((entry) => new URL(entry.url, 'http://x').searchParams.get('cursor'))).toEqual(['e1:0', 'e1:3']);
  });

  test('a hub restored from a backup has another epoch: a reset is surfaced and what follows waits for it', async () => {
    log = [1];
    let release = () => {};
    const snapshot = new Promise<void>((resolve) => (release = resolve));
    const it = follow({
      transport,
      cursor: 'e0:99',
      onEvent: (event) => (events.push(event), event.type === 'reset' ? snapshot : undefined),
    });
    await until(() => events.length === 1);
    say(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events).toEqual([{ type: 'reset', cursor: 'e1:1', reason: 'epoch' }]);
    expect(it.cursor).toBe('e0:99');
    release();
    await until(() => seqs().length === 1);
    expect(seqs()).toEqual([2]);
    expect(it.cursor).toBe('e1:2');
  });

  test('a revoked token stops an open stream for good', async () => {
    follow({ transport });
    await until(isLive);
    for (const { socket } of server.sockets) socket.close(closeCodes.unauthenticated);
    for (const { response } of server.streams) response.end(`event: close\ndata: {"code":${closeCodes.unauthenticated}}\n\n`);
    await until(() => states.at(-1)?.status === 'stopped');
    expect(states.at(-1)).toEqual({ status: 'stopped', why: 'unauthenticated' });
  });

  test('an ended session stops it for good', async () => {
    server.refuseSockets = 401;
    follow({ transport });
    await until(() => states.at(-1)?.status === 'stopped');
    expect(states.at(-1)).toEqual({ status: 'stopped', why: 'unauthenticated' });
    expect(clock.waits).toEqual([]);
  });
});

test('facts that come again are dropped by their seq; signs are passed on and move nothing', async () => {
  const it = follow();
  await until(isLive);
  for (const event of [fact('e1', 5), fact('e1', 4), fact('e1', 5), fact('e1', 8)]) server.broadcast(event);
  server.broadcast({ type: 'presence', memberId: 'm1', online: true });
  await until(() => events.at(-1)?.type === 'presence');
  expect(seqs()).toEqual([5, 8]);
  expect(it.cursor).toBe('e1:8');
});

test('a fact of another epoch without a reset is not believed: it reconnects with the cursor it has', async () => {
  follow();
  await until(isLive);
  epoch = 'e2';
  log = [1];
  server.broadcast(fact('e2', 1));
  await until(isWaiting);
  clock.advance(1_000);
  await until(() => events.some((event) => event.type === 'reset'));
  expect(seqs()).toEqual([]);
});

test('a handler that is slow holds the cursor back, one that fails stops the stream', async () => {
  log = [1, 2, 3];
  const it = follow({
    onEvent: (event) => {
      if ('at' in event && event.at === 2) throw new Error('no');
      events.push(event);
    },
  });
  await until(() => states.at(-1)?.status === 'stopped');
  expect(states.at(-1)).toMatchObject({ why: 'handler_failed' });
  expect(it.cursor).toBe('e1:1');
});

test('a slow reader comes back at once; a hub going down is waited for', async () => {
  follow();
  await until(isLive);
  server.sockets.at(-1)?.socket.close(closeCodes.slow, 'slow');
  await until(isWaiting);
  expect(states.at(-1)).toMatchObject({ retryAt: clock.now() });
  clock.advance(0);
  await until(isLive);
  server.sockets.at(-1)?.socket.close(closeCodes.goingAway);
  await until(isWaiting);
  expect(states.at(-1)).toMatchObject({ retryAt: clock.now() + 250 });
  stream?.retryNow();
  await until(isLive);
});

test('waits grow while the hub is away and start over once it was live', async () => {
  follow();
  await until(isLive);
  await server.die();
  for (const expected of [250, 500, 1_000]) {
    await until(isWaiting);
    expect((states.at(-1) as { retryAt: number }).retryAt - clock.now()).toBe(expected);
    clock.advance(expected);
  }
  await until(isWaiting);
  await server.start();
  stream?.retryNow();
  await until(isLive);
  await server.die();
  await until(isWaiting);
  expect((states.at(-1) as { retryAt: number }).retryAt - clock.now()).toBe(250);
});

test('the stream sends the token, typing and pings; after a sleep it does not trust the socket', async () => {
  const it = follow();
  await until(isLive);
  const first = server.sockets[0]!;
  expect(first.authorization).toBe('Bearer t0ken');
  it.typing('con_1');
  clock.advance(25_000);
  await until(() => first.heard.length === 2);
  expect(first.heard.map((text) => JSON.parse(text))).toEqual([{ type: 'typing', conversationId: 'con_1' }, { type: 'ping' }]);
  clock.sleepThrough(3_600_000);
  clock.advance(25_000);
  await until(() => server.sockets.length === 2);
  await until(isLive);
});

test('an event stream is read across chunks, with comments and several data lines', () => {
  const heard: string[] = [];
  const feed = createSseParser((data, name) => heard.push(name + data));
  for (const chunk of [': hi\n\nid: e1:1\nda', 'ta: {"a":\ndata: 1}\r\n\r', '\nevent: x\n\ndata:2\n\nevent: close\ndata: {}\n\ndata: 3'])
    feed(chunk);
  expect(heard).toEqual(['{"a":\n1}', '2', 'close{}']);
});
