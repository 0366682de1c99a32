// Whatever the hub writes to its log, at the most talkative level, from sign-in to failure: no secret is in it.

import { ChildHub, Ear, freshGround, onBothEngines, Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { tamper } from '../kit/backup.ts';
import { raw } from '../kit/bystander.ts';

onBothEngines('the log', (engine) => {
  test('[SYS-11] holds no secret, however much it holds', async () => {
    const ground = await freshGround(engine);
    const hub = new ChildHub({ ground, env: { PARLEY_LOG: 'debug' } });
    try {
      const { url, operatorKey } = await hub.start();
      const secrets = [operatorKey, operatorKey.replace('op_', '')];
      const { host } = new URL(url);
      const ann = await hub.person('ann', 'owner');
      const json = { host, 'content-type': 'application/json' };
      const operator = await hub.operator();
      const { conversations } = await ann.call('listConversations', { query: {} });
      const conversationId = conversations[0]!.id;

      const link = await operator.call('createSignInLink', { body: { memberId: ann.id } });
      const invitation = await ann.call('createInvitation', { body: {} });
      const { secret: api } = await ann.call('createToken', { body: { kind: 'person', label: 'api' } });
      secrets.push(ann.token, link.secret, invitation.secret, api);
      await raw(url, { method: 'POST', path: '/api/v1/links/inspect', headers: json, body: JSON.stringify({ secret: link.secret }) });
      const signedIn = await raw(url, {
        method: 'POST',
        path: '/api/v1/session',
        headers: json,
        body: JSON.stringify({ secret: link.secret }),
      });
      const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
      secrets.push(cookie.split('=')[1]!);
      await raw(url, { path: '/api/v1/session', headers: { host, cookie } });
      await raw(url, { method: 'POST', path: '/api/v1/session', headers: json, body: JSON.stringify({ secret: link.secret }) });

      // Refused, malformed, from elsewhere, and with a secret where none belongs.
      const guessed = 'pp_guessed-but-perhaps-right';
      const said = 'what-was-said-in-confidence';
      secrets.push(guessed, said);
      await raw(url, { path: '/api/v1/session', headers: { host, authorization: `Bearer ${guessed}` } });
      await raw(url, { path: '/api/v1/session', headers: { host: 'evil.example', authorization: `Bearer ${api}`, cookie } });
      await raw(url, { method: 'POST', path: '/api/v1/session', headers: json, body: `{"secret":"${invitation.secret}` });
      await raw(url, {
        method: 'POST',
        path: '/api/v1/tokens',
        headers: { ...json, authorization: `Bearer ${api}` },
        body: JSON.stringify({ kind: 'person', label: 'x', hash: api }),
      });
      await ann.post(conversationId, said);
      const key = 'sk-a-provider-gave-us-this';
      secrets.push(key);
      await ann.call('setSecret', { params: { name: 'anthropic' }, body: { value: key } });
      await ann.ask('setSecret', { params: { name: 'anthropic' }, body: { value: `${key}\n` } });
      const ear = new Ear(new Person(url, api, ann.id, 'ann'));
      await ear.ready();
      ear.socket.send(JSON.stringify({ type: api }));
      await ear.closed();

      // And failures, which are the ones that are logged with all they have.
      const { id: damaged } = await ann.post(conversationId, 'genuine');
      await tamper(ground, `update messages set body = 'forged' where id = '${damaged}'`);
      await tamper(ground, 'update memberships set joined_seq = joined_seq + 1');
      const failed = await raw(url, { path: `/api/v1/messages/${damaged}`, headers: { host, authorization: `Bearer ${api}`, cookie } });
      expect(failed.status).toBe(500);
      await raw(url, { path: `/api/v1/search?q=${said}`, headers: { host, authorization: `Bearer ${api}` } });
      const broken = new Ear(new Person(url, api, ann.id, 'ann'));
      await broken.closed();

      expect(hub.log).toContain('does not match its checksum');
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(10);
        expect(hub.log).not.toContain(secret);
      }
    } finally {
      await hub.end();
      await ground.clear();
    }
  });
});
