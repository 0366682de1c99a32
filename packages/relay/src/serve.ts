// Serves a relay: on a port of its own, with sockets at `/` beside health and metrics, or below one path of a hub's port.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { AccountPage } from './account/account-page.ts';
import { type RelayConfig, RelayConfigError } from './config.ts';
import { type NetworkSettings, openRelay } from './open-relay.ts';
import { answerPlain, pathOf, secureHeaders } from './plain-answers.ts';
import type { Relay, NameKeeper } from './relay.ts';
import { endWith, upgradesFor, type SocketUpgrade } from './sockets.ts';
import { wellKnownPath } from '@parley/protocol/relay';

export interface ServedRelay {
  relay: Relay;
  url: string;
  close: () => Promise<void>;
}

export async function serveRelay(config: RelayConfig, log: Logger, now?: () => number, network?: NetworkSettings): Promise<ServedRelay> {
  const relay = await openRelay(config, log, now, network);
  try {
    return await listenWith(relay, config);
  } catch (error) {
    await relay.close();
    throw error;
  }
}

async function listenWith(relay: Relay, config: RelayConfig): Promise<ServedRelay> {
  const page = new AccountPage(relay, config);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    secureHeaders(response, config);
    answerPlain(relay, page, pathOf(request), request, response, config);
  };
  const bare = { maxHeaderSize: 16_384, requestTimeout: 30_000, headersTimeout: 10_000 };
  const server: Server = config.tls
    ? createTlsServer({ ...bare, ...certificateIn(config.tls), minVersion: 'TLSv1.2' }, answer)
    : createServer(bare, answer);
  server.maxHeadersCount = 100;
  const upgrade = upgradesFor(relay, config);
  server.on('upgrade', (request, socket, head) => {
    if (pathOf(request) === '/') upgrade(request, socket, head);
    else endWith(socket, '404 Not Found');
  });
  await listen(server, config);
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

function certificateIn(files: NonNullable<RelayConfig['tls']>): { cert: Buffer; key: Buffer } {
  const read = (variable: string, path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new RelayConfigError(`${variable} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    }
  };
  const pair = { cert: read('PARLEY_RELAY_TLS_CERT', files.cert), key: read('PARLEY_RELAY_TLS_KEY', files.key) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new RelayConfigError(`PARLEY_RELAY_TLS_CERT and PARLEY_RELAY_TLS_KEY do not fit together: ${(error as Error).message}.`);
  }
  return pair;
}

const listen = (server: Server, { port, host }: RelayConfig): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });

export interface MountedRelay {
  relay: Relay;
  path: string;
  /** Other relays look for the document at the root of the host. */
  wellKnownPath: string;
  upgrade: SocketUpgrade;
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close: () => Promise<void>;
}

export async function mountRelay(path: string, config: RelayConfig, log: Logger, isKept?: NameKeeper): Promise<MountedRelay> {
  const relay = await openRelay(config, log, Date.now, {}, isKept);
  const page = new AccountPage(relay, config, path);
  return {
    relay,
    path,
    wellKnownPath,
    upgrade: upgradesFor(relay, config),
    answer: (request, response) => {
      secureHeaders(response, config);
      const fullPath = pathOf(request);
      const ownPath = fullPath === wellKnownPath ? fullPath : fullPath.slice(path.length);
      answerPlain(relay, page, ownPath, request, response, config);
    },
    close: () => relay.close(),
  };
}
