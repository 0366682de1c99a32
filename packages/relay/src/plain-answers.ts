// Answers to requests that open no socket: health, metrics and the account page.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RelayDocument, wellKnownPath } from '@parley/protocol/relay';
import { AccountPage } from './account/account-page.ts';
import type { RelayConfig } from './config.ts';
import type { Relay } from './relay.ts';
import { metricsText } from './metrics.ts';

/** `path`: below the relay's own, which may be another on a hub's port. */
export function answerPlain(
  relay: Relay,
  page: AccountPage,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  config: RelayConfig,
): void {
  if (AccountPage.has(path)) return void page.answer(path, request, response);
  const send = (status: number, type: string, text: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    response.end(text);
  };
  if (request.method !== 'GET') return send(405, 'text/plain', 'Only GET, or a WebSocket.\n');
  if (path === '/health') return send(relay.draining ? 503 : 200, 'application/json', JSON.stringify(healthOf(relay)));
  if (path === '/metrics' && config.metricsToken !== undefined) {
    if (!hasToken(request, config.metricsToken))
      return send(401, 'text/plain', 'Send `authorization: Bearer` with PARLEY_METRICS_TOKEN.\n');
    return send(200, 'text/plain; version=0.0.4', metricsText(relay));
  }
  const document = documentOf(relay, config);
  if (path === wellKnownPath && document) return send(200, 'application/json', JSON.stringify(document));
  send(404, 'text/plain', 'This is a Parley relay. Clients connect with a WebSocket, people open /account.\n');
}

/** After one visit by HTTPS, a browser uses nothing else. */
export function secureHeaders(response: ServerResponse, { pageUrl, tls }: Pick<RelayConfig, 'pageUrl' | 'tls'>): void {
  if (tls || pageUrl?.startsWith('https:')) response.setHeader('strict-transport-security', 'max-age=31536000');
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [headers.authorization ?? '', `Bearer ${token}`].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(given!, wanted!);
}

export const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0]!;

/** Other relays read this document first (A2C-10). Undefined if federation is off. */
function documentOf({ name, key, federation }: Relay, { pageUrl }: RelayConfig): RelayDocument | undefined {
  if (!federation) return undefined;
  const page = pageUrl ?? `${federation.settings.isPlain ? 'http' : 'https'}://${name}`;
  return { v: 1, relay: name, key: key.public, url: page.replace(/^http/, 'ws') };
}

/** Clients pin the name and the key. */
const healthOf = (relay: Relay) => ({
  status: relay.draining ? 'draining' : 'ok',
  relay: relay.name,
  key: relay.key.public,
  connections: relay.connected,
});
