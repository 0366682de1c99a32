import { expect, test } from 'vitest';
import { fetchThrough, type HubRequest, makeRequest } from './hub-fetch.ts';

/** Both sides, with copies between them, as between threads. */
const through = (call: typeof fetch): typeof fetch =>
  fetchThrough(async (request) => structuredClone(await makeRequest(call, structuredClone(request))));

test('[SYS-9] method, headers and body go over, and status, headers and body come back; a redirect is not followed', async () => {
  const asked: Parameters<typeof fetch>[] = [];
  const call = through(async (...request) => {
    asked.push(request);
    return new Response('found', { status: 302, headers: { location: 'http://127.0.0.1/' } });
  });
  const response = await call(new URL('https://dav.example/ann/'), { method: 'REPORT', headers: { Depth: '1' }, body: '<query/>' });
  expect(asked).toMatchObject([
    ['https://dav.example/ann/', { method: 'REPORT', headers: [['depth', '1']], body: '<query/>', redirect: 'manual' }],
  ]);
  expect([response.status, response.headers.get('location'), await response.text()]).toEqual([302, 'http://127.0.0.1/', 'found']);
});

test('[SYS-9] an answer without a body is one, and one that is too large is refused by the hub’s side', async () => {
  expect((await through(async () => new Response(null, { status: 204 }))('https://dav.example/')).status).toBe(204);
  const large = through(async () => new Response(new Uint8Array(21 * 1024 * 1024)));
  await expect(large('https://dav.example/')).rejects.toThrow('more than 20971520 bytes');
});

test('[SYS-9] a failure names its cause', async () => {
  const away = through(() => Promise.reject(new TypeError('fetch failed', { cause: new Error('10.0.0.1 is a private address') })));
  await expect(away('https://dav.example/')).rejects.toThrow('10.0.0.1 is a private address');
});

test('[SYS-9] a body that is no text is refused before anything goes over', async () => {
  const sent: HubRequest[] = [];
  const fetch = fetchThrough(async (request) => (sent.push(request), Promise.reject(new Error('unexpected'))));
  await expect(fetch('https://dav.example/', { method: 'POST', body: new Uint8Array(1) })).rejects.toThrow('no stream');
  await expect(fetch(new Request('https://dav.example/'))).rejects.toThrow('no Request');
  expect(sent).toEqual([]);
});
