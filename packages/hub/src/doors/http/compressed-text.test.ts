import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { CompressedText, encodingFor, sendJson } from './compressed-text.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=1.0', 'gzip'],
  ['br; q=0.0', undefined],
  ['vibrant', undefined],
])('accept-encoding %s gets %s', (accepted, encoding) => expect(encodingFor(accepted)).toBe(encoding));

test('a text comes compressed as the client takes it, and caches tell the answers apart', async () => {
  const app = fastify();
  const words = 'the same for everybody '.repeat(1000);
  const text = new CompressedText(words);
  app.get('/docs', (request, reply) => text.send(request, reply, 'text/html; charset=utf-8'));
  const ask = (encoding: string) => app.inject({ url: '/docs', headers: { 'accept-encoding': encoding } });
  const plain = await ask('identity');
  expect([plain.body, plain.headers['content-encoding'], plain.headers['vary']]).toEqual([words, undefined, 'accept-encoding']);
  for (const [encoding, unpack] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, rawPayload } = await ask(encoding);
    expect([headers['content-encoding'], headers['content-type'], headers['vary']]).toEqual([
      encoding,
      'text/html; charset=utf-8',
      'accept-encoding',
    ]);
    expect(rawPayload.length).toBeLessThan(words.length / 10);
    expect(unpack(rawPayload).toString()).toBe(words);
  }
  await app.close();
});

test('an answer over a kilobyte comes compressed to a client that takes it, a short one as it is', async () => {
  const app = fastify();
  const answers = { long: JSON.stringify(Array.from({ length: 500 }, (_, i) => `channel ${i}`)), short: '{}' };
  app.get<{ Params: { size: keyof typeof answers } }>('/:size', (request, reply) => sendJson(request, reply, answers[request.params.size]));
  const ask = (size: string, encoding?: string) =>
    app.inject({ url: `/${size}`, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });
  const packed = await ask('long', 'br, gzip');
  expect([packed.headers['content-encoding'], packed.headers['content-type'], packed.headers['vary']]).toEqual([
    'gzip',
    'application/json; charset=utf-8',
    'accept-encoding',
  ]);
  expect(gunzipSync(packed.rawPayload).toString()).toBe(answers.long);
  expect(packed.rawPayload.length).toBeLessThan(answers.long.length / 3);
  for (const [size, encoding] of [['long'], ['long', 'br'], ['long', 'gzip;q=0'], ['short', 'gzip']] as const) {
    const plain = await ask(size, encoding);
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, answers[size]]);
  }
  await app.close();
});
