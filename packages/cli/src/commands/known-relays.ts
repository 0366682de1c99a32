// Other relays that a relay has met, and the operator's word on a key that changed. Both work while the relay runs (A2C-10).

import { openRelayStore, type RelayStore } from '@parley/relay';
import { pino } from 'pino';
import { CliError } from '../exit.ts';
import { relayConfigFrom } from '../mounted-relay.ts';
import type { Output } from '../output.ts';
import { me } from '../program-name.ts';
import type { Settings } from '../settings.ts';
import { existingRelay, readFlags, type RelayFlags, whyNot } from './relay.ts';

async function withStore<T>(settings: Settings, options: RelayFlags, act: (store: RelayStore) => Promise<T>): Promise<T> {
  const { env, named } = readFlags(options);
  const config = existingRelay(settings, options, relayConfigFrom({ ...settings.env, ...env }, named));
  const store = await openRelayStore(config, pino({ level: 'silent' })).catch((error: unknown) => {
    throw whyNot(error as Error, config);
  });
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

export async function listRelays(settings: Settings, options: RelayFlags, output: Output): Promise<void> {
  const relays = await withStore(settings, options, (store) => store.knownRelays());
  const lines = relays.map(({ name, key, metAt, changedKey, changedAt }) =>
    changedKey === null
      ? `${name}  trusted since ${day(metAt)}  ${key}`
      : `${name}  stopped since ${day(changedAt!)}: it shows the key ${changedKey} instead of ${key}. Compare it with its operator, then: ${me} relay accept ${name} ${changedKey}`,
  );
  output.result({ relays }, lines.length > 0 ? lines.join('\n') : 'This relay has met no other one.');
}

/** The key is given too, so that nobody accepts one that came after the comparison. */
export async function acceptRelay(settings: Settings, name: string, key: string, options: RelayFlags, output: Output): Promise<void> {
  const known = await withStore(settings, options, async (store) =>
    (await store.acceptRelayKey(name, key)) ? undefined : ((await store.knownRelay(name)) ?? 'unknown'),
  );
  if (known === undefined) return output.result({ name, key }, `${name} is trusted with the key ${key}. Its line opens within a minute.`);
  if (known === 'unknown')
    throw new CliError('not_found', `This relay has not met ${name}.`, { hint: `${me} relay others shows the others.` });
  const hint = known.changedKey === null ? 'There is nothing to accept.' : `The key that it shows is ${known.changedKey}.`;
  throw new CliError('failed', `${name} does not show the key ${key}.`, { hint });
}
