import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addAction, type ConfiguredAction, removeAction } from './configured-actions.ts';
import { type ActionCall, ActionRefused } from './port.ts';
import { tool } from './handlers.ts';
import { webhook } from './webhook.ts';

const got: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
let answer: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    got.push({ path: request.url!, headers: request.headers, body });
    answer(response);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
beforeEach(() => {
  got.length = 0;
  answer = (response) => void response.end('{}');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const call: ActionCall = {
  key: 'hash-0-initiator',
  threadId: 'thr_1',
  peer: 'agent:bob@relay.example',
  action: { action: 'book_table', url: 'http://127.0.0.1:1/' },
  summary: 'Dinner, 19:00',
  details: { webhook: 'http://127.0.0.1:1/' },
  now: 1000,
  isRepeated: false,
};
const booking = (undo = true): ConfiguredAction =>
  addAction([], { name: 'book_table', kind: 'webhook', run: `${base()}/book`, undo: undo ? `${base()}/release` : null })[0]!;

test('[A2C-29] a webhook gets one signed call with a key, and its undo the same one', async () => {
  const action = booking();
  const { run, undo } = webhook(action, fetch);
  await run(call);
  await run({ ...call, now: 2000, isRepeated: true });
  await undo!(call);
  expect(got.map(({ path, headers }) => [path, headers['idempotency-key']])).toEqual([
    ['/book', 'hash-0-initiator'],
    ['/book', 'hash-0-initiator'],
    ['/release', 'hash-0-initiator-undo'],
  ]);
  const { headers, body } = got[0]!;
  expect(JSON.parse(body)).toMatchObject({ action: 'book_table', undo: false, key: call.key, summary: 'Dinner, 19:00' });
  const signature = createHmac('sha256', action.secret).update(`1000.${body}`).digest('hex');
  expect(headers['parley-signature']).toBe(`t=1000,v1=${signature}`);
  expect(webhook(booking(false), fetch).undo).toBeUndefined();
});

test.each([
  [409, '{"constraint":"Fully booked at 19:00"}', 'Fully booked at 19:00'],
  [404, 'secret words of the server', 'book_table was refused (404)'],
  [302, '', 'book_table was refused (302)'],
])('[A2C-29] an answer of %i means that nothing happened', async (status, text, words) => {
  answer = (response) => void response.writeHead(status, { location: `${base()}/elsewhere` }).end(text);
  const refused = webhook(booking(), fetch).run(call);
  await expect(refused).rejects.toThrow(ActionRefused);
  await expect(refused).rejects.toThrow(words);
  expect(got.map(({ path }) => path)).toEqual(['/book']);
});

test.each([
  ['answers 503', (response: ServerResponse) => void response.writeHead(503).end('secret')],
  ['hangs up', (response: ServerResponse) => void response.destroy()],
  ['never ends', (response: ServerResponse) => void response.end('x'.repeat(100_000))],
])('[A2C-29] a server that %s may have done it', async (_, faulty) => {
  answer = faulty;
  const failure = await webhook(booking(), fetch)
    .run(call)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(ActionRefused);
});

test('[A2C-29] the person’s names and addresses are checked', () => {
  const add = (name: string, run: string, undo: string | null = null): unknown => addAction([], { name, kind: 'webhook', run, undo });
  expect(() => add('book table', 'https://example.org/')).toThrow('book table');
  expect(() => add('add_calendar_event', 'https://example.org/')).toThrow('Parley itself');
  for (const url of ['http://example.org/', 'ftp://example.org/', 'book', 'https://ann:secret@example.org/'])
    expect(() => add('book_table', url)).toThrow('https://');
  expect(() => add('book_table', 'https://example.org/', 'http://example.org/')).toThrow('https://');
  const actions = addAction([], { name: 'book_table', kind: 'webhook', run: 'https://example.org/', undo: null });
  expect(() => addAction(actions, { name: 'book_table', kind: 'tool', run: 'book', undo: null })).toThrow('already');
  expect(() => removeAction(actions, 'order_cab')).toThrow('There are: book_table');
  expect(removeAction(actions, 'book_table')).toEqual([]);
});

test('[A2C-29] a tool is called once: after a crash nobody calls it again', async () => {
  const [action] = addAction([], { name: 'book_table', kind: 'tool', run: 'bookings.book', undo: 'bookings.release' });
  const calls: string[] = [];
  const { run, undo } = tool(action!, async (name) => void calls.push(name));
  await run(call);
  await undo!(call);
  await expect(run({ ...call, isRepeated: true })).rejects.toThrow('Nobody knows');
  await expect(undo!({ ...call, isRepeated: true })).rejects.toThrow('Nobody knows');
  expect(calls).toEqual(['bookings.book', 'bookings.release']);
  await expect(tool(action!, undefined).run(call)).rejects.toThrow(ActionRefused);
});
