// The address of an agent's brain and its secret. The hub sends a key, or a signature made with a secret, to the configured address, so
// anyone who may choose the address could have the key sent to a server of their own.

import type { BrainConfig, ModelConfig } from '@parley/protocol';

/** Undefined for the provider's own address and key: then only the use of the key is given away. */
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

/** Whether the prices stay the same. A model's cost counts for the workspace's budget, and a lower stated price would allow more use. */
function costsAsBefore(next: BrainConfig, inForce: BrainConfig): boolean {
  const present = modelsOf(inForce);
  const isSame = (a: ModelConfig, b: ModelConfig): boolean => a.provider === b.provider && a.model === b.model;
  return modelsOf(next).every((model) => {
    const prices = present.filter((one) => isSame(one, model)).map(({ price }) => JSON.stringify(price));
    return model.price === undefined && prices.length === 0 ? true : prices.includes(JSON.stringify(model.price));
  });
}

/** Whether the new brain uses only addresses of the present one, each with the same secret and the same price. */
export function reachesNothingNew(next: BrainConfig, inForce: BrainConfig): boolean {
  const allowed = placesOf(inForce);
  return placesOf(next).every((place) => allowed.includes(place)) && costsAsBefore(next, inForce);
}

/**
 * Whether the new tools are all among the present ones. A tool server acts with secrets of the hub, so an agent's owner may not add one.
 * `mcp://name` stands for all tools of a server.
 */
export const givesNothingNew = (next: readonly string[], inForce: readonly string[]): boolean =>
  next.every((one) => inForce.includes(one) || inForce.includes(one.split('/').slice(0, 3).join('/')));
