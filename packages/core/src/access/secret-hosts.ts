// To which hosts a secret may be sent. Admins name the servers that the hub calls, but never read a secret: if the hub sent
// any secret anywhere, an admin could have it sent to a server of their own.

/** Where a provider's own key goes unless a host was named for it. */
const providerHosts: Readonly<Record<string, string>> = { anthropic: 'api.anthropic.com', openai: 'api.openai.com' };

/** `bind`: no host is known yet, and this one becomes the first. */
export type SecretUse = { allowed: true; bind: boolean } | { allowed: false; hosts: readonly string[] };

/** `host` as in a URL, with a port that is not the usual one. A bound host without a port stands for all of its ports. */
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
