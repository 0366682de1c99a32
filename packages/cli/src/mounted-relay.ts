// The relay on the hub's own port: two people of one hub need no other.

import { join } from 'node:path';
import type { MountService } from '@parley/hub';
import { RelayName } from '@parley/protocol/relay';
import { inviteTo, type MountedRelay, mountRelay, readRelayConfig, RelayConfigError } from '@parley/relay';
import { CliError } from './exit.ts';

type Environment = Record<string, string | undefined>;

export const relayPath = '/relay';

export const mountedRelayFolder = (dataDir: string): string => join(dataDir, 'relay');

/** The hub's domain, where it has one that can be part of an address. */
export function mountedRelayName(publicUrl: string | undefined): string {
  const host = publicUrl === undefined ? undefined : URL.parse(publicUrl)?.host;
  return RelayName.safeParse(host).data ?? 'localhost';
}

/** As people outside reach it; undefined: only this machine does. */
export const mountedRelayUrl = (publicUrl: string | undefined): string | undefined =>
  publicUrl && `${publicUrl.replace(/^http/, 'ws')}${relayPath}`;

/** A code that registers one name. */
type InvitingRelay = MountedRelay & { invite: () => Promise<string> };

/** Each is used at once, or never. */
const mostOwnCodes = 1000;

/** Undefined: switched off. */
export function relayToMount(env: Environment): ((...settings: Parameters<MountService>) => Promise<InvitingRelay>) | undefined {
  const config = relayConfigFrom(env);
  if (!config.isMounted) return undefined;
  // Of the hub's own people: their peers take the names that nobody else gets.
  const own = new Set<string>();
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
      async (name, codeHash) => !own.has(codeHash) && hub.hasName(name),
    );
    const invite = async (): Promise<string> => {
      const { code, codeHash } = await inviteTo(mounted.relay.store, Date.now());
      if (own.size >= mostOwnCodes) own.delete(own.values().next().value!);
      own.add(codeHash);
      return code;
    };
    return { ...mounted, invite };
  };
}

/** In the words of the command line: `flags` names the variables that came from options. */
export function relayConfigFrom(env: Environment, flags: Readonly<Record<string, string>> = {}): ReturnType<typeof readRelayConfig> {
  try {
    return readRelayConfig(env);
  } catch (error) {
    throw inTermsOf(flags, error as Error);
  }
}

export function inTermsOf(flags: Readonly<Record<string, string>>, error: Error): Error {
  if (!(error instanceof RelayConfigError)) return error;
  const text = Object.entries(flags).reduce((said, [variable, flag]) => said.replaceAll(variable, flag), error.message);
  return new CliError('usage', text, { cause: error });
}
