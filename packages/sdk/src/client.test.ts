import { afterEach, beforeEach, expect, test } from 'vitest';
import { json, ManualClock, TestServer, until } from '../test/support.ts';
import { createClient } from './client.ts';
import { ConnectionError } from './errors.ts';

const conversationId = 'con_00000000000000000000000001';
let server: TestServer;
let clock: ManualClock;
const client = (extra: { token?: string; attempts?: number } = {}) =>
  createClient({ baseUrl: server.baseUrl, clock, random: () => 1, timeoutMs: 60_000, ...extra });
/** The timers besides the one that would give a request up. */
const waits = () => clock.waits.filter((ms) => ms < 60_000);

beforeEach(async () => {
  clock = new ManualClock();
  server = new TestServer();
  await server.start();
});
afterEach(() => server.die());

test('a call is built from the route table: path, query, body, token', async () => {
  server.answer = (_, response) => json(response, 200, { messages: [], moreBefore: false, moreAfter: false });
  await client({ token: 's3cret' }).call('listMessages', { params: { conversationId }, query: { before: 9, limit: undefined } });
  await client().call('addReaction', { params: { messageId: 'msg_1', emoji: '👍' } });
  await client().call('createChannel', { body: { name: 'general' } });
  const [list, react, create] = server.requests;
  expect(list).toMatchObject({ method: 'GET', url: `/api/v1/conversations/${conversationId}/messages?before=9` });
  expect(list?.headers.authorization).toBe('Bearer s3cret');
  expect(react?.url).toBe('/api/v1/messages/msg_1/reactions/%F0%9F%91%8D');
  expect(react?.headers['content-type']).toBeUndefined();
  expect(create).toMatchObject({ method: 'POST', body: '{"name":"general"}' });
  expect(create?.headers['content-type']).toBe('application/json');
});

test('a refusal is a ParleyError with its code, reason and problems', async () => {
  server.answer = (_, response) =>
    json(response, 403, { error: { code: 'forbidden', message: 'no', reason: 'guest', problems: [{ field: 'name', message: 'bad' }, 7] } });
  const error = await client()
    .call('createChannel', { body: { name: 'x' } })
    .catch((e: unknown) => e);
  expect(error).toMatchObject({ name: 'ParleyError', code: 'forbidden', message: 'no', reason: 'guest' });
  expect((error as { problems: unknown }).problems).toEqual([{ field: 'name', message: 'bad' }]);
});

test('a code of a newer hub becomes internal; a proxy’s page is read by its status', async () => {
  server.answer = (_, response) => json(response, 418, { error: { code: 'teapot', message: 'short and stout' } });
  await expect(client().call('listRoles')).rejects.toMatchObject({ code: 'internal', message: 'short and stout' });
  server.answer = (_, response) => response.writeHead(401).end('<html>');
  await expect(client().call('listRoles')).rejects.toMatchObject({ code: 'unauthenticated' });
  server.answer = (_, response) => response.writeHead(200).end('<html>');
  await expect(client().call('listRoles')).rejects.toMatchObject({ name: 'ConnectionError', failure: 'bad_answer' });
});

test('a post with an idempotency key is repeated with the same key until it is answered', async () => {
  let tries = 0;
  server.answer = (_, response) => {
    tries += 1;
    if (tries === 1) return response.socket?.destroy();
    if (tries === 2) return json(response, 503, { error: { code: 'unavailable', message: 'starting' } });
    return json(response, 200, { id: 'msg_1' });
  };
  const posted = client().call('postMessage', { params: { conversationId }, body: { body: 'hi' } }, { idempotencyKey: 'k1' });
  await until(() => waits().includes(300));
  clock.advance(300);
  await until(() => waits().includes(600));
  clock.advance(600);
  await expect(posted).resolves.toEqual({ id: 'msg_1' });
  expect(server.requests.map((seen) => [seen.headers['idempotency-key'], seen.body])).toEqual([
    ['k1', '{"body":"hi"}'],
    ['k1', '{"body":"hi"}'],
    ['k1', '{"body":"hi"}'],
  ]);
});

test('a post without a key is never repeated: it may have been carried out', async () => {
  server.answer = (_, response) => response.socket?.destroy();
  const error = await client()
    .call('postMessage', { params: { conversationId }, body: { body: 'hi' } })
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as ConnectionError).shouldRetry()).toBe(true);
  expect(server.requests).toHaveLength(1);
});

test('retry-after is respected, and a refusal that would not pass is not retried', async () => {
  let tries = 0;
  server.answer = (_, response) =>
    (tries += 1) === 1
      ? json(response, 429, { error: { code: 'rate_limited', message: 'slow down' } }, { 'retry-after': '7' })
      : json(response, 404, { error: { code: 'not_found', message: 'no' } });
  const read = client().call('listRoles');
  const outcome = read.catch((error: unknown) => error);
  await until(() => waits().includes(7_000));
  clock.advance(7_000);
  expect(await outcome).toMatchObject({ code: 'not_found' });
  expect(tries).toBe(2);
});

test('a hub that stays away is given up on after the last attempt', async () => {
  await server.die();
  const read = client({ attempts: 3 }).call('health');
  const outcome = read.catch((error: unknown) => error);
  await until(() => waits().includes(300));
  clock.advance(300);
  await until(() => waits().includes(600));
  clock.advance(600);
  expect(await outcome).toMatchObject({ name: 'ConnectionError', failure: 'network' });
});

test('a hub that does not answer in time is a timeout; an abort is the caller’s own error', async () => {
  server.answer = () => {};
  const slow = client({ attempts: 1 }).call('health');
  const outcome = slow.catch((error: unknown) => error);
  await until(() => server.requests.length === 1);
  clock.advance(60_000);
  expect(await outcome).toMatchObject({ failure: 'timeout' });

  const stop = new AbortController();
  const aborted = client().call('health', {}, { signal: stop.signal });
  const refusal = aborted.catch((error: unknown) => error);
  await until(() => server.requests.length === 2);
  stop.abort();
  expect(await refusal).toMatchObject({ name: 'AbortError' });
});

test('files go up as bytes and come down as a response', async () => {
  server.answer = (seen, response) => (seen.method === 'POST' ? json(response, 200, { id: 'att_1' }) : response.writeHead(200).end('data'));
  const data = new TextEncoder().encode('data');
  await expect(client().upload({ name: 'a b.txt', data, mediaType: 'text/plain' })).resolves.toEqual({ id: 'att_1' });
  expect(server.requests[0]).toMatchObject({ url: '/api/v1/attachments?name=a+b.txt', body: 'data' });
  expect(server.requests[0]?.headers['content-type']).toBe('text/plain');
  const response = await client().download('att_1');
  await expect(response.text()).resolves.toBe('data');
});
