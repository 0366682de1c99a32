import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { frameFrom, type RelayClient } from '@parley/testkit/relay';
import { startRelay, scraping } from './kit/relay.ts';

const httpOf = (url: string): string => url.replace('ws', 'http');

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('open', () => resolve(101));
    socket.on('error', reject);
  });
}

const rawSocketOf = ({ socket }: RelayClient): Socket => (socket as unknown as { _socket: Socket })._socket;

describe('bad input', () => {
  test('[A2C-2] frames and messages before the login are refused', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const client = await relay.connect();
    expect(await client.sendFrame(frameFrom(ann, ann, 'early'))).toMatchObject({ code: 'wrong_state' });
    expect(await client.request({ type: 'lookup', ref: '1', address: ann.address, package: true })).toMatchObject({ code: 'wrong_state' });
  });

  test.for(['', 'null', '[]', '{"type":"no such thing"}', '{"type":"ack","through":-1}', '['.repeat(20_000)])(
    '[A2C-2] a message that is none is refused, and others go on: %.20s',
    async (text) => {
      const relay = await startRelay();
      const client = await relay.connect();
      client.socket.send(text);
      expect(await client.until(() => client.messages[0])).toMatchObject({ type: 'refused', code: 'bad_message' });
      expect(await client.login(await relay.registered('ann'))).toMatchObject({ type: 'ready' });
    },
  );

  test('[A2C-9] a frame of 10 MB closes the connection', async () => {
    const relay = await startRelay();
    const client = await relay.loggedIn(await relay.registered('ann'));
    client.socket.send(new Uint8Array(10_000_000));
    expect(await client.untilClosed()).toMatchObject({ code: 1009 });
    expect(await (await fetch(`${httpOf(relay.served.url)}/health`)).json()).toMatchObject({ status: 'ok' });
  });

  test('[A2C-9] the relay accepts no compression, so nothing can blow up', async () => {
    const relay = await startRelay();
    const client = await relay.connect();
    expect(client.socket.extensions).toBe('');
  });

  test('[A2C-9] a compressed message, offered or not, closes its connection alone', async () => {
    const relay = await startRelay();
    const other = await relay.loggedIn(await relay.registered('ann'));
    const client = await relay.connect();
    // The flag of a compressed message, on a mask of zeros: an empty deflate block.
    rawSocketOf(client).write(Buffer.from([0xc2, 0x81, 0, 0, 0, 0, 0]));
    expect(await client.untilClosed()).toMatchObject({ code: 1002 });
    expect(await other.request({ type: 'block', ref: '1', address: 'agent:x@localhost', blocked: false })).toMatchObject({ type: 'done' });
  });

  test('[A2C-14] the relay agrees to no subprotocol', async () => {
    const { url } = (await startRelay()).served;
    const socket = new WebSocket(url, ['foo']);
    await expect(new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))).rejects.toThrow('no subprotocol');
  });

  test('[A2C-2] a refused message keeps its ref', async () => {
    const relay = await startRelay();
    const client = await relay.loggedIn(await relay.registered('ann'));
    const wrong = { type: 'lookup', ref: 'mine', address: 'nobody', package: true } as unknown as Parameters<typeof client.request>[0];
    expect(await client.request(wrong)).toMatchObject({ type: 'refused', code: 'bad_message', ref: 'mine' });
  });

  test('[A2C-2] answers to frames come in the order of the frames', async () => {
    const relay = await startRelay();
    const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
    const client = await relay.loggedIn(ann);
    const frame = (text: string) => frameFrom(ann, bob, text);
    for (const bytes of [frame('1'), Uint8Array.of(1, 2), frame('2'), frameFrom(ann, { ...bob, key: ann.key }, '3'), frame('4')])
      client.socket.send(bytes);
    await client.until(() => (client.messages.length >= 7 ? true : undefined));
    expect(client.messages.slice(2).map((message) => ('code' in message ? message.code : message.type))).toEqual([
      'stored',
      'bad_frame',
      'stored',
      'key_changed',
      'stored',
    ]);
  });

  test('[A2C-9] 2,000 headers are refused', async () => {
    const relay = await startRelay();
    const headers = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`x-header-${n}`, 'value']));
    const status = await new Promise((resolve) => {
      request(`${httpOf(relay.served.url)}/health`, { headers }, (response) => resolve(response.statusCode))
        .on('error', () => resolve('closed'))
        .end();
    });
    expect([431, 'closed']).toContain(status);
  });

  test('[A2C-9] a page of another origin cannot connect; a named one can', async () => {
    const relay = await startRelay({ PARLEY_RELAY_ORIGINS: 'https://ours.example' });
    expect(await statusOf(relay.served.url, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(relay.served.url, { origin: 'https://ours.example' })).toBe(101);
  });

  test('[A2C-9] one client address opens so many connections a minute', async () => {
    const relay = await startRelay({ PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '2' });
    const url = relay.served.url;
    expect([await statusOf(url, {}), await statusOf(url, {}), await statusOf(url, {})]).toEqual([101, 101, 429]);
  });

  test('[A2C-9] behind a proxy, connections are counted by the address it names, without the port', async () => {
    const relay = await startRelay({ PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '1', PARLEY_RELAY_TRUST_PROXY: '1' });
    const from = (address: string) => statusOf(relay.served.url, { 'x-forwarded-for': `192.0.2.1, ${address}` });
    expect([await from('192.0.2.9:1'), await from('192.0.2.9:2'), await from('2001:db8::1'), await from('2001:db8::2')]).toEqual([
      101, 429, 101, 429,
    ]);
  });

  test('[A2C-9] a client that only greets is cut off', async () => {
    const client = await (await startRelay()).connect();
    for (let n = 0; n < 10; n += 1) await client.hello();
    await expect(client.hello()).rejects.toThrow('Too many greetings');
  });

  test('[A2C-9] a client that sends only rubbish is cut off', async () => {
    const relay = await startRelay();
    const client = await relay.loggedIn(await relay.registered('ann'));
    for (let n = 0; n < 200; n += 1) client.socket.send(Uint8Array.of(9, n));
    expect(await client.untilClosed()).toMatchObject({ code: 4400 });
  });

  test('[A2C-7] a half-open socket is noticed by the heartbeat', async () => {
    const relay = await startRelay();
    const ann = await relay.registered('ann');
    const client = await relay.loggedIn(ann);
    client.socket.pause();
    const connections = relay.served.relay.connected;
    relay.served.relay.sweep();
    // The pong of a living one would arrive here.
    await (await relay.connect()).hello();
    relay.served.relay.sweep();
    await expect.poll(() => relay.served.relay.connected).toBeLessThanOrEqual(connections);
    client.socket.resume();
    await client.untilClosed();
  });

  test('[A2C-6] a drain answers what has come and notifies the clients', async () => {
    const relay = await startRelay();
    const [ann, bob] = [await relay.registered('ann'), await relay.registered('bob')];
    const client = await relay.loggedIn(ann);
    const answer = client.sendFrame(frameFrom(ann, bob, 'last words'));
    await answer;
    await relay.restart();
    expect(client.messages.at(-1)).toEqual({ type: 'draining' });
    expect(await client.untilClosed()).toMatchObject({ code: 4503 });
    expect(await (await relay.loggedIn(bob)).received(1)).toEqual(['last words']);
  });

  test('[A2C-9] health and metrics name no address', async () => {
    const relay = await startRelay();
    await relay.registered('ann');
    const health = await (await fetch(`${httpOf(relay.served.url)}/health`)).json();
    expect(health).toMatchObject({ status: 'ok', relay: 'localhost', key: expect.any(String) });
    expect((await fetch(`${httpOf(relay.served.url)}/metrics`)).status).toBe(401);
    const metrics = await (await fetch(`${httpOf(relay.served.url)}/metrics`, scraping)).text();
    expect(metrics).toContain('parley_relay_connections_total 1');
    expect(metrics).not.toContain('ann');
  });

  test('[A2C-9] bytes that are no HTTP disturb nobody', async () => {
    const relay = await startRelay();
    const { port } = new URL(httpOf(relay.served.url));
    await new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end('\0\0garbage\r\n\r\n'));
      socket.resume().on('error', resolve).on('close', resolve);
    });
    expect(await (await relay.connect()).hello()).toMatchObject({ relay: 'localhost' });
  });
});
