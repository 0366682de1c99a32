// Secrets by name. What is configured holds only names; the values are asked for when they are needed.

import type { Store } from '../store/port.ts';

/** From the environment. The hub's own settings are nobody's secrets to pass on. */
export function keyFor(_store: Store, name: string): Promise<string | undefined> {
  return Promise.resolve(name.startsWith('PARLEY_') ? undefined : process.env[name]);
}
