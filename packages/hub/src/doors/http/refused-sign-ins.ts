// One warning for each burst of refused sign-ins: a single wrong token is an old tab, many are an attack.

import type { IncomingHttpHeaders } from 'node:http';
import { addressKey, type ErrorCode, routes } from '@parley/protocol';

const linkPaths = [routes.openSession.path, routes.inspectLink.path];

export const hasSecret = ({ authorization, cookie }: IncomingHttpHeaders): boolean => authorization !== undefined || cookie !== undefined;

/** Somebody showed a secret that opens nothing. Who shows none has not tried to come in. */
export const isRefusedSignIn = (code: ErrorCode, url: string | undefined, headers: IncomingHttpHeaders): boolean =>
  code === 'link_spent' ? linkPaths.some((path) => url?.endsWith(path)) : code === 'unauthenticated' && hasSecret(headers);

/** A burst is this many refusals, each within a minute of the one before. */
export const burst = { refusals: 10, quietMs: 60_000 };
/** A burst can come from very many addresses; the first few are enough to act on. */
const mostAddresses = 5;

export interface Burst {
  refused: number;
  addresses: string[];
}

export class RefusedSignIns {
  private count = 0;
  private last = -Infinity;
  private readonly addresses = new Set<string>();
  private readonly now: () => number;
  private readonly warn: (found: Burst) => void;

  constructor(now: () => number, warn: (found: Burst) => void) {
    this.now = now;
    this.warn = warn;
  }

  note(address: string): void {
    const at = this.now();
    // The absolute difference also covers a clock that went back.
    if (Math.abs(at - this.last) >= burst.quietMs) {
      this.count = 0;
      this.addresses.clear();
    }
    this.last = at;
    this.count++;
    if (this.addresses.size < mostAddresses) this.addresses.add(addressKey(address));
    if (this.count === burst.refusals) this.warn({ refused: this.count, addresses: [...this.addresses] });
  }
}
