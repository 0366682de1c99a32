// A relay on a port of its own: sockets at `/`, health and metrics beside them.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { RelayConfig } from './config.ts';
import { lockRelayFolder, openRelayFolder } from './data-folder.ts';
import { metricsText } from './metrics.ts';
import { Relay } from './relay.ts';
import { endWith, upgradesFor } from './sockets.ts';

export interface ServedRelay {
  relay: Relay;
  url: string;
  close: () => Promise<void>;
}

export async function serveRelay(config: RelayConfig, log: Logger, now: () => number = Date.now): Promise<ServedRelay> {
  const unlock = lockRelayFolder(config.dataDir);
  try {
    const served = await serve(config, log, now);
    return { ...served, close: () => served.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function serve(config: RelayConfig, log: Logger, now: () => number): Promise<ServedRelay> {
  const { key, store } = openRelayFolder(config.dataDir);
  const { name, bounds, limits } = config;
  const relay = await Relay.open({ name, key, store, log, bounds, limits, now });
  const answer = (request: IncomingMessage, response: ServerResponse): void => answerPlain(relay, request, response);
  const bare = { maxHeaderSize: 16_384, requestTimeout: 30_000, headersTimeout: 10_000 };
  const server: Server = config.tls
    ? createTlsServer({ ...bare, cert: readFileSync(config.tls.cert), key: readFileSync(config.tls.key) }, answer)
    : createServer(bare, answer);
  server.maxHeadersCount = 100;
  const upgrade = upgradesFor(relay, config);
  server.on('upgrade', (request, socket, head) => {
    if (pathOf(request) === '/') upgrade(request, socket, head);
    else endWith(socket, '404 Not Found');
  });
  try {
    await listen(server, config);
  } catch (error) {
    await relay.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    relay,
    url: `${config.tls ? 'wss' : 'ws'}://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await relay.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const listen = (server: Server, { port, host }: RelayConfig): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0]!;

function answerPlain(relay: Relay, request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, type: string, text: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    response.end(text);
  };
  if (request.method !== 'GET') return send(405, 'text/plain', 'Only GET, or a WebSocket at /.\n');
  if (pathOf(request) === '/health') return send(relay.draining ? 503 : 200, 'application/json', JSON.stringify(healthOf(relay)));
  if (pathOf(request) === '/metrics') return send(200, 'text/plain; version=0.0.4', metricsText(relay));
  send(404, 'text/plain', 'This is a Parley relay. Clients connect with a WebSocket at /.\n');
}

/** The name and key are what a client pins. */
export const healthOf = (relay: Relay) => ({
  status: relay.draining ? 'draining' : 'ok',
  relay: relay.name,
  key: relay.key.public,
  connections: relay.connected,
});
