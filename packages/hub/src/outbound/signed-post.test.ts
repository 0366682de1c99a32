import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postSigned } from './signed-post.ts';

let answer: (response: ServerResponse) => void;
const server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

/** Answers 200 at once; `after` comes when that has been read. How its line ended. */
async function handed(after: (response: ServerResponse) => void, signal = AbortSignal.timeout(30_000)): Promise<'whole' | 'cut'> {
  let response: ServerResponse | undefined;
  const closed = new Promise<'whole' | 'cut'>((resolve) => {
    answer = (one) => {
      response = one;
      one.on('close', () => resolve(one.writableFinished ? 'whole' : 'cut'));
      one.writeHead(200).flushHeaders();
    };
  });
  await postSigned({ url: url(), deliveryId: 'inv_1', body: '{}', now: 1, signal, allowPrivate: true });
  after(response!);
  return closed;
}

test('[PRV-14] an endpoint that says yes first and works then is not cut off', async () => {
  const works = async (response: ServerResponse): Promise<void> => {
    answer = (other) => other.end();
    for (let left = 10; left > 0; left--) await (await fetch(url(), { method: 'POST' })).text();
    response.end('done');
  };
  expect(await handed((response) => void works(response))).toBe('whole');
});

test('[PRV-14] of many that do not come to an end the oldest is cut off', async () => {
  const ends: string[] = [];
  for (let n = 1; n <= 21; n++) await new Promise<void>((resolve) => void handed(() => resolve()).then((end) => ends.push(`${n} ${end}`)));
  await expect.poll(() => ends).toEqual(['1 cut']);
  server.closeAllConnections();
  await expect.poll(() => ends).toHaveLength(21);
});

test('[PRV-14] what follows a yes is not read without end, nor for ever', async () => {
  expect(await handed((response) => response.write('x'.repeat(300_000)))).toBe('cut');
  const stop = new AbortController();
  expect(await handed((response) => response.write('x', () => stop.abort()), stop.signal)).toBe('cut');
});
