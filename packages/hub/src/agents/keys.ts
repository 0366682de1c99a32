// The keys that agents are run with, by name. They are looked up when they are used, and kept nowhere else.

import type { Store } from '../store/port.ts';

/** As the providers' own tools call them. */
const usual: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' };

export function keyFor(_store: Store, name: string): Promise<string | undefined> {
  const own = Object.hasOwn(usual, name) ? usual[name]! : undefined;
  const found = process.env[`PARLEY_SECRET_${name.toUpperCase()}`] ?? (own === undefined ? undefined : process.env[own]);
  return Promise.resolve(found === '' ? undefined : found);
}
