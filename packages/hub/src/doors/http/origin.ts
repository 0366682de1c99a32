// A page from elsewhere must not reach a hub on localhost: not by a form, not by fetch, not by a socket, and not by a
// host name that was pointed at 127.0.0.1. So the `Host` must be one of ours, and an `Origin`, when there is one,
// must be that same host. Behind a proxy that changes the `Host`, the page's origin is the one of the public URL.

import type { IncomingMessage } from 'node:http';

export interface OriginPolicy {
  /** Host names (without port) this hub answers to. */
  hosts: ReadonlySet<string>;
  /** The origin of the public URL; only the hub's own page has it. */
  publicOrigin: string | undefined;
}

export type OriginVerdict = { ok: true } | { ok: false; reason: 'host' | 'origin' };

const local = ['localhost', '127.0.0.1', '[::1]'];

/** `publicUrl` adds the name people outside use, `host` the address the hub listens on when it is a particular one. */
export function originPolicy(publicUrl: string | undefined, host = 'localhost'): OriginPolicy {
  const address = ['0.0.0.0', '::'].includes(host) ? [] : [host.includes(':') ? `[${host}]` : host.toLowerCase()];
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  return { hosts: new Set([...local, ...address, ...(url ? [url.hostname] : [])]), publicOrigin: url?.origin };
}

/** Undefined: there is none, or several. A proxy in front may read another one of them. A call within the process has no second. */
export function hostOf({ headers, headersDistinct }: Pick<IncomingMessage, 'headers'> & Partial<IncomingMessage>): string | undefined {
  return (headersDistinct?.host?.length ?? 1) === 1 ? headers.host : undefined;
}

export function checkOrigin(
  policy: OriginPolicy,
  request: { method: string; socket: boolean; host: string | undefined; origin: string | undefined; site: string | undefined },
): OriginVerdict {
  const name = hostName(request.host);
  if (name === undefined || !policy.hosts.has(name)) return { ok: false, reason: 'host' };
  const unsafe = request.socket || !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  if (!unsafe) return { ok: true };
  // Browsers send Origin with every unsafe request and every socket; programs do not, and they bring a token.
  if (request.origin !== undefined && request.origin !== policy.publicOrigin && !sameHost(request.origin, request.host!))
    return { ok: false, reason: 'origin' };
  if (request.origin === undefined && request.site !== undefined && request.site !== 'same-origin' && request.site !== 'none')
    return { ok: false, reason: 'origin' };
  return { ok: true };
}

/** The value that was wrong, and what the hub needs from a proxy. */
export function originRefusal(
  reason: 'host' | 'origin',
  { host, origin }: { host?: string | undefined; origin?: string | undefined },
): string {
  const cutHeader = (value: string | undefined): string => (value === undefined ? 'none' : value.slice(0, 200));
  const mismatch =
    reason === 'host' ? `Its Host is ${cutHeader(host)}.` : `Its Origin is ${cutHeader(origin)}, and its Host is ${cutHeader(host)}.`;
  return `The request came from a page or host name that is not this hub. ${mismatch} Open the hub at its own address. Behind a proxy, set PARLEY_PUBLIC_URL to the address that people open, and let the proxy pass on the Host header (nginx: proxy_set_header Host $http_host).`;
}

function hostName(host: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return match?.[1]?.toLowerCase();
}

/** Scheme aside: a proxy in front may speak TLS while the hub does not. */
function sameHost(origin: string, host: string): boolean {
  try {
    const url = new URL(origin);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.host.toLowerCase() === host.toLowerCase();
  } catch {
    return false;
  }
}
