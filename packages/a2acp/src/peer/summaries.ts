// Two peers say what they sent and received, so that a gap is noticed and filled (A2C-7). One summary covers all their negotiations.

import { type Packet, type ReceivedNumbers, type ThreadState } from '@parley/protocol/relay';
import { mostTextBytes } from '../seal/sealed-body.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { draftAgain, headOf } from './drafts.ts';
import { hasGap, hasNumber } from './numbers.ts';
import {
  allRecords,
  getRecord,
  type NegotiationRecord,
  negotiationKey,
  newId,
  type OutboxRecord,
  type PeerRecord,
  putPeer,
  type SelfRecord,
  sentKey,
} from './records.ts';

const mostThreads = 200;
const mostRefills = 100;
/** A gap that nobody has filled is mentioned again after this time. */
const repeatMs = 3_600_000;

async function negotiationsWith(store: PeerStore, address: string): Promise<NegotiationRecord[]> {
  const all: NegotiationRecord[] = [];
  for await (const { value } of allRecords(store, 'negotiation')) if (value.peer === address) all.push(value);
  return all.toSorted((a, b) => b.at - a.at).slice(0, mostThreads);
}

/** Whether this peer should say again what it has. `isReconnected`: the line was gone, so the last packets may be lost. */
export async function owesSummary(store: PeerStore, peer: PeerRecord, isReconnected: boolean, now: number): Promise<boolean> {
  if (peer.key === null || peer.alarm) return false;
  if (peer.owesSummary) return true;
  return (await negotiationsWith(store, peer.address)).some(({ at, summarisedAt, received }) => {
    const isDue = at > summarisedAt || now - summarisedAt > repeatMs;
    return hasGap(received) ? isDue : isReconnected && at > summarisedAt;
  });
}

export async function draftSummary(
  store: PeerStore,
  self: SelfRecord,
  peer: PeerRecord,
  isAnswer: boolean,
  now: number,
): Promise<RecordChange[]> {
  for await (const { value } of allRecords(store, 'outbox')) if (value.to === peer.address && value.history === null) return [];
  const negotiations = await negotiationsWith(store, peer.address);
  const threads = negotiations.map(({ threadId, sent, received }): ThreadState => ({
    thread_id: threadId,
    sent: Object.entries(sent).map(([epoch, number]) => ({ epoch: Number(epoch), number })),
    received,
  }));
  const threadId = negotiations[0]?.threadId ?? newId('thr');
  const packet = { ...headOf(self, peer, threadId, 'thread_summary', now), summary: { threads, answer: isAnswer } };
  // The oldest are left out where not all fit; it is ASCII, so letters are bytes.
  while (JSON.stringify(packet).length > mostTextBytes) threads.length = Math.floor(threads.length / 2);
  const row: OutboxRecord = { to: peer.address, history: null, threadId, text: JSON.stringify(packet), sealed: null };
  return [
    { put: 'outbox', key: packet.packet_id, value: row },
    putPeer({ ...peer, owesSummary: false }),
    ...negotiations.map((one): RecordChange => ({
      put: 'negotiation',
      key: negotiationKey(peer.address, one.threadId),
      value: { ...one, summarisedAt: now },
    })),
  ];
}

/** What a summary asks for: packets of ours that did not arrive, and a summary of ours where theirs shows a gap here. */
export async function answerSummary(
  store: PeerStore,
  self: SelfRecord,
  peer: PeerRecord,
  packet: Packet,
  now: number,
): Promise<RecordChange[]> {
  const { summary } = packet;
  if (!summary) return [];
  const theirs = new Map(summary.threads.map((thread) => [thread.thread_id, thread]));
  const changes: RecordChange[] = [];
  for (const negotiation of await negotiationsWith(store, peer.address)) {
    const listed = theirs.get(negotiation.threadId);
    if (!listed && summary.threads.length >= mostThreads) continue;
    changes.push(...(await refill(store, negotiation, listed?.received ?? [], mostRefills - changes.length)));
  }
  if (summary.answer || !(await lacksSome(store, peer.address, summary.threads))) return changes;
  return [...changes, ...(await draftSummary(store, self, peer, true, now))];
}

async function refill(
  store: PeerStore,
  { peer, threadId, sent }: NegotiationRecord,
  received: readonly ReceivedNumbers[],
  most: number,
): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  for (const [epoch, last] of Object.entries(sent))
    for (let number = 1; number <= last && changes.length < most; number += 1) {
      if (hasNumber(received, Number(epoch), number)) continue;
      const key = sentKey(peer, threadId, Number(epoch), number);
      const record = await getRecord(store, 'packet', key);
      const change = record && (await draftAgain(store, record.value, key));
      if (change) changes.push(change);
    }
  return changes;
}

async function lacksSome(store: PeerStore, address: string, threads: readonly ThreadState[]): Promise<boolean> {
  for (const { thread_id: threadId, sent } of threads) {
    const ours = await getRecord(store, 'negotiation', negotiationKey(address, threadId));
    const received = ours?.value.received ?? [];
    const isComplete = ({ epoch, number }: { epoch: number; number: number }): boolean =>
      received.some((one) => one.epoch === epoch && one.through >= number);
    if (!sent.every(isComplete)) return true;
  }
  return false;
}
