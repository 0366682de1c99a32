// Answers to requests that open no socket: health, metrics and the account page.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RelayDocument, wellKnownPath } from '@parley/protocol/relay';
import { AccountPage } from './account/account-page.ts';
import type { RelayConfig } from './config.ts';
import { metricsText } from './metrics.ts';
import type { Relay } from './relay.ts';

/** `path`: below the relay's own, which may be another on a hub's port. */
export function answerPlain(
  relay: Relay,
  page: AccountPage,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  document: RelayDocument | undefined,
): void {
  if (AccountPage.has(path)) return void page.answer(path, request, response);
  const send = (status: number, type: string, text: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    response.end(text);
  };
  if (request.method !== 'GET') return send(405, 'text/plain', 'Only GET, or a WebSocket.\n');
  if (path === '/health') return send(relay.draining ? 503 : 200, 'application/json', JSON.stringify(healthOf(relay)));
  if (path === '/metrics') return send(200, 'text/plain; version=0.0.4', metricsText(relay));
  if (path === wellKnownPath && document) return send(200, 'application/json', JSON.stringify(document));
  send(404, 'text/plain', 'This is a Parley relay. Clients connect with a WebSocket, people open /account.\n');
}

export const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0]!;

/** What other relays read first (A2C-10). Undefined: this one speaks with none. */
export function documentOf({ name, key, federation }: Relay, { pageUrl }: RelayConfig): RelayDocument | undefined {
  if (!federation) return undefined;
  const page = pageUrl ?? `${federation.settings.isPlain ? 'http' : 'https'}://${name}`;
  return { v: 1, relay: name, key: key.public, url: page.replace(/^http/, 'ws') };
}

/** The name and key are what a client pins. */
const healthOf = (relay: Relay) => ({
  status: relay.draining ? 'draining' : 'ok',
  relay: relay.name,
  key: relay.key.public,
  connections: relay.connected,
});
