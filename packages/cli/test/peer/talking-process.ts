// A peer in a process of its own that sends numbered packets, and receives, until it is killed. It prints each number that the relay has stored.

import { type PacketRecord, LocalPeer, PeerLink } from '@parley/peer';
import { openNodeSocket, openPeerFolder } from '@parley/peer/node';

const [folder, to] = process.argv.slice(2) as [string, string];
const store = await openPeerFolder(folder, undefined);
const peer = await LocalPeer.open({ store, openSocket: openNodeSocket, now: Date.now });
const link = new PeerLink(peer, { onEvent: () => {}, random: Math.random, sleep: async () => {}, quietMs: 20 });
await link.exchange(async () => {
  const packets = (await store.list('packet', 0, 100_000)).map(({ value }) => value as PacketRecord);
  // One more than the last that was written, sent or not.
  for (let n = packets.filter(({ direction }) => direction === 'out').length + 1; ; n += 1) {
    const { key } = await peer.write(to, { type: 'context', context: { n } });
    await link.deliver(key);
    process.stdout.write(`${n}\n`);
  }
});
