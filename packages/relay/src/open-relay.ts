// A relay over its folder, for one process at a time.

import { addressParts } from '@parley/protocol/relay';
import type { Logger } from 'pino';
import { type RelayConfig, RelayConfigError } from './config.ts';
import { lockRelayFolder, openRelayFolder } from './data-folder.ts';
import { Relay } from './relay.ts';
import type { RelayStore } from './store/port.ts';

/** Closing the relay also releases its folder. */
export async function openRelay(config: RelayConfig, log: Logger, now: () => number = Date.now): Promise<Relay> {
  const unlock = lockRelayFolder(config.dataDir);
  try {
    const { key, store } = openRelayFolder(config.dataDir);
    const release = (): Promise<void> => store.close().finally(unlock);
    try {
      const { bounds, limits } = config;
      return await Relay.open({ name: await relayNameIn(store, config), key, store, release, log, bounds, limits, now });
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw error;
  }
}

/** People pin the name that they registered under, so a relay keeps it. */
export async function relayNameIn(store: RelayStore, { name, fallbackName }: Pick<RelayConfig, 'name' | 'fallbackName'>): Promise<string> {
  const address = await store.anyAddress();
  const pinned = address === undefined ? undefined : addressParts(address).relay;
  if (pinned !== undefined && name !== undefined && name !== pinned)
    throw new RelayConfigError(
      `PARLEY_RELAY_NAME is ${name}, but people registered here under ${pinned}. Keep that name, or start with an empty folder.`,
    );
  return name ?? pinned ?? fallbackName;
}
