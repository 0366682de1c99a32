// A booking server on this machine, as docs/negotiation.md asks for one: one effect for a key, however often it is asked.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface BookingServer {
  url: string;
  /** The first key that asks there is refused, also when it asks again. */
  refusesFirst: (path: string) => void;
  /** For each key, in order: effects made by one path less those undone by the other. */
  effects: (made: string, undone: string) => number[];
}

export async function bookingServer(): Promise<BookingServer> {
  const keys = new Map<string, Set<string>>();
  const refusing = new Map<string, string | null>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url!;
      const { key } = JSON.parse(body) as { key: string };
      if (refusing.get(path) === null) refusing.set(path, key);
      const seen = keys.get(path) ?? new Set();
      keys.set(path, seen.add(key));
      if (refusing.get(path) !== key) return void response.end('{}');
      response.writeHead(409).end('{"constraint":"Fully booked"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusesFirst: (path) => void refusing.set(path, null),
    effects: (made, undone) =>
      [...(keys.get(made) ?? [])].map(
        (key) => (refusing.get(made) === key ? 0 : 1) - (refusing.get(made) !== key && keys.get(undone)?.has(key) ? 1 : 0),
      ),
  };
}
