// Where the hub reaches an agent's brain, and with which secret. The hub sends a provider's key, or signs with a secret,
// wherever the config says: anyone who may choose the place could have the key sent to a place of their own.

import type { BrainConfig, ModelConfig } from '@parley/protocol';

/** Undefined: at its provider's own address, with that provider's own key. Nothing more is given away than its use. */
function placeOf({ provider, baseUrl, key }: ModelConfig): string | undefined {
  return baseUrl === undefined && key === undefined ? undefined : JSON.stringify([provider, baseUrl ?? null, key ?? null]);
}

const modelsOf = (brain: BrainConfig): ModelConfig[] =>
  brain.kind === 'model' ? [brain, brain.fallback].flatMap((model) => model ?? []) : [];

function placesOf(brain: BrainConfig): string[] {
  if (brain.kind === 'model') return modelsOf(brain).flatMap((model) => placeOf(model) ?? []);
  if (brain.kind === 'remote' && brain.webhook) return [JSON.stringify([brain.webhook.url, brain.webhook.secret])];
  return [];
}

/** The cost of a model counts against everybody's money: anyone who states a lower price gets more of it. */
function costsAsBefore(next: BrainConfig, inForce: BrainConfig): boolean {
  const known = modelsOf(inForce);
  const isSame = (a: ModelConfig, b: ModelConfig): boolean => a.provider === b.provider && a.model === b.model;
  return modelsOf(next).every((model) => {
    const prices = known.filter((one) => isSame(one, model)).map(({ price }) => JSON.stringify(price));
    return model.price === undefined && prices.length === 0 ? true : prices.includes(JSON.stringify(model.price));
  });
}

/** The brain in force is reached there already, each address with just the secret that it was given for, and at what it is said to cost. */
export function reachesNothingNew(next: BrainConfig, inForce: BrainConfig): boolean {
  const known = placesOf(inForce);
  return placesOf(next).every((place) => known.includes(place)) && costsAsBefore(next, inForce);
}

/** A tool server acts with secrets of the hub and for all who may use it: which agent has it is not for its owner to say. `mcp://name` is all of a server's tools. */
export const givesNothingNew = (next: readonly string[], inForce: readonly string[]): boolean =>
  next.every((one) => inForce.includes(one) || inForce.includes(one.split('/').slice(0, 3).join('/')));

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
