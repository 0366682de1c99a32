// Who is signed in on the page: a cookie for a quarter of an hour. A restart of the relay signs everybody out.

import { randomBytes } from 'node:crypto';

const sessionMs = 15 * 60_000;
const mostSessions = 10_000;

export class PageSessions {
  private readonly now: () => number;
  private readonly open = new Map<string, { address: string; expiresAt: number }>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** The cookie that opens it. */
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

// Challenges that a browser has yet to answer. Each counts once, whatever comes of it; a restart forgets them all.

const answerMs = 5 * 60_000;
const mostOpen = 10_000;

export class OpenChallenges<T> {
  private readonly now: () => number;
  private readonly open = new Map<string, { purpose: T; expiresAt: number }>();

  constructor(now: () => number) {
    this.now = now;
  }

  add(challenge: string, purpose: T): void {
    this.open.set(challenge, { purpose, expiresAt: this.now() + answerMs });
    // The oldest leaves: its page can ask again.
    if (this.open.size > mostOpen) this.open.delete(this.open.keys().next().value!);
  }

  /** Undefined: unknown, answered before, or too late. */
  take(challenge: string): T | undefined {
    const found = this.open.get(challenge);
    this.open.delete(challenge);
    return found && found.expiresAt > this.now() ? found.purpose : undefined;
  }
}
