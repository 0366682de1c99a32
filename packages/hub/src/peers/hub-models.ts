// Parses the operator's setting of models for people's peers: `anthropic small=claude-haiku-4-5 large=claude-opus-4-5`.

import type { HubModelProvider, ModelConfig } from '@parley/protocol';

export interface PeerModelProvider extends HubModelProvider {
  /** The name of the secret; null: the provider's own. */
  key: string | null;
}

export interface PeerModelSettings {
  first: PeerModelProvider;
  second: PeerModelProvider | null;
}

const providers = ['anthropic', 'openai', 'openai_compatible'] as const;
const words = ['small', 'medium', 'large', 'url', 'key'];

/** The text is the problem where it names no model. */
export function readPeerModel(text: string): PeerModelProvider | string {
  const [name = '', ...others] = text.trim().split(/\s+/);
  const provider = providers.find((one) => one === name);
  if (!provider) return `must begin with ${providers.join(', ')}`;
  const settings = new Map<string, string>();
  for (const word of others) {
    const at = word.indexOf('=');
    if (at < 1 || at === word.length - 1 || !words.includes(word.slice(0, at)))
      return `must go on with words such as small=<model>; ${word} is none of ${words.join(', ')}`;
    settings.set(word.slice(0, at), word.slice(at + 1));
  }
  const [url, key] = [settings.get('url') ?? null, settings.get('key') ?? null];
  const sizes = (['small', 'medium', 'large'] as const).flatMap((size) => {
    const model = settings.get(size);
    return model === undefined ? [] : [[size, model] as const];
  });
  if (sizes.length === 0) return 'must name a model: small=<model>, medium=<model> or large=<model>';
  if (url !== null && !isModelAddress(url)) return 'must have an http(s) address in url, without a name or a password';
  if (provider === 'openai_compatible' && url === null) return 'must have url=<address>: where the server is';
  return { provider, baseUrl: url, models: Object.fromEntries(sizes), key };
}

function isModelAddress(text: string): boolean {
  const url = URL.parse(text);
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.username === '' && url.password === '';
}

export const configOf = ({ provider, baseUrl, key }: PeerModelProvider, model: string): ModelConfig => ({
  provider,
  model,
  ...(baseUrl === null ? {} : { baseUrl }),
  ...(key === null ? {} : { key }),
});
