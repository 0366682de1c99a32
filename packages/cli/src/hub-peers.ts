// The peers of the hub's people, on the relay that the hub carries on its port (ADR 0023).

import { join } from 'node:path';
import type { HostedPeers } from '@parley/peer/hosted';
import type { Config, MountService } from '@parley/hub';
import { peersFolder } from '@parley/hub/data-dir';
import { mountedRelayUrl, relayPath, relayToMount } from './mounted-relay.ts';

type Environment = Record<string, string | undefined>;

/** Reaches what a member may let the hub call. Members cannot change the hub's settings, so the refusal names whom to ask. */
export const peerFetch = ({ privateServices: allowed }: Config): typeof fetch => {
  let guarded: typeof fetch | undefined;
  return async (...request) => {
    const { outboundFetch, privateServices } = await import('@parley/hub');
    guarded ??= outboundFetch(privateServices(allowed));
    return guarded(...request).catch((error: Error) => {
      const { name } = error.cause instanceof Error ? error.cause : error;
      throw name === 'PrivateTarget' ? new Error('it is in the hub’s own network. Ask an admin of the hub to allow this server') : error;
    });
  };
};

/** The relay to mount, and the service whose peers register there. */
export async function relayAndPeers(env: Environment, config: Config): Promise<{ mount: MountService | undefined; peers: HostedPeers }> {
  const { HostedPeers: Host } = await import('@parley/peer/hosted');
  const mountRelay = relayToMount(env);
  let relay: Awaited<ReturnType<NonNullable<typeof mountRelay>>> | undefined;
  const running = (): NonNullable<typeof relay> => {
    if (!relay) throw new Error('The relay on the hub’s port did not start. Its log says why.');
    return relay;
  };
  let onProblem = (problem: string): void => void process.stderr.write(`${problem}\n`);
  const mount: MountService | undefined =
    mountRelay &&
    (async (settings, logger, hub) => {
      onProblem = (problem) => logger.warn({ part: 'peers' }, problem);
      return (relay = await mountRelay(settings, logger, hub));
    });
  const peers = new Host({
    folder: join(config.dataDir, peersFolder),
    relay: mount && {
      path: relayPath,
      key: () => relay?.relay.key.public,
      invite: async () => running().invite(),
      forgetAddress: async (address) => running().relay.remove(address),
    },
    publicRelayUrl: mountedRelayUrl(config.publicUrl),
    fetch: peerFetch(config),
    onProblem: (problem) => onProblem(problem),
  });
  return { mount, peers };
}
