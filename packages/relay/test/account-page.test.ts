import { frameFrom, newIdentity, statementOf } from '@parley/testkit/relay';
import { describe, expect, test } from 'vitest';
import { Visitor } from './kit/account-page.ts';
import { startRelay, type TestRelay } from './kit/relay.ts';

const hour = 3_600_000;

async function registers(relay: TestRelay, name: string, code: string) {
  const who = newIdentity(name);
  const client = await relay.connect();
  return { who, client, answer: await client.register(who, code) };
}

describe('an account with a passkey', () => {
  test('[A2C-1] holds a name, and its ticket registers a key that was made elsewhere, once', async () => {
    const relay = await startRelay();
    const ann = new Visitor(relay);
    expect(await ann.state()).toMatchObject({ relay: 'localhost', page: `${ann.origin}/account`, account: null });
    const ticket = await ann.joined('ann');
    expect((await ann.state()).account).toMatchObject({ address: 'agent:ann@localhost', key: null, isOnline: false, connectedAt: null });
    expect((await registers(relay, 'ann', await relay.invite())).answer).toMatchObject({ code: 'name_taken' });
    expect((await registers(relay, 'bob', ticket)).answer).toMatchObject({ code: 'invalid_code' });
    const { who, answer } = await registers(relay, 'ann', ticket);
    expect(answer).toMatchObject({ type: 'ready', address: 'agent:ann@localhost' });
    expect((await registers(relay, 'ann', ticket)).answer).toMatchObject({ code: 'invalid_code' });
    const { account } = await ann.state();
    expect(account).toMatchObject({ key: { device: 1, fingerprint: expect.stringMatching(/^(\d{5} ){5}\d{5}$/) }, isOnline: true });
    expect(account!.connectedAt).not.toBeNull();
    expect((await relay.served.relay.store.account(who.address))?.email).toBe('ann@example.org');
    expect(await (await relay.connect()).login(who)).toMatchObject({ type: 'ready' });
  });

  test('[A2C-1] keeps its passkey over a restart, and signs in with it', async () => {
    const relay = await startRelay();
    const ann = new Visitor(relay);
    await ann.joined('ann');
    await relay.restart();
    expect((await ann.state()).account).toBeNull();
    expect(await ann.post('/ticket', {})).toMatchObject({ status: 401 });
    expect(await ann.signIn()).toMatchObject({ status: 200 });
    expect((await ann.state()).account).toMatchObject({ address: 'agent:ann@localhost' });
    await ann.post('/sign-out', {});
    expect((await ann.state()).account).toBeNull();
  });

  test('[A2C-1] a ticket expires after an hour, and a new one replaces it', async () => {
    const relay = await startRelay();
    const ann = new Visitor(relay);
    const first = await ann.joined('ann');
    relay.ahead = hour + 1;
    expect((await registers(relay, 'ann', first)).answer).toMatchObject({ code: 'invalid_code' });
    expect((await ann.state()).account, 'the session has ended too').toBeNull();
    await ann.signIn();
    const { body: second } = await ann.post<{ ticket: { code: string } }>('/ticket', {});
    const { body: third } = await ann.post<{ ticket: { code: string } }>('/ticket', {});
    expect((await registers(relay, 'ann', second.ticket.code)).answer).toMatchObject({ code: 'invalid_code' });
    expect((await registers(relay, 'ann', third.ticket.code)).answer).toMatchObject({ type: 'ready' });
  });

  test('[A2C-1] [A2C-4] a ticket replaces a lost key: the old one logs in no more, and senders get key_changed', async () => {
    const relay = await startRelay();
    const page = new Visitor(relay);
    const { who: lost, client: old } = await registers(relay, 'ann', await page.joined('ann'));
    await old.request({ type: 'publish', ref: 'a', ...statementOf(lost, 7), packages: ['AAAA'] });
    const bob = await relay.registered('bob');
    await old.request({ type: 'block', ref: 'block', address: bob.address, blocked: true });
    const { body } = await page.post<{ ticket: { code: string } }>('/ticket', {});
    const { who: found, client, answer } = await registers(relay, 'ann', body.ticket.code);
    expect(answer).toMatchObject({ type: 'ready', packages: 0 });
    expect(await old.untilClosed()).toMatchObject({ code: 4401, reason: 'The key was replaced' });
    expect(await (await relay.connect()).login(lost)).toMatchObject({ code: 'key_changed' });
    const sender = await relay.loggedIn(bob);
    expect(await sender.sendFrame(frameFrom(bob, lost, 'x'))).toMatchObject({ code: 'key_changed' });
    expect(await sender.sendFrame(frameFrom(bob, found, 'x'))).toMatchObject({ type: 'stored' });
    await client.received(1);
    const lookup = { type: 'lookup' as const, ref: 'b', address: found.address, package: true };
    expect(await sender.request(lookup)).toMatchObject({ code: 'not_published' });
    expect(await client.request({ type: 'publish', ref: 'c', ...statementOf(found, 1), packages: [] })).toMatchObject({ type: 'done' });
  });

  test('[A2C-1] its removal frees the name, ends the line, and deletes what waits', async () => {
    const relay = await startRelay();
    const page = new Visitor(relay);
    const { who: ann, client } = await registers(relay, 'ann', await page.joined('ann'));
    await client.leave();
    const bob = await relay.registered('bob');
    const sender = await relay.loggedIn(bob);
    await sender.sendFrame(frameFrom(bob, ann, 'waits'));
    const line = await relay.loggedIn(ann);
    expect(await page.post('/remove', { name: 'bob' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', problems: [{ field: 'name', message: 'must be ann' }] } },
    });
    expect(await page.post('/remove', { name: 'ann' })).toMatchObject({ status: 200 });
    expect(await line.untilClosed()).toMatchObject({ code: 4401 });
    expect(relay.served.relay.waitingFrames).toBe(0);
    expect(await sender.sendFrame(frameFrom(bob, ann, 'late'))).toMatchObject({ code: 'unknown_address' });
    expect((await page.state()).account).toBeNull();
    expect(await page.signIn()).toMatchObject({ status: 401 });
    expect(await (await relay.connect()).login(ann)).toMatchObject({ code: 'unknown_address' });
    expect(await new Visitor(relay).joined('ann')).toMatch(/^\w{24}$/);
  });

  test('[A2C-1] a relay keeps the name under which people hold accounts', async () => {
    const relay = await startRelay({ PARLEY_RELAY_NAME: 'localhost' });
    await new Visitor(relay).joined('ann');
    relay.env['PARLEY_RELAY_NAME'] = 'second.example';
    await expect(relay.restart()).rejects.toThrow('people registered here under localhost');
    delete relay.env['PARLEY_RELAY_NAME'];
    await relay.start();
  });
});

describe('the page', () => {
  test('[A2C-1] comes from the relay alone: no inline script, no other host, no frame around it', async () => {
    const visitor = new Visitor(await startRelay());
    for (const path of ['', '/page.css', '/page.js', '/webauthn.js']) {
      const response = await visitor.fetch(path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/);
      const text = await response.text();
      if (path !== '/webauthn.js') expect(text).not.toMatch(/<script>|<style|\sstyle=|\son[a-z]+="|https?:\/\//);
    }
    expect((await visitor.fetch('/../relay.key')).status).toBe(404);
  });

  test('[A2C-1] a session is a strict cookie; with https it is bound to the host', async () => {
    const relay = await startRelay({ PARLEY_RELAY_URL: 'https://accounts.example' });
    const ann = new Visitor(relay);
    Object.defineProperty(ann, 'origin', { value: 'https://accounts.example' });
    const { headers, status } = await ann.signUp('ann');
    expect(status).toBe(200);
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-parley_relay_443=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(ann.passkey.rpId).toBe('accounts.example');
    expect(await ann.state()).toMatchObject({
      page: 'https://accounts.example/account',
      url: 'wss://accounts.example',
      relay: 'localhost',
    });
    const local = await new Visitor(await startRelay()).signUp('ann');
    expect(local.headers.get('set-cookie')).toMatch(/^parley_relay_\d+=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict$/);
  });

  test.for([
    { name: '', code: 'x', email: 'a@example.org', field: 'name', message: /must be 1 to 32/ },
    { name: 'Ann', code: 'x', email: 'a@example.org', field: 'name', message: /must be 1 to 32/ },
    { name: 'ann', code: '', email: 'a@example.org', field: 'code', message: /must be your invitation code/ },
    { name: 'ann', code: 'x', email: 'nobody', field: 'email', message: /must be an email address/ },
    { name: 'ann', code: 'unknown', email: 'a@example.org', field: 'code', message: /unknown, used or expired/ },
  ])('[A2C-1] names the field that is wrong: $field ($name, $code, $email)', async ({ field, message, ...input }) => {
    const visitor = new Visitor(await startRelay());
    expect(await visitor.post('/sign-up/options', input)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', problems: [{ field, message: expect.stringMatching(message) as string }] } },
    });
  });

  test('[A2C-1] other sites in the same browser do not use up its requests', async () => {
    const visitor = new Visitor(await startRelay({ PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '5' }));
    for (let n = 0; n < 5; n += 1) {
      expect(await visitor.post('/sign-out', {}, 'https://evil.example')).toMatchObject({ status: 403 });
      for (const site of ['cross-site', 'same-site'])
        expect((await visitor.fetch('/state', { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    }
    for (const site of ['same-origin', 'none'])
      expect((await visitor.fetch('/state', { headers: { 'sec-fetch-site': site } })).status).toBe(200);
  });

  test('[A2C-1] is below the path of its address', async () => {
    const visitor = new Visitor(await startRelay({ PARLEY_RELAY_URL: 'https://example.com/relay/' }));
    expect(await visitor.state()).toMatchObject({ page: 'https://example.com/relay/account', url: 'wss://example.com/relay' });
  });

  test('[A2C-1] refuses what is too large, no JSON or too frequent', async () => {
    const relay = await startRelay({ PARLEY_RELAY_CONNECTIONS_PER_MINUTE: '5' });
    const visitor = new Visitor(relay);
    expect(await visitor.post('/sign-up', { passkey: 'x'.repeat(20_000) })).toMatchObject({ status: 413 });
    const send = (headers: Record<string, string>, body: string) =>
      visitor.fetch('/sign-in', { method: 'POST', headers: { origin: visitor.origin, ...headers }, body });
    expect((await send({ 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    expect((await send({ 'content-type': 'application/json' }, '{')).status).toBe(400);
    expect(await visitor.post('/sign-in', { passkey: { id: 7 } })).toMatchObject({ status: 400 });
    expect(await visitor.post('/nowhere', {})).toMatchObject({ status: 404 });
    await visitor.state();
    const late = await visitor.post('/sign-in/options', {});
    expect(late).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
