// A peer in a process of its own that kills itself before or after it wrote the event of a confirmed proposal.

import { Negotiations, LocalPeer, PeerLink, rulesBrain } from '@parley/peer';
import { folderCalendar } from '@parley/peer/calendar';
import { openNodeSocket, openPeerFolder } from '@parley/peer/node';

const [folder, when] = process.argv.slice(2) as [string, 'before' | 'after'];
const peer = await LocalPeer.open({ store: await openPeerFolder(folder, undefined), openSocket: openNodeSocket, now: Date.now });
const calendar = folderCalendar(folder);
const negotiations = new Negotiations(peer, {
  calendar: {
    ...calendar,
    add: async (...args) => {
      if (when === 'after') await calendar.add(...args);
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => {});
    },
  },
  brain: rulesBrain,
  random: Math.random,
  zone: 'Europe/London',
});
const link = new PeerLink(peer, { onEvent: () => {}, random: Math.random, sleep: async () => {}, quietMs: 100 });
await link.exchange(async () => void (await negotiations.resume()));
