// The hosts to which the hub may send a secret. Admins choose the servers that the hub calls, but never read a secret. Without this check
// an admin could let the hub send any secret to a server of their own.

/** The hosts of providers' own keys, unless a host was bound to the key. */
const providerHosts: Readonly<Record<string, string>> = { anthropic: 'api.anthropic.com', openai: 'api.openai.com' };

/** `bind`: the secret has no host yet, and this one becomes its first. */
export type SecretUse = { allowed: true; bind: boolean } | { allowed: false; hosts: readonly string[] };

/** `host` is written as in a URL, with an unusual port. A bound host without a port stands for all of its ports. */
export function secretUse(name: string, host: string, bound: readonly string[]): SecretUse {
  const hosts = boundHosts(name, bound);
  if (hosts.length === 0) return { allowed: true, bind: true };
  const withoutPort = host.replace(/:\d+$/, '');
  return hosts.includes(host) || hosts.includes(withoutPort) ? { allowed: true, bind: false } : { allowed: false, hosts };
}

export function boundHosts(name: string, bound: readonly string[]): readonly string[] {
  const own = providerHosts[name];
  return bound.length > 0 || own === undefined ? bound : [own];
}
