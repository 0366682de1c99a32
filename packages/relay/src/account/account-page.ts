// The account page: a person makes a passkey for a name, and gets tickets that register a key for it from a terminal (A2C-1).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressKey, ParleyError } from '@parley/protocol';
import { addressParts } from '@parley/protocol/relay';
import { renderSVG } from 'uqr';
import { z } from 'zod';
import type { Relay } from '../relay.ts';
import { clientOf } from '../sockets.ts';
import { type AccountView, Accounts, PasskeyAnswer, SignUp } from './accounts.ts';
import { basePathOf, bodyOf, mustComeFrom, originOf, type PageSettings } from './page-requests.ts';
import { PageSessions } from './page-sessions.ts';
import type { RelyingParty } from './passkeys.ts';
import { readFile } from 'node:fs/promises';

const Removal = z.object({ name: z.string() });

interface Visit {
  request: IncomingMessage;
  party: RelyingParty;
  /** The address that the session is signed in to. */
  address: string | undefined;
}

interface PageAnswer {
  type: string;
  body: string | Buffer;
  cookie?: string;
}

type Route = (visit: Visit) => Promise<PageAnswer>;

const json = (value: object, cookie?: string): PageAnswer => ({
  type: 'application/json',
  body: JSON.stringify(value),
  ...(cookie === undefined ? {} : { cookie }),
});

export class AccountPage {
  private readonly relay: Relay;
  private readonly settings: PageSettings & { trustProxy: number };
  /** The path below which people reach the relay. */
  private readonly base: string;
  private readonly accounts: Accounts;
  private readonly sessions: PageSessions;

  constructor(relay: Relay, settings: PageSettings & { trustProxy: number }, base = '') {
    this.relay = relay;
    this.settings = settings;
    this.base = basePathOf(settings, base);
    this.accounts = new Accounts(relay);
    this.sessions = new PageSessions(relay.now);
  }

  static has = (path: string): boolean => path === '/account' || path.startsWith('/account/');

  /** `path` is relative to the relay's own. */
  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, { type, body, cookie }: PageAnswer, headers: Record<string, string> = {}): void => {
      // The relay does not read the rest of a refused body, so the connection cannot be used again.
      if (!request.complete) response.shouldKeepAlive = false;
      response.writeHead(status, {
        ...pageHeaders,
        'content-type': type,
        ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
        ...headers,
      });
      response.end(body);
    };
    try {
      const file = request.method === 'GET' ? await pageFile(path) : undefined;
      send(200, file ?? (await this.dispatch(path, request)));
    } catch (error) {
      const known = error instanceof ParleyError ? error : new ParleyError('internal', 'The relay failed. Try again later.');
      if (known !== error) this.relay.log.error({ err: error }, 'A request of the account page failed');
      send(known.status, json(known.toWire()), known.code === 'rate_limited' ? { 'retry-after': known.reason ?? '60' } : {});
    }
  }

  private async dispatch(path: string, request: IncomingMessage): Promise<PageAnswer> {
    const route = this.routes[`${request.method} ${path}`];
    if (!route) throw new ParleyError('not_found', 'There is no such page.');
    if (this.relay.draining) throw new ParleyError('unavailable', 'The relay is shutting down. Try again in a moment.');
    const party = { name: this.relay.name, origin: originOf(this.settings, this.relay.name, request.socket.localPort ?? 0) };
    // This check comes first: any site in the person's browser could otherwise use up their rate.
    mustComeFrom(party.origin, request);
    const wait = this.relay.rates.page.take(addressKey(clientOf(request, this.settings.trustProxy)));
    if (wait > 0) throw new ParleyError('rate_limited', undefined, { reason: String(Math.ceil(wait / 1000)) });
    return route({ request, party, address: this.sessions.addressIn(request.headers.cookie, party.origin) });
  }

  private readonly routes: Readonly<Record<string, Route>> = {
    'GET /account/state': async ({ party: { origin }, address }) =>
      json({
        relay: this.relay.name,
        page: `${origin}${this.base}/account`,
        url: `${origin.replace(/^http/, 'ws')}${this.base}`,
        account: address === undefined ? null : ((await this.accounts.view(address)) ?? null),
      }),

    'GET /account/qr.svg': async ({ address }) => {
      const { address: own, key } = await this.mustView(address);
      if (!key) throw new ParleyError('not_found', 'No key is registered yet.');
      return { type: 'image/svg+xml', body: renderSVG(`${own} ${key.fingerprint.replaceAll(' ', '')}`, { ecc: 'M', border: 2 }) };
    },

    'POST /account/sign-up/options': async ({ request, party }) =>
      json(await this.accounts.beginSignUp(party, await bodyOf(request, SignUp))),

    'POST /account/sign-up': async ({ request, party }) => {
      const { address, ticket } = await this.accounts.signUp(party, await bodyOf(request, PasskeyAnswer));
      return json({ ticket }, this.sessions.start(address, party.origin));
    },

    'POST /account/sign-in/options': async ({ party }) => json(await this.accounts.beginSignIn(party)),

    'POST /account/sign-in': async ({ request, party }) => {
      const address = await this.accounts.signIn(party, await bodyOf(request, PasskeyAnswer));
      return json({}, this.sessions.start(address, party.origin));
    },

    'POST /account/sign-out': async ({ party, address }) => json({}, this.sessions.end(address ?? '', party.origin)),

    'POST /account/ticket': async ({ address }) => json({ ticket: await this.accounts.newTicket((await this.mustView(address)).address) }),

    'POST /account/remove': async ({ request, party, address }) => {
      const { address: own } = await this.mustView(address);
      const { name } = await bodyOf(request, Removal);
      const expected = addressParts(own).name;
      if (name !== expected)
        throw new ParleyError('invalid_request', `Type ${expected} to remove the account; '${name}' is another name.`, {
          problems: [{ field: 'name', message: `must be ${expected}` }],
        });
      await this.relay.remove(own);
      return json({}, this.sessions.end(own, party.origin));
    },
  };

  private async mustView(address: string | undefined): Promise<AccountView> {
    const view = address === undefined ? undefined : await this.accounts.view(address);
    if (!view) throw new ParleyError('unauthenticated', 'You are not signed in, or your session has ended. Sign in with your passkey.');
    return view;
  }
}

const page = new URL('../../page/', import.meta.url);

const files: Readonly<Record<string, { type: string; url: () => URL }>> = {
  '/account': { type: 'text/html; charset=utf-8', url: () => new URL('account.html', page) },
  '/account/page.css': { type: 'text/css; charset=utf-8', url: () => new URL('account.css', page) },
  '/account/page.js': { type: 'text/javascript; charset=utf-8', url: () => new URL('account.mjs', page) },
  '/account/webauthn.js': {
    type: 'text/javascript; charset=utf-8',
    url: () => new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
  },
};

/** Allows no inline script, no file from elsewhere and no surrounding page. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

async function pageFile(path: string): Promise<{ type: string; body: Buffer } | undefined> {
  const file = files[path];
  return file && { type: file.type, body: await readFile(file.url()) };
}
