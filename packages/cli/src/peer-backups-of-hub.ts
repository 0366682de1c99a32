// The peers of a hub's people, for `parley backup`: from the running hub, or from their folders if no hub runs.

import { openRunning } from './hub-access.ts';
import type { Settings } from './settings.ts';

type PeerOf = (memberId: string) => Promise<string | undefined>;
interface PeerSource {
  peerOf: PeerOf;
  close(): Promise<void>;
}

async function openSource(settings: Settings): Promise<PeerSource> {
  const hub = await openRunning(settings);
  if (hub)
    return {
      peerOf: async (memberId) => (await hub.call('backUpPeer', { params: { memberId } })).backup ?? undefined,
      close: () => hub.close(),
    };
  const { relayAndPeers } = await import('./hub-peers.ts');
  const { peers } = await relayAndPeers(settings.env, await settings.config());
  const ignore = () => Promise.resolve();
  // Nobody listens on this port, so no peer connects to a relay.
  await peers.start({
    port: 9,
    events: { made: ignore, changed: ignore, alarms: ignore, space: ignore, sharing: ignore },
    isActive: () => Promise.resolve(false),
    memberAt: () => Promise.resolve(null),
    toolsOf: () => Promise.resolve([]),
    callTool: ignore,
    post: ignore,
    takeBackPost: ignore,
    models: null,
    askModel: () => Promise.resolve({ failed: 'No peer thinks while it is backed up' }),
    restarted: ignore,
  });
  return { peerOf: (memberId) => peers.backup(memberId), close: () => peers.stop() };
}

/** Opens the source with the first peer: most hubs have none, and their backup needs no other process. */
export async function withPeerBackups<T>(settings: Settings, work: (peerOf: PeerOf) => Promise<T>): Promise<T> {
  let source: PeerSource | undefined;
  try {
    return await work(async (memberId) => (source ??= await openSource(settings)).peerOf(memberId));
  } finally {
    await source?.close();
  }
}
