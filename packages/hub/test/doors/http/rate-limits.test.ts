// How much one may ask. Windows are six seconds of real time, so nothing here counts on when one ends: a flood far over
// the limit is sent, and most of it must be refused.

import { onBothEngines, startTestHub, type TestHub } from '@parley/testkit';
import { WebSocket } from 'ws';
import { afterEach, expect, test } from 'vitest';
import { raw, type RawAnswer } from '../../kit/bystander.ts';

const flood = <A>(count: number, ask: (i: number) => Promise<A>): Promise<A[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
const refused = (answers: { status: number }[]): number => answers.filter(({ status }) => status === 429).length;

onBothEngines('limits', (engine) => {
  let kit: TestHub;
  afterEach(() => kit.stop());

  const session = (headers: Record<string, string>): Promise<RawAnswer> =>
    raw(kit.url, { path: '/api/v1/session', headers: { host: new URL(kit.url).host, ...headers } });

  test('[SYS-11] a member who floods is told when to come back; others, and what they read, are not touched', async () => {
    kit = await startTestHub(engine, {}, { PARLEY_WRITES_PER_MINUTE: '100' });
    const [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
    const general = await kit.general();
    const post = (person: typeof ann) => person.ask('postMessage', { params: { conversationId: general }, body: { body: 'hi' } });
    const answers = await flood(60, () => post(ann));
    expect(refused(answers)).toBeGreaterThanOrEqual(30);
    const told = answers.find(({ status }) => status === 429);
    expect(told!.body.error?.code).toBe('rate_limited');
    expect(Number(told!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(bob)).status).toBe(200);
    expect((await session({ authorization: `Bearer ${ann.token}` })).status).toBe(200);
    const { messages } = await bob.call('listMessages', { params: { conversationId: general }, query: { limit: 200 } });
    expect(messages.filter(({ authorId }) => authorId === ann.id)).toHaveLength(60 - refused(answers));
    // All tokens of a member are one member.
    const { secret } = await kit.operator.call('createToken', { body: { kind: 'person', memberId: ann.id, label: 'second' } });
    const again = await flood(60, () =>
      raw(kit.url, {
        method: 'DELETE',
        path: '/api/v1/tokens/tok_00000000000000000000000000',
        headers: { host: new URL(kit.url).host, authorization: `Bearer ${secret}` },
      }),
    );
    expect(refused(again)).toBeGreaterThanOrEqual(30);
  });

  test('[SYS-11] strangers are counted by address: a guessed token costs as much as none, and members from there still come in', async () => {
    kit = await startTestHub(engine, {}, { PARLEY_STRANGERS_PER_MINUTE: '100' });
    const answers = await flood(60, (i) => session(i % 2 ? { authorization: `Bearer pp_${i}` } : {}));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(refused(answers)).toBeGreaterThanOrEqual(30);
    const links = await flood(20, (i) =>
      raw(kit.url, {
        method: 'POST',
        path: '/api/v1/links/inspect',
        headers: { host: new URL(kit.url).host, 'content-type': 'application/json' },
        body: JSON.stringify({ secret: `pl_${i}` }),
      }),
    );
    expect(refused(links)).toBeGreaterThanOrEqual(10);
    expect((await session({ authorization: `Bearer ${kit.owner.token}` })).status).toBe(200);
    // And the door of the sockets counts along.
    const statuses = await flood(
      20,
      () =>
        new Promise<{ status: number }>((resolve) => {
          const socket = new WebSocket(new URL('/api/v1/socket', kit.url.replace('http', 'ws')));
          socket.on('unexpected-response', (_request, response) => resolve({ status: response.statusCode! }));
          socket.on('error', () => {});
        }),
    );
    expect(refused(statuses)).toBeGreaterThanOrEqual(10);
  });

  test('[SYS-11] one machine is one stranger, as IPv4, as IPv4 in IPv6, and from anywhere in its /64', async () => {
    kit = await startTestHub(engine, {}, { PARLEY_STRANGERS_PER_MINUTE: '100', PARLEY_TRUST_PROXY: '1' });
    const from = (address: string) => session({ 'x-forwarded-for': address });
    const mapped = await flood(60, (i) => from(i % 2 ? '203.0.113.7' : '::ffff:203.0.113.7'));
    expect(refused(mapped)).toBeGreaterThanOrEqual(30);
    expect((await from('203.0.113.8')).status).toBe(401);
    const network = await flood(60, (i) => from(`2001:db8:1:2::${(i + 1).toString(16)}`));
    expect(refused(network)).toBeGreaterThanOrEqual(30);
    expect((await from('2001:db8:1:3::1')).status).toBe(401);
  });

  test('[SYS-11] without a proxy to trust, an address that is only claimed counts for nothing', async () => {
    kit = await startTestHub(engine, {}, { PARLEY_STRANGERS_PER_MINUTE: '100' });
    const answers = await flood(60, (i) =>
      session({ 'x-forwarded-for': `203.0.113.${i}`, forwarded: `for=203.0.113.${i}`, 'x-real-ip': `203.0.113.${i}` }),
    );
    expect(refused(answers)).toBeGreaterThanOrEqual(30);
  });
});
