// Sessions of the account page: a cookie for a quarter of an hour. A restart of the relay signs everybody out.

import { randomBytes } from 'node:crypto';

const sessionMs = 15 * 60_000;
const mostSessions = 10_000;

export class PageSessions {
  private readonly now: () => number;
  private readonly open = new Map<string, { address: string; expiresAt: number }>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** Returns the cookie of the new session. */
  start(address: string, origin: string): string {
    const token = randomBytes(32).toString('base64url');
    this.open.set(token, { address, expiresAt: this.now() + sessionMs });
    if (this.open.size > mostSessions) this.open.delete(this.open.keys().next().value!);
    return cookie(origin, token, sessionMs / 1000);
  }

  addressIn(cookies: string | undefined, origin: string): string | undefined {
    const found = this.open.get(tokenIn(cookies, origin));
    return found && found.expiresAt > this.now() ? found.address : undefined;
  }

  /** Ends every session of the address; returns the cookie that clears this one. */
  end(address: string, origin: string): string {
    for (const [token, session] of this.open) if (session.address === address) this.open.delete(token);
    return cookie(origin, '', 0);
  }
}

const isSecure = (origin: string): boolean => origin.startsWith('https:');

/** Cookies do not know ports: two relays on one machine must not sign each other's people out. */
const nameFor = (origin: string): string => `${isSecure(origin) ? '__Host-' : ''}parley_relay_${new URL(origin).port || 443}`;

const cookie = (origin: string, token: string, seconds: number): string =>
  `${nameFor(origin)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(origin) ? '; Secure' : ''}`;

function tokenIn(cookies: string | undefined, origin: string): string {
  const start = `${nameFor(origin)}=`;
  const found = (cookies ?? '').split(';').find((one) => one.trim().startsWith(start));
  return found?.trim().slice(start.length) ?? '';
}
