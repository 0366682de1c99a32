import { onBothEngines, Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

onBothEngines('sessions and one-time links', (engine) => {
  let kit: TestHub;
  let clock: SimClock;
  beforeAll(async () => {
    clock = new SimClock();
    kit = await startTestHub(engine, { clock });
  });
  afterAll(() => kit.stop());

  const open = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${kit.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const cookie = response.headers.get('set-cookie') ?? '';
    return {
      status: response.status,
      cookie,
      body: (await response.json()) as {
        me: { handle: string; role: string; id: string };
        error: { code: string; problems: { field: string }[] };
      },
    };
  };

  test('[SYS-14] an invitation lets one person in, once, with the role and channel it names', async () => {
    const side = await kit.owner.call('createChannel', { body: { name: 'side', visibility: 'private' } });
    const { secret, url } = await kit.owner.call('createInvitation', { body: { role: 'guest', conversationId: side.id } });
    expect(url).toMatch(/\/join#pl_[\w-]{43}$/);
    const preview = await fetch(`${kit.url}/api/v1/links/inspect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
    expect(await preview.json()).toMatchObject({ purpose: 'invite', role: 'guest', invitedBy: 'matt', channel: 'side' });
    expect((await open({ secret })).body.error.problems).toEqual([{ field: 'handle', message: 'is needed to join' }]);
    const joined = await open({ secret, handle: 'gina', displayName: 'Gina' });
    expect(joined.body.me).toMatchObject({ handle: 'gina', role: 'guest' });
    expect(joined.cookie).toMatch(/^parley_0=ps_[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await open({ secret, handle: 'gina2', displayName: 'Gina' })).body.error.code).toBe('link_spent');
    const { memberships } = await kit.owner.call('listMemberships', { params: { conversationId: side.id } });
    expect(memberships.map((m) => m.memberId)).toContain(joined.body.me.id);
  });

  test('[SYS-14] two people that open one link at the same moment: one comes in', async () => {
    const { secret } = await kit.owner.call('createInvitation', { body: {} });
    const answers = await Promise.all(['r1', 'r2', 'r3'].map((handle) => open({ secret, handle, displayName: handle })));
    expect(answers.map((a) => a.status).toSorted((a, b) => a - b)).toEqual([200, 410, 410]);
  });

  test('[SYS-14] a link ends with its time, its author and its revocation', async () => {
    const old = await kit.owner.call('createInvitation', { body: { expiresInSeconds: 60 } });
    clock.advance(61_000);
    expect((await open({ secret: old.secret, handle: 'late', displayName: 'L' })).status).toBe(410);
    const taken = await kit.owner.call('createInvitation', { body: {} });
    await kit.owner.call('revokeInvitation', { params: { linkId: taken.id } });
    expect((await open({ secret: taken.secret, handle: 'late', displayName: 'L' })).status).toBe(410);
    const pat = await kit.person('pat');
    const byPat = await pat.call('createInvitation', { body: {} });
    expect((await pat.ask('createInvitation', { body: { role: 'admin' } })).status).toBe(403);
    await kit.owner.call('deactivateMember', { params: { memberId: pat.id } });
    expect((await open({ secret: byPat.secret, handle: 'late', displayName: 'L' })).status).toBe(410);
  });

  test('[SYS-11] a cookie signs in the page; signing out ends it; another device needs its own link', async () => {
    const { secret } = await kit.owner.call('createSignInLink', { body: { memberId: kit.owner.id } });
    const { cookie } = await open({ secret });
    const session = { cookie: cookie.split(';')[0]! };
    const page = (method: string, headers: Record<string, string> = {}) =>
      fetch(`${kit.url}/api/v1/session`, { method, headers: { ...session, ...headers } });
    expect((await page('GET')).status).toBe(200);
    // The cookie alone is not enough from elsewhere.
    expect((await page('DELETE', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await page('DELETE', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await page('GET')).status).toBe(200);
    expect((await page('DELETE', { origin: kit.url })).status).toBe(200);
    expect((await page('GET')).status).toBe(401);
    const ann = await kit.person('ann2');
    expect((await ann.ask('createSignInLink', { body: { memberId: kit.owner.id } })).status).toBe(403);
  });

  test('[SYS-11] a token that ends by itself ends on time, after a restart too', async () => {
    const bea = await kit.person('bea');
    const { secret } = await bea.call('createToken', { body: { kind: 'person', label: 'short', expiresInSeconds: 3600 } });
    const short = new Person(kit.url, secret, bea.id, 'bea');
    expect((await short.ask('getSession', {})).status).toBe(200);
    clock.advance(3_599_000);
    expect((await short.ask('getSession', {})).status).toBe(200);
    await kit.restart();
    clock.advance(2_000);
    expect((await short.ask('getSession', {})).status).toBe(401);
    await kit.hub.kernel.timers.tick();
    const [row] = await kit.hub.kernel.store.rows('tokens', "where label = 'short'");
    expect(row!.revoked_at).not.toBeNull();
  });
});
