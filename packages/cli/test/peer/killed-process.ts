// A peer in a process of its own whose person agrees to everything. It kills itself after its first commit of a negotiation, and once after
// each effect that no commit has recorded yet: `marks` holds the effects that it was killed after, `marks.steps` the packets whose commits
// it did not outlive. `transfer`: its person first offers the coordinator's role.

import { appendFileSync, readFileSync } from 'node:fs';
import { callsOf, Negotiations, LocalPeer, PeerLink, type PeerStore, type RecordChange, rulesBrain } from '@parley/peer';
import { folderCalendar } from '@parley/peer/calendar';
import { openNodeSocket, openPeerFolder } from '@parley/peer/node';
import { agree } from './agreeing-person.ts';

const [folder, marks, transfer] = process.argv.slice(2) as [string, string, string?];

/** Nothing runs after it. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

async function dieOnce(mark: string): Promise<void> {
  if (readFileSync(marks, 'utf8').split('\n').includes(mark)) return;
  appendFileSync(marks, `${mark}\n`);
  await die();
}

/** Packets that a commit stores, such as `received resolution_outcome confirmed from agent:ann@relay.example`. */
const stepsIn = (changes: readonly RecordChange[]): string[] =>
  changes.flatMap((change) => {
    if (!('put' in change) || change.put !== 'packet') return [];
    const { state, direction, peer, packet } = change.value as PacketRow;
    const status = packet.status === undefined ? [] : [packet.status];
    return [[state, packet.type, ...status, direction === 'in' ? 'from' : 'to', peer].join(' ')];
  });
interface PacketRow {
  state: string;
  direction: 'in' | 'out';
  peer: string;
  packet: { type: string; status?: string };
}

const opened = await openPeerFolder(folder, undefined);
const store: PeerStore = {
  get: (...args) => opened.get(...args),
  list: (...args) => opened.list(...args),
  close: () => opened.close(),
  commit: async (changes) => {
    await opened.commit(changes);
    const steps = stepsIn(changes);
    const isTransfer = steps.some((step) => step.includes(' coordinator_transfer '));
    const isStep = changes.some((change) => 'put' in change && (change.put === 'machine' || change.put === 'journal'));
    if (!isStep && !isTransfer) return;
    appendFileSync(`${marks}.steps`, steps.map((step) => `${step}\n`).join(''));
    await die();
  },
};
const peer = await LocalPeer.open({ store, openSocket: openNodeSocket, now: Date.now });
const calendar = folderCalendar(folder);
const negotiations = new Negotiations(peer, {
  calendar: {
    ...calendar,
    add: async (event, ...rest) => {
      await dieOnce(`before add ${event.uid}`);
      await calendar.add(event, ...rest);
      await dieOnce(`add ${event.uid}`);
    },
    remove: async (uid, ...rest) => {
      await calendar.remove(uid, ...rest);
      await dieOnce(`remove ${uid}`);
    },
  },
  fetch: async (url, init) => {
    const response = await fetch(url, init);
    await dieOnce(`call ${new Headers(init!.headers).get('idempotency-key')!}`);
    return response;
  },
  brain: rulesBrain,
  random: () => 0,
  zone: 'Europe/London',
});
const link = new PeerLink(peer, { onEvent: () => {}, random: Math.random, sleep: async () => {}, quietMs: 50 });
const commands = callsOf(
  link,
  (act) =>
    link.exchange(async () => {
      await negotiations.resume();
      return act();
    }),
  negotiations,
);
if (transfer !== undefined && !readFileSync(`${marks}.steps`, 'utf8').includes('coordinator_transfer offered'))
  await commands.transfer(JSON.parse(transfer) as Parameters<typeof commands.transfer>[0]);
await agree(commands);
await store.close();
