// The relay on the hub's own port, so that two people of one hub need no other.

import { join } from 'node:path';
import type { MountService } from '@parley/hub';
import { RelayName } from '@parley/protocol/relay';
import { inviteTo, type MountedRelay, mountRelay, readRelayConfig, RelayConfigError } from '@parley/relay';
import { withOptionNames } from './settings.ts';

type Environment = Record<string, string | undefined>;

export const relayPath = '/relay';

export const mountedRelayFolder = (dataDir: string): string => join(dataDir, 'relay');

/** The hub's domain, if it can be part of an address. */
export function mountedRelayName(publicUrl: string | undefined): string {
  const host = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.host;
  return RelayName.safeParse(host).data ?? 'localhost';
}

/** The relay's address for people outside; undefined if only this machine reaches the hub. */
export const mountedRelayUrl = (publicUrl: string | undefined): string | undefined =>
  publicUrl && `${publicUrl.replace(/^http/, 'ws')}${relayPath}`;

type InvitingRelay = MountedRelay & {
  /** Makes a code that registers one name. */
  invite: () => Promise<string>;
};

/** Peers use a code at once, so the oldest of many is useless. */
const mostOwnCodes = 1000;

/** Undefined if the relay is switched off. */
export function relayToMount(env: Environment): ((...settings: Parameters<MountService>) => Promise<InvitingRelay>) | undefined {
  const config = relayConfigFrom(env);
  if (!config.isMounted) return undefined;
  // Codes for the hub's own people: their peers may take names that the relay refuses to others.
  const ownCodes = new Set<string>();
  return async ({ dataDir, publicUrl, trustProxy }, logger, hub) => {
    const mounted = await mountRelay(
      relayPath,
      {
        ...config,
        dataDir: mountedRelayFolder(dataDir),
        fallbackName: mountedRelayName(publicUrl),
        pageUrl: config.pageUrl ?? (publicUrl && `${publicUrl}${relayPath}`),
        trustProxy,
      },
      logger.child({ part: 'relay' }),
      async (name, codeHash) => !ownCodes.has(codeHash) && hub.hasName(name),
    );
    const invite = async (): Promise<string> => {
      const { code, codeHash } = await inviteTo(mounted.relay.store, Date.now());
      if (ownCodes.size >= mostOwnCodes) ownCodes.delete(ownCodes.values().next().value!);
      ownCodes.add(codeHash);
      return code;
    };
    return { ...mounted, invite };
  };
}

/** Reads the relay's settings. `flags`: the options that were given, by variable. */
export function relayConfigFrom(env: Environment, flags: Readonly<Record<string, string>> = {}): ReturnType<typeof readRelayConfig> {
  try {
    return readRelayConfig(env);
  } catch (error) {
    throw relaySettingError(flags, error as Error);
  }
}

export const relaySettingError = (flags: Readonly<Record<string, string>>, error: Error): Error =>
  error instanceof RelayConfigError ? withOptionNames(flags, error) : error;
