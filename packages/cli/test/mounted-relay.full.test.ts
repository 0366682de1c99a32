import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHubInfo } from '@parley/hub/data-dir';
import { frameFrom, type RelayIdentity, newIdentity, RelayClient } from '@parley/testkit/relay';
import { ask, parley, type Running, running, type RunOptions, up } from './kit.ts';

let here: RunOptions;
beforeAll(async () => {
  here = { cwd: await mkdtemp(join(tmpdir(), 'parley-cli-mounted-')) };
});
afterAll(() => rm(here.cwd, { recursive: true }));

const socketOf = ({ url }: Running, path = '/relay'): string => `${url.replace('http', 'ws')}${path}`;

async function registered(hub: Running, name: string): Promise<RelayIdentity> {
  const { code } = await ask<{ code: string }>(['relay', 'invite'], here);
  const who = newIdentity(name);
  const client = await RelayClient.connect(socketOf(hub));
  expect(await client.register(who, code)).toMatchObject({ type: 'ready' });
  await client.leave();
  return who;
}

async function loggedIn(hub: Running, who: RelayIdentity): Promise<RelayClient> {
  const client = await RelayClient.connect(socketOf(hub));
  expect(await client.login(who)).toMatchObject({ type: 'ready' });
  return client;
}

it('[A2C-6] a hub carries a relay on its own port, drains it when it stops, and delivers after the restart', async () => {
  const hub = await up([], here);
  const [ann, bob] = [await registered(hub, 'ann'), await registered(hub, 'bob')];
  const writer = await loggedIn(hub, ann);
  expect(await writer.sendFrame(frameFrom(ann, bob, 'over the restart'))).toMatchObject({ type: 'stored' });
  expect(await (await fetch(`${hub.url}/relay/health`)).json()).toMatchObject({ status: 'ok', relay: 'localhost', connections: 1 });
  expect((await fetch(`${hub.url}/relay/metrics`)).status).toBe(404);
  await expect(RelayClient.connect(socketOf(hub, '/relay/no'))).rejects.toThrow('404');
  await expect(RelayClient.connect(socketOf(hub), { origin: 'https://evil.example' })).rejects.toThrow('403');

  expect(await hub.stop()).toMatchObject({ code: 0 });
  expect(writer.messages.at(-1)).toEqual({ type: 'draining' });
  expect(await writer.untilClosed()).toMatchObject({ code: 4503 });

  // People registered under the first name, so the relay keeps it when the hub gets a domain.
  const again = await up([], { ...here, env: { PARLEY_PUBLIC_URL: 'https://hub.example' } });
  const { url } = (await readHubInfo(join(here.cwd, '.parley')))!;
  const reader = await loggedIn({ ...again, url }, bob);
  expect(await reader.received(1)).toEqual(['over the restart']);
  expect(reader.greeting).toMatchObject({ relay: 'localhost' });
  await again.stop();
});

it('[SYS-7] balancers and Prometheus ask the relay of a hub by its address, as they ask the hub', async () => {
  const token = 'a-token-for-prometheus';
  const hub = await up([], { ...here, env: { PARLEY_METRICS_TOKEN: token } });
  const headers = { host: '10.0.0.7:7440', authorization: `Bearer ${token}` };
  const status = (path: string) =>
    new Promise((resolve) => get(`${hub.url}${path}`, { headers }, (answer) => resolve(answer.resume().statusCode)));
  const paths = ['/health', '/metrics', '/relay/health', '/relay/metrics', '/relay/account'];
  expect(await Promise.all(paths.map(status))).toEqual([200, 200, 200, 200, 403]);
  await hub.stop();
});

it('[A2C-1] an invitation is for the relay that runs, not for one of its own that was tried once', async () => {
  const once = await running(['relay'], { ...here, env: { PARLEY_RELAY_PORT: '0' } });
  await once.stop();
  const hub = await up([], here);
  const { data } = await ask<{ data: string }>(['relay', 'invite'], here);
  expect(data).toContain(join('.parley', 'relay'));
  await registered(hub, 'cat');
  await hub.stop();
});

it('[A2C-1] [A2C-10] a hub carries the account page and the document of its relay at its own address', async () => {
  const hub = await up([], here);
  const origin = `http://localhost:${new URL(hub.url).port}`;
  const begin = (from: string) =>
    fetch(`${origin}/relay/account/sign-in/options`, {
      method: 'POST',
      headers: { origin: from, 'content-type': 'application/json' },
      body: '{}',
    });
  expect((await fetch(`${origin}/relay/account`)).headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await (await begin(origin)).json()).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  for (const foreign of ['https://evil.example', 'http://localhost:1']) expect((await begin(foreign)).status).toBe(403);
  expect(await (await fetch(`${origin}/.well-known/parley-relay`)).text()).not.toContain('"key"');
  await hub.stop();
  const federated = { PARLEY_RELAY_FEDERATION: 'on', PARLEY_RELAY_FEDERATION_PRIVATE: '1' };
  const open = await up([], { ...here, env: { PARLEY_PUBLIC_URL: 'https://hub.example', ...federated } });
  const { url } = (await readHubInfo(join(here.cwd, '.parley')))!;
  expect(await (await fetch(`${url}/relay/account/state`)).json()).toMatchObject({
    page: 'https://hub.example/relay/account',
    url: 'wss://hub.example/relay',
  });
  const document = (await (await fetch(`${url}/.well-known/parley-relay`)).json()) as object;
  expect(document).toMatchObject({ v: 1, url: 'wss://hub.example/relay' });
  await open.stop();
});

it('[A2C-6] a hub runs without its relay when that is switched off or cannot start', async () => {
  const off = await up([], { ...here, env: { PARLEY_RELAY: '0' } });
  await expect(RelayClient.connect(socketOf(off))).rejects.toThrow('404');
  await off.stop();
  const wrong = await parley(['up', '--port', '0'], { ...here, env: { PARLEY_RELAY: 'perhaps' } });
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('PARLEY_RELAY must be 0 or 1') });
  await writeFile(join(here.cwd, '.parley', 'relay', 'relay.db'), 'not a database');
  const damaged = await up([], here);
  expect(await (await fetch(`${damaged.url}/api/v1/health`)).json()).toMatchObject({ status: 'ok' });
  const { err } = await damaged.stop();
  expect(err).toContain('could not start');
});
