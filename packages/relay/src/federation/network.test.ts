import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RelayNetwork } from './network.ts';

let answer: { status: number; body: string; headers?: Record<string, string> };
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url!);
  response.writeHead(answer.status, answer.headers).end(answer.body);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

const leadsTo =
  (...addresses: string[]): LookupFunction =>
  (_host, options, done) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) done(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  };
const here = (): RelayNetwork =>
  new RelayNetwork(
    { isPrivate: true, isPlain: true },
    {
      dial: (url) => new URL(`${url.protocol}//127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}`),
    },
  );
const document = { v: 1, relay: 'a.example', key: 'A'.repeat(43), url: 'wss://a.example' };

test.each([['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254'], ['::1'], ['fd00::1'], ['8.8.8.8', '192.168.0.1']])(
  '[A2C-10] [SYS-11] a name that leads to %s %s is not asked',
  async (...addresses) => {
    const network = new RelayNetwork({ isPrivate: false, isPlain: false }, { lookup: leadsTo(...addresses) });
    await expect(network.documentOf('a.example')).rejects.toThrow(
      'The relay a.example cannot be reached: https://a.example/.well-known/parley-relay could not be read (a.example is a private, loopback or link-local address).',
    );
    const socket = network.openSocket('a.example', 'wss://a.example');
    await expect(new Promise((_, reject) => socket.once('error', reject))).rejects.toThrow('private, loopback or link-local');
  },
);

test.each(['localhost', '127.0.0.1', '10.0.0.1:8443', 'x.localhost'])(
  '[A2C-10] [SYS-11] %s itself is not asked, also as the address in a document',
  async (host) => {
    const network = new RelayNetwork({ isPrivate: false, isPlain: false });
    await expect(network.documentOf(host)).rejects.toThrow('private, loopback or link-local');
    expect(() => network.openSocket('a.example', `wss://${host}`)).toThrow('private, loopback or link-local');
  },
);

test('[A2C-10] a document is read within limits: no redirect, no other form, not too much of it', async () => {
  const read = (status: number, body: string, headers: Record<string, string> = {}) => {
    answer = { status, body, headers };
    return here().documentOf('a.example');
  };
  expect(await read(200, JSON.stringify({ ...document, more: 1 }))).toEqual(document);
  await expect(read(302, '', { location: '/elsewhere' })).rejects.toThrow('status 302');
  expect(asked).not.toContain('/elsewhere');
  await expect(read(404, '')).rejects.toThrow('status 404');
  await expect(read(200, '{')).rejects.toThrow('is no document of a relay');
  await expect(read(200, JSON.stringify({ ...document, url: 'https://a.example' }))).rejects.toThrow('is no document of a relay');
  await expect(read(200, 'x'.repeat(20_000))).rejects.toThrow('more than 16384 bytes');
  await expect(read(200, JSON.stringify({ ...document, relay: 'b.example' }))).rejects.toThrow('The relay a.example is not trusted');
});
