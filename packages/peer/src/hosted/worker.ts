// The one thread that serves all peers of a hub.

import { parentPort } from 'node:worker_threads';
import type { HubCalls, RegistryCalls } from './calls.ts';
import { PeerRegistry } from './peer-registry.ts';
import { ThreadCalls } from './thread-calls.ts';

let registry: PeerRegistry | undefined;
const started = (): PeerRegistry => {
  if (!registry) throw new Error('The peers are not started.');
  return registry;
};

const own: RegistryCalls = {
  start: async (settings) => {
    registry = new PeerRegistry(settings, hub);
    // One after the other, while calls are answered already.
    void registry.openAll();
  },
  call: async (owner, command, argument) => started().call(owner, command, argument),
  knows: async (memberId) => started().knows(memberId),
  close: async (memberId) => started().close(memberId),
  backup: async (memberId) => (await started().backup(memberId)) ?? null,
  restore: async (memberId, text) => started().restore(memberId, text),
  erase: async (memberId, address) => started().erase(memberId, { address }),
  stop: async () => {
    await registry?.stop();
    setImmediate(() => parentPort!.close());
  },
};

const { theirs: hub } = new ThreadCalls<HubCalls>(parentPort!, own);
