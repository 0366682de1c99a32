// A peer in a process of its own that writes or takes updates of a space. It kills itself right before or right after its n-th commit,
// where the arguments say so; without them it does everything and ends.

import { Negotiations, LocalPeer, PeerLink, type PeerStore, rulesBrain } from '@parley/peer';
import { folderCalendar } from '@parley/peer/calendar';
import { openNodeSocket, openPeerFolder } from '@parley/peer/node';

const [folder, spaceId, field, value, moment, at] = process.argv.slice(2) as [string, string, string, string, string?, string?];
const kill = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

const opened = await openPeerFolder(folder, undefined);
let commits = 0;
const store: PeerStore = {
  get: (...args) => opened.get(...args),
  list: (...args) => opened.list(...args),
  close: () => opened.close(),
  commit: async (changes) => {
    commits += 1;
    const isNow = commits === Number(at);
    if (isNow && moment === 'before') await kill();
    await opened.commit(changes);
    if (isNow && moment === 'after') await kill();
  },
};
const peer = await LocalPeer.open({ store, openSocket: openNodeSocket, now: Date.now });
const negotiations = new Negotiations(peer, {
  calendar: folderCalendar(folder),
  brain: rulesBrain,
  fetch,
  random: () => 0,
  zone: 'Europe/London',
});
if (value !== '') await negotiations.spaces.write(spaceId, [{ field, value, words: 'own' }]);
const link = new PeerLink(peer, { onEvent: () => {}, random: Math.random, sleep: async () => {}, quietMs: 50 });
await link.exchange(async () => {});
await store.close();
