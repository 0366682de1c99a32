// Answers to requests that open no socket: health, metrics and the account page.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RelayDocument, wellKnownPath } from '@parley/protocol/relay';
import { AccountPage } from './account/account-page.ts';
import type { RelayConfig } from './config.ts';
import type { Relay } from './relay.ts';
import type { Federation } from './federation/federation.ts';

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

/** Where people reach it by HTTPS, a browser that was here once tries nothing else. */
export function secureHeaders(response: ServerResponse, { pageUrl, tls }: Pick<RelayConfig, 'pageUrl' | 'tls'>): void {
  if (tls || pageUrl?.startsWith('https:')) response.setHeader('strict-transport-security', 'max-age=31536000');
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [headers.authorization ?? '', `Bearer ${token}`].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(given!, wanted!);
}

export const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0]!;

/** What other relays read first (A2C-10). Undefined: this one speaks with none. */
function documentOf({ name, key, federation }: Relay, { pageUrl }: RelayConfig): RelayDocument | undefined {
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

// Counters for Prometheus. None of them carries an address, so that a scrape says nothing about anybody.

const help: Readonly<Record<keyof Relay['counts'], string>> = {
  connections: 'Sockets that were opened.',
  stored: 'Frames that were stored for a recipient.',
  delivered: 'Frames that were sent to a recipient, repeats included.',
  acknowledged: 'Frames that a recipient acknowledged.',
  refused: 'Frames and messages that were refused.',
  blocked: 'Frames that were dropped because their recipient blocked the sender.',
  reports: 'Reports about senders that counted.',
  forwarded: 'Frames that another relay took.',
  undelivered: 'Frames that another relay refused, or could not be reached for.',
  lies: 'Frames and entries of other relays that were refused as false.',
  rejectedLogins: 'Logins and registrations that were refused.',
};

function metricsText(relay: Relay): string {
  const counters = Object.entries(help).map(([name, text]) => {
    const metric = `parley_relay_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`;
    return `# HELP ${metric} ${text}\n# TYPE ${metric} counter\n${metric} ${relay.counts[name as keyof Relay['counts']]}\n`;
  });
  const gauges = [
    { name: 'connected', text: 'Sockets that are open.', value: relay.connected },
    { name: 'waiting_frames', text: 'Frames that wait for an acknowledgement.', value: relay.waitingFrames },
    { name: 'lines', text: 'Lines to other relays that are open.', value: relay.federation?.openLines ?? 0 },
    { name: 'offenders', text: 'Addresses whose frames go last.', value: relay.offendersNow().length },
  ].map(
    ({ name, text, value }) => `# HELP parley_relay_${name} ${text}\n# TYPE parley_relay_${name} gauge\nparley_relay_${name} ${value}\n`,
  );
  return [...counters, ...gauges, ...(relay.federation ? federationText(relay.federation) : [])].join('');
}

/** Names of relays, never of people. */
function federationText({ lies }: Federation): string[] {
  if (lies.size === 0) return [];
  const metric = 'parley_relay_lies_by_relay_total';
  const values = [...lies].map(([name, count]) => `${metric}{relay="${name}"} ${count}\n`);
  return [`# HELP ${metric} False words of each other relay.\n# TYPE ${metric} counter\n`, ...values];
}
