// The one thread that serves all peers of a hub.

import { parentPort } from 'node:worker_threads';
import type { RegistryCalls, HubCalls, HubLine } from './calls.ts';
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

const calls = new ThreadCalls<HubCalls>(parentPort!, own);
const hub: HubLine = {
  invite: () => calls.call('invite'),
  forgetAddress: (address) => calls.call('forgetAddress', address),
  isActive: (memberId) => calls.call('isActive', memberId),
  memberAt: (address) => calls.call('memberAt', address),
  fetch: (request) => calls.call('fetch', request),
  toolsOf: (memberId) => calls.call('toolsOf', memberId),
  callTool: (...args) => calls.call('callTool', ...args),
  post: (...args) => calls.call('post', ...args),
  takeBackPost: (...args) => calls.call('takeBackPost', ...args),
  askModel: (...args) => calls.call('askModel', ...args),
  log: (problem) => calls.call('log', problem),
  made: (...args) => calls.call('made', ...args),
  changed: (...args) => calls.call('changed', ...args),
  space: (...args) => calls.call('space', ...args),
  alarms: (...args) => calls.call('alarms', ...args),
  sharing: (...args) => calls.call('sharing', ...args),
};
