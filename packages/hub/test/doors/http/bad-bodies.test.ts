import { onBothEngines, twoPeopleOn } from '@parley/testkit';
import { expect, test } from 'vitest';
import { raw, whileTalking } from '../../kit/bystander.ts';

const json = 'application/json';
const deep = (n: number, open: string, close: string): string => open.repeat(n) + close.repeat(n);

/** What is sent as the body of a post, and how it is refused. */
const bodies: [name: string, body: string | Uint8Array, status: number, code: string, field?: string | undefined, type?: string][] = [
  ['cut short', '{"body": "hi"', 400, 'malformed_json'],
  ['not JSON', 'body=hi', 400, 'malformed_json'],
  ['two documents', '{"body":"a"}{"body":"b"}', 400, 'malformed_json'],
  ['a comment', '{"body":"a" /* b */}', 400, 'malformed_json'],
  ['a trailing comma', '{"body":"a",}', 400, 'malformed_json'],
  ['NaN', '{"body": NaN}', 400, 'malformed_json'],
  ['a byte order mark', '\uFEFF{"body":"a"}', 400, 'malformed_json'],
  ['a raw control character', '{"body":"a\u0001b"}', 400, 'malformed_json'],
  ['invalid UTF-8', Buffer.from([...Buffer.from('{"body":"'), 0xc3, 0x28, ...Buffer.from('"}')]), 400, 'malformed_json'],
  ['UTF-8 cut in the middle', Buffer.from([...Buffer.from('{"body":"'), 0xf0, 0x9f, 0x91]), 400, 'malformed_json'],
  ['UTF-8 for a surrogate', Buffer.from([...Buffer.from('{"body":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]), 400, 'malformed_json'],
  ['UTF-16', Buffer.from('{"body":"a"}', 'utf16le'), 400, 'malformed_json'],
  ['arrays 100,000 deep', deep(100_000, '[', ']'), 400, 'malformed_json'],
  ['objects 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, 'malformed_json'],
  ['arrays 100,000 deep, never closed', '['.repeat(100_000), 400, 'malformed_json'],
  ['arrays 65 deep in a field', `{"body":${deep(65, '[', ']')}}`, 400, 'malformed_json'],
  ['arrays 60 deep in a field', `{"body":${deep(60, '[', ']')}}`, 400, 'invalid_request', 'body'],
  ['10 MB', JSON.stringify({ body: 'x'.repeat(10_000_000) }), 413, 'too_large'],
  ['a body of 100,001 characters', JSON.stringify({ body: 'x'.repeat(100_001) }), 400, 'invalid_request', 'body'],
  ['nothing', '', 400, 'invalid_request', '(body)'],
  ['null', 'null', 400, 'invalid_request', '(body)'],
  ['a string', '"hi"', 400, 'invalid_request', '(body)'],
  ['a number', '7', 400, 'invalid_request', '(body)'],
  ['an array', '[{"body":"hi"}]', 400, 'invalid_request', '(body)'],
  ['no fields', '{}', 400, 'invalid_request', 'body'],
  ['an unknown field', '{"body":"hi","colour":"red"}', 400, 'invalid_request', 'colour'],
  ['a field named like a stream’s', '{"body":"hi","pipe":1}', 400, 'invalid_request', 'pipe'],
  ['a field named constructor', '{"body":"hi","constructor":{"prototype":{"x":1}}}', 400, 'invalid_request', 'constructor'],
  ['__proto__', '{"body":"hi","__proto__":{"admin":true}}', 400, 'malformed_json'],
  ['__proto__, escaped', '{"body":"hi","__\\u0070roto__":{"admin":true}}', 400, 'malformed_json'],
  ['a number for a text', '{"body":1}', 400, 'invalid_request', 'body'],
  ['null for a text', '{"body":null}', 400, 'invalid_request', 'body'],
  ['an object for a text', '{"body":{"toString":"x"}}', 400, 'invalid_request', 'body'],
  ['a text for a list', '{"body":"hi","attachmentIds":"att_1"}', 400, 'invalid_request', 'attachmentIds'],
  ['a bad id in a list', '{"body":"hi","attachmentIds":["x"]}', 400, 'invalid_request', 'attachmentIds.0'],
  [
    'a list that is too long',
    JSON.stringify({ body: 'hi', attachmentIds: Array.from({ length: 1000 }, () => 'att_00000000000000000000000000') }),
    400,
    'invalid_request',
    'attachmentIds',
  ],
  ['a bad id', '{"body":"hi","replyTo":"msg_"}', 400, 'invalid_request', 'replyTo'],
  ['duplicate keys, the last one wrong', '{"body":"hi","body":1}', 400, 'invalid_request', 'body'],
  ['an empty text', '{"body":"   "}', 400, 'invalid_request', 'body'],
  ['NUL', '{"body":"a\\u0000b"}', 400, 'invalid_request', 'body'],
  ['an escape character', '{"body":"a\\u001b[31mb"}', 400, 'invalid_request', 'body'],
  ['a lone high surrogate', '{"body":"a\\ud800b"}', 400, 'malformed_json'],
  ['a lone low surrogate', '{"body":"a\\udc00b"}', 400, 'malformed_json'],
  ['surrogates the wrong way round', '{"body":"\\udc00\\ud800"}', 400, 'malformed_json'],
  ['JSON that calls itself text', '{"body":"hi"}', 415, 'unsupported_media', undefined, 'text/plain'],
  ['JSON that calls itself a form', '{"body":"hi"}', 415, 'unsupported_media', undefined, 'application/x-www-form-urlencoded'],
  ['JSON in parts', '{"body":"hi"}', 415, 'unsupported_media', undefined, 'multipart/form-data; boundary=x'],
  ['JSON without a type', '{"body":"hi"}', 415, 'unsupported_media', undefined, ''],
  ['a type that is none', '{"body":"hi"}', 415, 'unsupported_media', undefined, ';;;'],
];

onBothEngines('bodies that are none', (engine) => {
  const { kit, ann, bob, general } = twoPeopleOn(engine);

  test('[SYS-4] each is refused with a clear error that names the field; nothing is stored and nobody else notices', async () => {
    const path = `/api/v1/conversations/${general.id}/messages`;
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const [name, body, status, code, field, type = json] of bodies) {
        const headers = {
          authorization: `Bearer ${bob.token}`,
          host: new URL(kit.url).host,
          ...(type === '' ? {} : { 'content-type': type }),
        };
        const answer = await raw(kit.url, { method: 'POST', path, headers, body });
        expect(answer, name).toMatchObject({ status, body: { error: { code, message: expect.stringMatching(/\S/) } } });
        const fields = answer.body.error!.problems?.map((problem) => problem.field);
        expect(fields, name).toEqual(field === undefined ? undefined : [field]);
      }
    });
  });

  test('[SYS-4] every wrong field is named, not only the first', async () => {
    const answer = await bob.ask('addMember', {
      body: { kind: 'robot', handle: '-', displayName: '', role: 'king', ownerId: 'x', extra: 1 } as never,
    });
    expect(answer.body.error?.problems?.map(({ field }) => field).toSorted()).toEqual([
      'displayName',
      'extra',
      'handle',
      'kind',
      'ownerId',
      'role',
    ]);
  });

  test('[SYS-14] uploads of any type or none are kept as they are, and never parsed', async () => {
    for (const [type, body] of [
      ['application/json', '{"a": [1'],
      ['application/json', '{"a":1}'],
      ['text/html', '<p>'],
      ['', 'x'],
      ['application/json', ''],
      ['text/plain', ''],
    ] as const) {
      const headers = {
        authorization: `Bearer ${bob.token}`,
        host: new URL(kit.url).host,
        ...(type === '' ? {} : { 'content-type': type }),
      };
      const answer = await raw(kit.url, { method: 'POST', path: '/api/v1/attachments?name=a.txt', headers, body });
      expect(answer, `${type} ${body}`).toMatchObject({ status: 200, body: { size: body.length } });
    }
  });
});
