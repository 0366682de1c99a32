import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { outboundFetch, privateServices } from '../../src/outbound/guarded-fetch.ts';

async function serverWith(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([301, 302, 307, 308])('a server that redirects (%i) leads the hub nowhere it may not call', async (status) => {
  const asked: string[] = [];
  const inside = await serverWith((request, response) => {
    asked.push(request.url!);
    response.end('secret');
  });
  const outside = await serverWith((_request, response) => response.writeHead(status, { location: `http://${inside}/metadata` }).end());
  const call = outboundFetch(privateServices([outside]));
  const answer = await call(`http://${outside}/v1/messages`, { method: 'POST', body: '{}' });
  expect([answer.status, await answer.text(), asked]).toEqual([status, '', []]);
  await expect(call(`http://${inside}/`)).rejects.toThrow('private');
});
