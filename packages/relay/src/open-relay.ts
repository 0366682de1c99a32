// A relay over its data: a folder, for one process at a time, or NATS servers, for several.

import { addressParts } from '@parley/protocol/relay';
import type { Logger } from 'pino';
import { type RelayConfig, RelayConfigError } from './config.ts';
import { lockRelayFolder, openRelayFolder, relayKeyIn } from './data-folder.ts';
import type { FederationSettings } from './federation/federation.ts';
import { type NameKeeper, Relay } from './relay.ts';
import type { RelayKey } from './signatures.ts';
import type { RelayStore } from './store/port.ts';

/** Tests replace the network with these. */
export type NetworkSettings = Pick<FederationSettings, 'lookup' | 'dial' | 'backoff'>;

interface RelayData {
  key: RelayKey;
  store: RelayStore;
  release: () => Promise<void>;
}

/** Closing the relay also releases its data. */
export async function openRelay(
  config: RelayConfig,
  log: Logger,
  now: () => number = Date.now,
  network: NetworkSettings = {},
  isKept?: NameKeeper,
): Promise<Relay> {
  const { key, store, release } = await openData(config, log);
  try {
    const name = await relayNameIn(store, config);
    if (config.federation && !config.federation.isPrivate) mustBeDomain(name);
    await mustAgree(store, { name, key: key.public }, config);
    const { bounds, limits } = config;
    const federation = config.federation && { ...config.federation, isPlain: isPlain(config), ...network };
    return await Relay.open({ name, key, store, release, log, bounds, limits, now, federation, isKept });
  } catch (error) {
    await release();
    throw error;
  }
}

async function openData(config: RelayConfig, log: Logger): Promise<RelayData> {
  if (config.nats) {
    const key = relayKeyIn(config.dataDir);
    const store = await openRelayStore(config, log);
    return { key, store, release: () => store.close() };
  }
  const unlock = lockRelayFolder(config.dataDir);
  try {
    const { key, store } = openRelayFolder(config.dataDir);
    return { key, store, release: () => store.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Opens the store, also beside a running relay. */
export async function openRelayStore({ nats, dataDir }: Pick<RelayConfig, 'nats' | 'dataDir'>, log: Logger): Promise<RelayStore> {
  if (!nats) return openRelayFolder(dataDir).store;
  // Most relays need neither the library nor its time to load.
  const { openNatsStore } = await import('./store/nats/store.ts');
  return openNatsStore({ ...nats, log });
}

/** A relay with TLS speaks it with others too, also on a private network. */
const isPlain = ({ federation, tls, pageUrl }: RelayConfig): boolean =>
  federation?.isPrivate === true && !tls && pageUrl?.startsWith('https:') !== true;

/** Other relays find this one by its name. */
function mustBeDomain(name: string): void {
  if (/^[^:]*\.[^:.]*[a-z]/.test(name) && !/(?:^|\.)localhost(?::|$)/.test(name)) return;
  throw new RelayConfigError(
    `PARLEY_RELAY_FEDERATION needs a domain by which other relays find this one, not ${name}. Set PARLEY_RELAY_NAME, or PARLEY_RELAY_FEDERATION_PRIVATE=1 to try it out.`,
  );
}

/** Clients pin name and key, so all processes over one store must have the same ones. */
async function mustAgree(store: RelayStore, own: { name: string; key: string }, { dataDir }: RelayConfig): Promise<void> {
  const agreed = (await store.others?.agreeOn(own)) ?? own;
  if (agreed.key !== own.key)
    throw new RelayConfigError(
      `The relay's other processes have another key than ${dataDir}/relay.key. Copy relay.key from one of them into PARLEY_RELAY_DATA.`,
    );
  if (agreed.name !== own.name)
    throw new RelayConfigError(
      `PARLEY_RELAY_NAME is ${own.name}, but the relay's other processes are named ${agreed.name}. Use that name.`,
    );
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
