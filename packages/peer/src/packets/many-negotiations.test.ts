import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Packet } from '@parley/protocol/relay';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { openPeerFolder } from '../store/sqlite/peer-folder.ts';
import { draftPacket } from './drafts.ts';
import { putNegotiation, recordArrival } from './numbers.ts';
import { newEpoch, newNegotiation, newRemotePeer, type RemotePeer, putPeer, type SelfRecord } from './peer-records.ts';
import { answerSummary, draftSummary, peersToSummarise } from './summaries.ts';

const now = 1_800_000_000_000;
const minute = 60_000;
const self: SelfRecord = {
  name: 'ann',
  address: 'agent:ann@localhost',
  seed: '',
  epoch: newEpoch(1),
  relay: { url: '', name: '', key: '' },
  directory: null,
  displacedBy: null,
  takeover: null,
};
const people = Array.from({ length: 10 }, (_, n): RemotePeer => ({
  ...newRemotePeer(`agent:p${n}@localhost`, { key: 'k', epoch: newEpoch(1), trust: 'pinned' }),
  listedAt: now,
}));
const bob = people[0]!;
const threadOf = (n: number): string => `thr_${String(n).padStart(10, '0')}`;

/** So many negotiations that both sides have compared. `read` counts the records that were read since the last call. */
async function storeWith(negotiations: number): Promise<{ store: PeerStore; read: () => number }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-many-'));
  const stored = await openPeerFolder(folder, undefined);
  onTestFinished(async () => {
    await stored.close();
    rmSync(folder, { recursive: true });
  });
  const changes: RecordChange[] = people.map(putPeer);
  for (let n = 0; n < negotiations; n += 1) {
    const { address } = people[n % people.length]!;
    const known = { ...newNegotiation(address, threadOf(n), now), sent: { 1: 1 }, at: now - n, summarisedAt: now };
    changes.push(...putNegotiation(known, n < people.length ? { isLatest: true } : {}));
  }
  await stored.commit(changes);
  let count = 0;
  const store: PeerStore = {
    ...stored,
    get: async (kind, key) => {
      count += 1;
      return stored.get(kind, key);
    },
    list: async (kind, after, most) => {
      const page = await stored.list(kind, after, most);
      count += page.length;
      return page;
    },
  };
  const read = (): number => {
    const reads = count;
    count = 0;
    return reads;
  };
  return { store, read };
}

const arrived = (number: number): Packet =>
  ({ packet_id: `pkt_${number}0000000`, from: bob.address, thread_id: threadOf(0), sequence: { epoch: 1, number } }) as unknown as Packet;

/** What each act reads, in this order. */
async function readsWith(negotiations: number): Promise<Record<string, number>> {
  const { store, read } = await storeWith(negotiations);
  const reads: Record<string, number> = {};
  const note = (act: string): void => void (reads[act] = read());
  expect(await peersToSummarise(store, true, now + minute)).toEqual([]);
  note('nothing is due');
  const { packet } = await draftPacket(store, self, bob, { type: 'context', context: { n: 1 } }, now + minute);
  expect(packet.thread_id).toBe(threadOf(0));
  note('a packet is written');
  await store.commit(await recordArrival(store, arrived(2), { hash: new Uint8Array(1), isRepeated: false }, now + minute));
  note('a packet comes, and shows a gap');
  const due = await peersToSummarise(store, false, now + 2 * minute);
  expect(due).toMatchObject([{ address: bob.address }]);
  note('one is due');
  const summary = await draftSummary(store, self, bob, now + 2 * minute);
  const row = summary.find((change) => 'put' in change && change.put === 'outbox') as { value: { text: string } };
  expect(JSON.parse(row.value.text)).toMatchObject({ summary: { threads: [{ thread_id: threadOf(0) }], partial: true } });
  note('a summary is written');
  await store.commit(summary);
  read();
  const theirs = { thread_id: threadOf(0), sent: [{ epoch: 1, number: 2 }], received: [], withdrawn: [] };
  const answered = { ...arrived(3), summary: { threads: [theirs], partial: true, answer: false } } as unknown as Packet;
  expect(await answerSummary(store, self, bob, answered, now + 3 * minute)).not.toEqual([]);
  note('a summary is answered');
  return reads;
}

test('[A2C-7] what sending, receiving and comparing read does not grow with the number of negotiations', async () => {
  const [few, some, many] = [await readsWith(10), await readsWith(100), await readsWith(1000)];
  expect(some).toEqual(few);
  expect(many).toEqual(few);
  expect(Math.max(...Object.values(many))).toBeLessThan(20);
});

test('[A2C-7] once a day a summary names all negotiations with a peer, so that a lost summary leaves no gap for ever', async () => {
  const { store } = await storeWith(100);
  const summary = await draftSummary(store, self, bob, now + 25 * 60 * minute);
  const row = summary.find((change) => 'put' in change && change.put === 'outbox') as { value: { text: string } };
  const { threads, partial } = (JSON.parse(row.value.text) as { summary: { threads: unknown[]; partial: boolean } }).summary;
  expect([threads.length, partial]).toEqual([10, false]);
  expect(summary).toContainEqual(putPeer({ ...bob, listedAt: now + 25 * 60 * minute }));
});
