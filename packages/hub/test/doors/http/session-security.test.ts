import { connect } from 'node:net';
import { closeCodes } from '@parley/protocol';
import { Ear, onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { raw } from '../../kit/bystander.ts';

onBothEngines('ways in', (engine) => {
  let clock: SimClock;
  let kit: TestHub;
  let ann: Person;
  beforeEach(async () => {
    clock = new SimClock();
    kit = await startTestHub(engine, { clock });
    ann = await kit.person('ann', 'admin');
  });
  afterEach(() => kit.stop());

  const signIn = async (): Promise<{ cookie: string; flags: string[] }> => {
    const { secret } = await kit.operator.call('createSignInLink', { body: { memberId: ann.id } });
    const answer = await fetch(new URL('/api/v1/session', kit.url), {
      method: 'POST',
      body: JSON.stringify({ secret }),
      headers: { 'content-type': 'application/json' },
    });
    const [cookie, ...flags] = answer.headers.getSetCookie()[0]!.split('; ');
    return { cookie: cookie!, flags: flags.map((flag) => flag.toLowerCase()) };
  };
  const whoAmI = async (headers: Record<string, string>) =>
    (await raw(kit.url, { path: '/api/v1/session', headers: { host: new URL(kit.url).host, ...headers } })).status;

  test('[SYS-11] a session cookie is for this hub alone: no script reads it, no other site sends it', async () => {
    const { cookie, flags } = await signIn();
    expect(flags).toEqual(expect.arrayContaining(['httponly', 'samesite=strict', 'path=/', expect.stringMatching(/^max-age=\d+$/)]));
    expect(flags.some((flag) => flag.startsWith('domain'))).toBe(false);
    expect(await whoAmI({ cookie })).toBe(200);
    // A header that says who, even wrongly, is what counts.
    expect(await whoAmI({ cookie, authorization: 'Bearer nonsense' })).toBe(401);
    const out = await raw(kit.url, { method: 'DELETE', path: '/api/v1/session', headers: { host: new URL(kit.url).host, cookie } });
    expect(String(out.headers['set-cookie'])).toMatch(/Max-Age=0/i);
    expect(await whoAmI({ cookie })).toBe(401);
  });

  test('[SYS-11] a cookie holds a session, and the token of no agent or program', async () => {
    const agent = await kit.agent('COOKIE', ann);
    const { cookie } = await signIn();
    const name = cookie.split('=')[0]!;
    for (const token of [agent.token, ann.token]) {
      expect(await whoAmI({ cookie: `${name}=${token}` })).toBe(401);
      expect(await whoAmI({ authorization: `Bearer ${token}` })).toBe(200);
      expect(await whoAmI({ cookie: `${name}=${token}` })).toBe(401);
    }
  });

  test('[SYS-11] a request with two Host headers is refused, over a socket as well', async () => {
    const { host } = new URL(kit.url);
    const ask = (path: string, upgrade: string[] = []) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(kit.url).port), '127.0.0.1', () => {
          const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Host: evil.example', `Authorization: Bearer ${ann.token}`, ...upgrade];
          socket.write(`${lines.join('\r\n')}\r\n\r\n`);
        });
        socket.once('data', (data) => {
          resolve(data.toString().split('\r\n', 1)[0]!);
          socket.destroy();
        });
      });
    expect(await ask('/api/v1/session')).toContain('403');
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    expect(await ask('/api/v1/socket', upgrade)).toContain('403');
  });

  test('[SYS-11] a link that has expired stays so when the clock goes back', async () => {
    const { secret } = await kit.operator.call('createSignInLink', { body: { memberId: ann.id } });
    clock.advance(16 * 60_000);
    await kit.hub.kernel.timers.tick();
    clock.advance(-10 * 60_000);
    expect((await ann.ask('openSession', { body: { secret } })).body.error?.code).toBe('link_spent');
  });

  test('[C2A-29] the name of an upload holds nothing invisible', async () => {
    const upload = (name: string) =>
      fetch(`${kit.url}/api/v1/attachments?name=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'text/plain' },
        body: 'x',
      });
    expect([(await upload('plan\u200B.txt')).status, (await upload('plan ❤️.txt')).status]).toEqual([400, 200]);
  });

  test('[SYS-11] a member has at most 50 open invitations, an admin as many as they like', async () => {
    const max = await kit.person('max');
    for (let n = 0; n < 50; n++) await max.call('createInvitation', { body: {} });
    expect((await max.ask('createInvitation', { body: {} })).body.error?.reason).toBe('member.invite:quota');
    for (let n = 0; n < 51; n++) await ann.call('createInvitation', { body: {} });
  });

  test('[SYS-11] every page and every answer comes with a policy that lets nothing foreign run or frame it', async () => {
    for (const path of [
      '/',
      '/join',
      '/docs',
      '/docs/style.css',
      '/api/v1/health',
      '/api/v1/nowhere',
      '/api/v1/session',
      '/api/v1/openapi.json',
      '/api/v1/conversations/%',
    ]) {
      const { headers } = await raw(kit.url, { path, headers: { host: new URL(kit.url).host } });
      const policy = String(headers['content-security-policy']);
      expect(policy, path).toMatch(/default-src 'self'/);
      expect(policy, path).toMatch(/frame-ancestors 'none'/);
      expect(policy, path).not.toMatch(/unsafe-(inline|eval)|\*/);
      expect(headers['x-content-type-options'], path).toBe('nosniff');
      expect(headers['referrer-policy'], path).toBe('no-referrer');
    }
  });

  test('[SYS-11] a revoked token closes its sockets with 4001 and is refused from the next request on', async () => {
    for (let round = 0; round < 10; round++) {
      const { token, secret } = await ann.call('createToken', { body: { kind: 'person', label: 'device' } });
      const device = { url: kit.url, token: secret };
      const [ear, other] = [new Ear(device), new Ear(ann)];
      await Promise.all([ear.ready(), other.ready()]);
      expect(await whoAmI({ authorization: `Bearer ${secret}` })).toBe(200);
      await ann.call('revokeToken', { params: { tokenId: token.id } });
      expect(await whoAmI({ authorization: `Bearer ${secret}` })).toBe(401);
      expect(await ear.closed()).toBe(closeCodes.unauthenticated);
      expect(other.closeCode).toBeUndefined();
      other.close();
    }
  });

  test('[SYS-11] signing out, and deactivating a member, end their streams the same way, over SSE too', async () => {
    const { cookie } = await signIn();
    const { host } = new URL(kit.url);
    const events = await fetch(new URL('/api/v1/stream', kit.url), { headers: { cookie } });
    await raw(kit.url, { method: 'DELETE', path: '/api/v1/session', headers: { host, cookie } });
    expect(await events.text()).toContain(`{"code":${closeCodes.unauthenticated}}`);
    const bob = await kit.person('bob');
    const ear = new Ear(bob);
    await ear.ready();
    await ann.call('deactivateMember', { params: { memberId: bob.id } });
    expect(await whoAmI({ authorization: `Bearer ${bob.token}` })).toBe(401);
    expect(await ear.closed()).toBe(closeCodes.unauthenticated);
  });

  test('[SYS-11] an expired token is refused at its minute and its sockets close with 4001', async () => {
    const { secret } = await ann.call('createToken', { body: { kind: 'person', label: 'brief', expiresInSeconds: 60 } });
    const ear = new Ear({ url: kit.url, token: secret });
    await ear.ready();
    clock.advance(59_000);
    expect(await whoAmI({ authorization: `Bearer ${secret}` })).toBe(200);
    clock.advance(1000);
    expect(await whoAmI({ authorization: `Bearer ${secret}` })).toBe(401);
    await kit.hub.kernel.timers.tick();
    expect(await ear.closed()).toBe(closeCodes.unauthenticated);
  });
});

test('[SYS-11] behind TLS the cookie is sent over TLS only', async () => {
  const kit = await startTestHub('sqlite', {}, { PARLEY_PUBLIC_URL: 'https://chat.example' });
  try {
    const { secret } = await kit.operator.call('createSignInLink', { body: { memberId: kit.owner.id } });
    const answer = await fetch(new URL('/api/v1/session', kit.url), {
      method: 'POST',
      body: JSON.stringify({ secret }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Secure/i);
  } finally {
    await kit.stop();
  }
});
