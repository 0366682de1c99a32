// A hostile page in the browser of someone who has a hub on their machine. It can send requests with their cookie, and it
// can point a name of its own at 127.0.0.1; it must reach nothing that changes or listens.

import { routes, type Route } from '@parley/protocol';
import { onBothEngines, type Person, startTestHub, type TestHub, testingInFull } from '@parley/testkit';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw, whileTalking } from '../../kit/bystander.ts';

const id = {
  member: '018f0000-0000-7000-8000-000000000000',
  message: 'msg_00000000000000000000000000',
  conversation: 'con_00000000000000000000000000',
  token: 'tok_00000000000000000000000000',
  link: 'lnk_00000000000000000000000000',
  attachment: 'att_00000000000000000000000000',
};
const pathOf = (route: Route): string =>
  `/api/v1${route.path.replaceAll(/:(\w+?)Id/g, (_, kind: keyof typeof id) => id[kind]).replace(':emoji', '%F0%9F%91%8D')}`;
const table = Object.entries(routes as Record<string, Route>);
const unsafe = table.filter(([, { method }]) => method !== 'GET');
/** In `npm test` every route meets a fourth of them, each route another fourth. */
const someOf = <T>(all: T[], route: number): T[] => (testingInFull ? all : all.filter((_, at) => (at + route) % 4 === 0));

onBothEngines('a hostile page', (engine) => {
  let kit: TestHub;
  let ann: Person;
  let host: string;
  let cookie: string;
  beforeAll(async () => {
    kit = await startTestHub(engine);
    ann = await kit.person('ann');
    ({ host } = new URL(kit.url));
    const { secret } = await kit.operator.call('createSignInLink', { body: { memberId: ann.id } });
    const session = await fetch(new URL('/api/v1/session', kit.url), {
      method: 'POST',
      body: JSON.stringify({ secret }),
      headers: { 'content-type': 'application/json' },
    });
    cookie = session.headers.getSetCookie()[0]!.split(';')[0]!;
  });
  afterAll(() => kit.stop());

  const origins = (): Record<string, string>[] => [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost' },
    { origin: 'http://localhost:1' },
    { origin: `http://localhost.evil.example:${new URL(kit.url).port}` },
    { origin: `http://${host}.evil.example` },
    { origin: `http://evil.example/${host}` },
    { origin: `file://${host}` },
    { origin: `chrome-extension://${host}` },
    { origin: 'not an origin' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  const names = (): string[] => [
    'evil.example',
    `evil.example:${new URL(kit.url).port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.2',
    '0.0.0.0',
    '2130706433',
    'localhost@evil.example',
    'localhost evil.example',
  ];
  const refused = { status: 403, body: { error: { code: 'origin_refused' } } };

  test('[SYS-11] reaches no route that changes anything, though it sends the cookie', async () => {
    expect((await raw(kit.url, { path: '/api/v1/session', headers: { host, cookie } })).status).toBe(200);
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const [at, [name, route]] of unsafe.entries()) {
        const body = route.body ? { body: '{}' } : {};
        for (const from of someOf(origins(), at)) {
          const headers = { host, cookie, ...from, ...(route.body ? { 'content-type': 'application/json' } : {}) };
          const answer = await raw(kit.url, { method: route.method, path: pathOf(route), headers, ...body });
          expect(answer, `${name} ${JSON.stringify(from)}`).toMatchObject(refused);
        }
      }
    });
  });

  test('[SYS-11] reaches nothing at all under a name that is not the hub’s', async () => {
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const [at, [name, route]] of table.entries()) {
        for (const other of someOf(names(), at)) {
          const answer = await raw(kit.url, { method: route.method, path: pathOf(route), headers: { host: other, cookie } });
          // A host that is no host at all is refused by the parser.
          expect([400, 403], `${name} ${other}`).toContain(answer.status);
        }
      }
      for (const path of ['/', '/docs', '/api/v1/openapi.json', '/api/v1/stream', '/assets/x.js']) {
        expect(await raw(kit.url, { path, headers: { host: 'evil.example', cookie } }), path).toMatchObject({ status: 403 });
      }
    });
  });

  test('[SYS-11] opens no socket', async () => {
    const attempt = (headers: Record<string, string>): Promise<number> => {
      const socket = new WebSocket(new URL('/api/v1/socket', kit.url.replace('http', 'ws')), { headers: { cookie, ...headers } });
      return new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
        socket.on('open', () => resolve(101));
        socket.on('error', () => {});
      });
    };
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const from of origins()) expect(await attempt(from), JSON.stringify(from)).toBe(403);
      for (const other of names()) expect([400, 403], other).toContain(await attempt({ host: other }));
      expect(await attempt({ origin: `http://${host}` })).toBe(101);
    });
  });

  test('[SYS-11] may not be told that it could: no answer allows another origin', async () => {
    const answer = await raw(kit.url, {
      method: 'OPTIONS',
      path: '/api/v1/session',
      headers: { host, origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
    });
    const read = await raw(kit.url, { path: '/api/v1/session', headers: { host, cookie, origin: 'https://evil.example' } });
    for (const { headers } of [answer, read]) expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test('[SYS-11] behind a name of its own the hub takes that name, and still no other', async () => {
  const kit = await startTestHub('sqlite', {}, { PARLEY_PUBLIC_URL: 'https://chat.example' });
  try {
    const post = (host: string, origin: string) => raw(kit.url, { method: 'DELETE', path: '/api/v1/session', headers: { host, origin } });
    expect((await post('chat.example', 'https://chat.example')).status).toBe(401);
    expect((await post('chat.example', 'https://evil.example')).status).toBe(403);
    expect((await post('evil.example', 'https://evil.example')).status).toBe(403);
    // nginx names the hub as itself unless it is told otherwise.
    const { host } = new URL(kit.url);
    expect((await post(host, 'https://chat.example')).status).toBe(401);
    const refusal = await post(host, 'https://evil.example');
    expect(refusal).toMatchObject({
      status: 403,
      body: { error: { code: 'origin_refused', message: expect.stringMatching(/evil\.example.*PARLEY_PUBLIC_URL/) } },
    });
  } finally {
    await kit.stop();
  }
});

test('[SYS-11] hubs behind one address share a session, and the cookie of before, named after the port, still counts', async () => {
  const kit = await startTestHub('sqlite', {}, { PARLEY_PUBLIC_URL: 'https://chat.example', PARLEY_PORT: '0' });
  try {
    const { secret } = await kit.operator.call('createSignInLink', { body: { memberId: kit.owner.id } });
    const headers = { host: 'chat.example', origin: 'https://chat.example', 'content-type': 'application/json' };
    const opened = await raw(kit.url, { method: 'POST', path: '/api/v1/session', headers, body: JSON.stringify({ secret }) });
    const [name, value] = String(opened.headers['set-cookie']).split(';')[0]!.split('=');
    expect(name).toBe('__Host-parley_chat.example');
    const status = async (cookie: string): Promise<number> =>
      (await raw(kit.url, { path: '/api/v1/session', headers: { host: 'chat.example', cookie } })).status;
    expect(await status(`${name}=${value}`)).toBe(200);
    expect(await status(`__Host-parley_0=${value}`)).toBe(200);
    expect(await status(`__Host-parley_1=${value}`)).toBe(401);
  } finally {
    await kit.stop();
  }
});
