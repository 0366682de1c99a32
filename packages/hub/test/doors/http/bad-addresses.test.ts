// Everything about a request that is not its body: path, query, ids, cursors, keys, methods.

import { hubFor, makeOnce, onBothEngines } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { raw, whileTalking } from '../../kit/bystander.ts';

const con = 'con_00000000000000000000000000';
const msg = 'msg_00000000000000000000000000';

/** `GENERAL` and `SAID` stand for ids that exist. */
const addresses: [method: string, path: string, status: number, field?: string][] = [
  ['GET', '/nowhere', 404],
  ['GET', '/', 404],
  ['GET', '//members', 404],
  ['GET', '/members/', 400, 'memberId'],
  ['PATCH', '/conversations', 404],
  ['TRACE', '/members', 404],
  ['PROPFIND', '/members', 404],
  ['GET', '/members/not-a-uuid', 400, 'memberId'],
  ['GET', '/members/018f0000-0000-7000-8000-00000000000g', 400, 'memberId'],
  ['GET', '/members/018f0000-0000-7000-8000-000000000000', 404],
  ['GET', `/conversations/${con}`, 404],
  ['GET', `/conversations/${con.toLowerCase().replace('con_0', 'con_x')}`, 400, 'conversationId'],
  ['GET', `/conversations/${msg}`, 400, 'conversationId'],
  ['GET', '/conversations/con_%00', 400, 'conversationId'],
  ['GET', '/conversations/..%2f..%2fetc%2fpasswd', 400, 'conversationId'],
  ['GET', `/conversations/%C0%AE`, 400, '(path)'],
  ['GET', `/conversations/%ED%A0%80`, 400, '(path)'],
  ['GET', '/conversations/%', 400, '(path)'],
  ['POST', `/conversations/${'a'.repeat(201)}/join`, 400, '(path)'],
  ['GET', `/messages/${msg}`, 404],
  ['DELETE', `/messages/${msg}`, 404],
  ['POST', `/messages/${msg}/thread`, 404],
  ['DELETE', '/tokens/tok_00000000000000000000000000', 404],
  ['DELETE', '/invitations/lnk_00000000000000000000000000', 404],
  ['GET', '/attachments/att_00000000000000000000000000', 404],
  ['PUT', '/messages/SAID/reactions/x', 400, 'emoji'],
  ['PUT', '/messages/SAID/reactions/%3Cb%3E', 400, 'emoji'],
  ['PUT', '/messages/SAID/reactions/thumbs', 400, 'emoji'],
  ['PUT', `/messages/SAID/reactions/${encodeURIComponent('👍👍')}`, 400, 'emoji'],
  ['PUT', `/messages/SAID/reactions/${encodeURIComponent('👍'.repeat(8))}`, 400, 'emoji'],
  ['PUT', '/messages/SAID/reactions/%E2%80%8D', 400, 'emoji'],
  ['PUT', '/messages/SAID/reactions/1', 400, 'emoji'],
  ['PUT', '/messages/SAID/reactions/%F0%9F', 400, '(path)'],
  ['GET', '/conversations/GENERAL/messages?limit=0', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=-1', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=201', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=1.5', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=NaN', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=Infinity', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=1e999', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?limit=5&limit=6', 400, 'limit'],
  ['GET', '/conversations/GENERAL/messages?before=9007199254740993', 400, 'before'],
  ['GET', '/conversations/GENERAL/messages?before=1&after=1', 400, 'before'],
  ['GET', '/conversations/GENERAL/messages?around=x', 400, 'around'],
  ['GET', `/conversations/GENERAL/messages?around=${msg}`, 404],
  ['GET', '/conversations/GENERAL/messages?colour=red', 400, 'colour'],
  ['GET', '/conversations/GENERAL/messages?__proto__=1', 400, '__proto__'],
  ['GET', '/conversations/GENERAL/messages?%00=1', 400, '\u0000'],
  ['GET', '/search', 400, 'q'],
  ['GET', '/search?q=', 400, 'q'],
  ['GET', `/search?q=${'x'.repeat(201)}`, 400, 'q'],
  ['GET', '/search?q=a&q=b', 400, 'q'],
  ['GET', '/search?q=a&authorId=x', 400, 'authorId'],
  ['POST', '/attachments', 400, 'name'],
  ['POST', '/attachments?name=', 400, 'name'],
  ['POST', '/attachments?name=a%2Fb', 400, 'name'],
  ['POST', '/attachments?name=..', 400, 'name'],
  ['POST', '/attachments?name=a%00b', 400, 'name'],
  ['POST', `/attachments?name=${'x'.repeat(201)}`, 400, 'name'],
  ['GET', '/stream?cursor=x', 400, 'cursor'],
  ['GET', '/stream?cursor=abc:-1', 400, 'cursor'],
  ['GET', '/stream?cursor=abc:1&cursor=abc:2', 400, 'cursor'],
  ['GET', '/stream?cursor=%00:1', 400, 'cursor'],
];

onBothEngines('addresses that lead nowhere', (engine) => {
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob', 'owner'));
  let general: string;
  let said: string;
  beforeAll(async () => {
    general = await kit.general();
    said = (await ann.post(general, 'something to react to')).id;
  });

  const ask = (method: string, path: string, more: Record<string, string> = {}, body?: string) =>
    raw(kit.url, {
      method,
      path: `/api/v1${path.replace('GENERAL', general).replace('SAID', said)}`,
      headers: { authorization: `Bearer ${bob.token}`, host: new URL(kit.url).host, ...more },
      ...(body === undefined ? {} : { body }),
    });

  test('[SYS-4] each is refused, naming what is wrong with it; nothing is stored and nobody else notices', async () => {
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const [method, path, status, field] of addresses) {
        const upload = path.startsWith('/attachments?') ? 'content' : undefined;
        const answer = await ask(method, path, {}, upload);
        const name = `${method} ${path.slice(0, 80)}`;
        expect([answer.status, answer.body.error?.message], name).toEqual([status, expect.stringMatching(/\S/)]);
        expect(
          answer.body.error!.problems?.map((problem) => problem.field),
          name,
        ).toEqual(field === undefined ? undefined : [field]);
      }
    });
  });

  test('[SYS-4] what may be asked may be asked oddly: searches for quotes, operators and wildcards find nothing and break nothing', async () => {
    for (const q of [
      '"',
      "'",
      '* OR 1',
      'NEAR(a b)',
      'a:*',
      '\\',
      '%',
      '_',
      '(',
      '-',
      'a & | !',
      "a'b",
      '<->',
      '\u0000x',
      '😀',
      '‮',
      'x'.repeat(200),
      'NULL',
      '{"a":1}',
    ]) {
      const answer = await ask('GET', `/search?q=${encodeURIComponent(q)}`);
      expect([200, 400], q).toContain(answer.status);
    }
  });

  test('[C2A-30] a key that is none is refused by name; one used for something else is a conflict', async () => {
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const key of ['', 'a b', 'x'.repeat(129), 'ü', 'a\tb']) {
        const answer = await ask(
          'POST',
          '/conversations/GENERAL/messages',
          { 'idempotency-key': key, 'content-type': 'application/json' },
          '{"body":"hi"}',
        );
        expect(answer, JSON.stringify(key)).toMatchObject({ status: 400, body: { error: { problems: [{ field: 'Idempotency-Key' }] } } });
      }
    });
    await bob.post(general, 'first', { 'idempotency-key': 'same' });
    const other = await bob.ask(
      'postMessage',
      { params: { conversationId: general }, body: { body: 'second' } },
      { 'idempotency-key': 'same' },
    );
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'key_reused' } } });
  });

  test('[SYS-4] a request that is no HTTP, or has too much of it, is refused and the next one is not', async () => {
    const big = await raw(kit.url, {
      path: '/api/v1/health',
      headers: { host: new URL(kit.url).host, 'x-big': 'x'.repeat(100_000) },
    }).catch((error: Error) => error);
    expect(big instanceof Error || big.status === 431).toBe(true);
    expect((await ask('GET', '/session')).status).toBe(200);
  });
});
