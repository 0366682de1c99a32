// A page from elsewhere must not reach a hub on localhost: not by a form, not by fetch, not by a socket, and not by a
// host name that was pointed at 127.0.0.1. So the `Host` must be one of ours, and an `Origin`, when there is one,
// must be that same host.

export interface OriginPolicy {
  /** Host names (without port) this hub answers to. */
  hosts: ReadonlySet<string>;
}

export type OriginVerdict = { ok: true } | { ok: false; reason: 'host' | 'origin' };

const local = ['localhost', '127.0.0.1', '[::1]'];

/** `publicUrl` adds the name people outside use, `host` the address the hub listens on when it is a particular one. */
export function originPolicy(publicUrl: string | undefined, host = 'localhost'): OriginPolicy {
  const address = ['0.0.0.0', '::'].includes(host) ? [] : [host.includes(':') ? `[${host}]` : host.toLowerCase()];
  return { hosts: new Set([...local, ...address, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])]) };
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
  if (request.origin !== undefined && !sameHost(request.origin, request.host!)) return { ok: false, reason: 'origin' };
  if (request.origin === undefined && request.site !== undefined && request.site !== 'same-origin' && request.site !== 'none')
    return { ok: false, reason: 'origin' };
  return { ok: true };
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
