// Two peers say what they sent and received, so that a gap is noticed and filled (A2C-7). One summary covers several negotiations.

import { mostNumberedEpochs, mostSummaryThreads, type Packet, type NumberRanges, type ThreadState } from '@parley/protocol/relay';
import { mostTextBytes } from '../seal/sealed-body.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { draftAgain, headOf } from './drafts.ts';
import { hasGap, hasMoved, hasNumber, isComplete, putNegotiation, withRanges } from './numbers.ts';
import {
  allRecords,
  getRecord,
  getValue,
  type NegotiationRecord,
  negotiationKey,
  newId,
  newNegotiation,
  type OutboxRecord,
  type RemotePeer,
  putPeer,
  type SelfRecord,
  sentKey,
  valuesOf,
} from './peer-records.ts';

const minute = 60_000;
/** A gap that does not close is mentioned again after this time. */
const quietMs = 60 * minute;
/** A summary may be lost like any packet, so that one names everything now and then. */
const listAgainMs = 24 * 60 * minute;
/** Frames a minute that answer the summaries of one peer, so that nobody makes another send without end. */
const mostAnswers = 100;

const negotiationsWith = (store: PeerStore, address: string): Promise<NegotiationRecord[]> =>
  valuesOf(store, 'negotiation', ({ peer }) => peer === address);

/** Those that are known here. */
async function negotiationsNamed(store: PeerStore, address: string, threadIds: readonly string[]): Promise<NegotiationRecord[]> {
  const found = await Promise.all(threadIds.map((id) => getRecord(store, 'negotiation', negotiationKey(address, id))));
  return found.flatMap((one) => (one ? [one.value] : []));
}

/** Negotiations whose numbers are to be compared, of all peers. */
async function openNegotiations(store: PeerStore): Promise<NegotiationRecord[]> {
  const open: NegotiationRecord[] = [];
  for await (const { key } of allRecords(store, 'open_numbers')) {
    const negotiation = await getValue(store, 'negotiation', key);
    if (negotiation) open.push(negotiation);
  }
  return open;
}

/** Those first that moved since the last summary, then the latest first. */
const inOrder = (all: readonly NegotiationRecord[]): NegotiationRecord[] =>
  all.toSorted((a, b) => Number(hasMoved(b)) - Number(hasMoved(a)) || b.at - a.at);

/** `isReconnected`: the line was gone, so the last packets may be lost. */
function isDue(negotiation: NegotiationRecord, isReconnected: boolean, now: number): boolean {
  // Nothing that follows will show that the last packet is lost.
  if (!hasGap(negotiation.received)) return hasMoved(negotiation) && (isReconnected || now - negotiation.at >= minute);
  const { summarisedAt } = negotiation;
  // A time to come was written by a clock that was ahead.
  const age = summarisedAt > now ? Infinity : now - summarisedAt;
  return age >= quietMs || (hasMoved(negotiation) && age >= minute);
}

/** The peers that should get a summary now. */
export async function peersToSummarise(store: PeerStore, isReconnected: boolean, now: number): Promise<RemotePeer[]> {
  const due = new Set<string>();
  for (const one of await openNegotiations(store)) if (isDue(one, isReconnected, now)) due.add(one.peer);
  const isReachable = ({ key, alarm, block }: RemotePeer): boolean => key !== null && !alarm && !block?.isOn;
  return valuesOf(store, 'peer', (peer) => isReachable(peer) && (peer.owesSummary || due.has(peer.address)));
}

/** Names all negotiations once a day and to a peer that may lack everything, else those that are open. */
export async function draftSummary(store: PeerStore, self: SelfRecord, peer: RemotePeer, now: number): Promise<RecordChange[]> {
  const { address, owesSummary, listedAt = 0 } = peer;
  if (owesSummary || Math.abs(now - listedAt) >= listAgainMs)
    return draftSummaryOf(store, self, { ...peer, listedAt: now }, now, inOrder(await negotiationsWith(store, address)));
  const open = inOrder((await openNegotiations(store)).filter((one) => one.peer === address));
  const named = open.slice(0, mostSummaryThreads).map(({ threadId }) => threadId);
  return draftSummaryOf(store, self, peer, now, open, { named, answers: false });
}

/** `only`: it names these negotiations, also those that are not known here. */
async function draftSummaryOf(
  store: PeerStore,
  self: SelfRecord,
  peer: RemotePeer,
  now: number,
  all: readonly NegotiationRecord[],
  only?: { named: readonly string[]; answers: boolean },
): Promise<RecordChange[]> {
  for await (const { value } of allRecords(store, 'outbox'))
    if (value.to === peer.address && value.history === null) return [putPeer(peer)];
  const chosen = only?.named.map((id) => all.find(({ threadId }) => threadId === id) ?? newNegotiation(peer.address, id, 0)) ?? all;
  const threadId = chosen[0]?.threadId ?? newId('thr');
  const head = headOf(self, peer, threadId, 'thread_summary', now);
  let named = chosen.slice(0, mostSummaryThreads);
  const textOf = (): string => {
    const partial = only !== undefined || named.length < all.length;
    return JSON.stringify({ ...head, summary: { threads: named.map(stateOf), partial, answer: only?.answers ?? false } });
  };
  // It is ASCII, so letters are bytes.
  while (textOf().length > mostTextBytes) named = named.slice(0, Math.floor(named.length / 2));
  const row: OutboxRecord = { to: peer.address, history: null, threadId, text: textOf(), sealed: null };
  return [
    { put: 'outbox', key: head.packet_id, value: row },
    putPeer({ ...peer, owesSummary: false }),
    ...named.flatMap((one): RecordChange[] => {
      return all.includes(one) ? putNegotiation({ ...one, summarisedAt: now }) : [];
    }),
  ];
}

const stateOf = ({ threadId, sent, received, withdrawn }: NegotiationRecord): ThreadState => ({
  thread_id: threadId,
  sent: Object.entries(sent)
    .map(([epoch, number]) => ({ epoch: Number(epoch), number }))
    .slice(-mostNumberedEpochs),
  received,
  withdrawn,
});

/** What a summary asks for: packets of ours that did not arrive, and a summary of ours where theirs shows a gap here. */
export async function answerSummary(
  store: PeerStore,
  self: SelfRecord,
  peer: RemotePeer,
  packet: Packet,
  now: number,
): Promise<RecordChange[]> {
  const { summary } = packet;
  if (!summary) return [];
  const theirs = new Map(summary.threads.map((thread) => [thread.thread_id, thread]));
  const known = inOrder(
    summary.partial ? await negotiationsNamed(store, peer.address, [...theirs.keys()]) : await negotiationsWith(store, peer.address),
  );
  const ours = known.map((one) => withWithdrawn(one, theirs.get(one.threadId)));
  const noted = ours.filter((one) => !known.includes(one)).flatMap((one) => putNegotiation(one));
  const { since, frames } = recentAnswers(peer, now);
  const room = mostAnswers - frames;
  // A summary of ours makes them ask again, once there is room.
  if (room <= 0) return [...noted, putPeer({ ...peer, owesSummary: true })];
  const changes: RecordChange[] = [];
  for (const negotiation of ours) {
    const listed = theirs.get(negotiation.threadId);
    if (!listed && summary.partial) continue;
    changes.push(...(await refill(store, negotiation, listed?.received ?? [], room - changes.length)));
  }
  const lacking = summary.answer ? [] : lackingThreads(ours, summary.threads);
  const isFull = changes.length === room;
  const isAnswered = lacking.length > 0 && !isFull;
  if (changes.length === 0 && !isAnswered) return noted;
  const answers = { since, frames: frames + changes.length + Number(isAnswered) };
  const next: RemotePeer = { ...peer, owesSummary: peer.owesSummary || isFull, answers };
  return [
    ...noted,
    ...changes,
    ...(isAnswered ? await draftSummaryOf(store, self, next, now, ours, { named: lacking, answers: true }) : [putPeer(next)]),
  ];
}

function recentAnswers({ answers }: RemotePeer, now: number): { since: number; frames: number } {
  return answers && Math.abs(now - answers.since) < minute ? answers : { since: now, frames: 0 };
}

async function refill(
  store: PeerStore,
  { peer, threadId, sent, withdrawn }: NegotiationRecord,
  received: readonly NumberRanges[],
  most: number,
): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  for (const [epoch, last] of Object.entries(sent))
    for (let number = 1; number <= last && changes.length < most; number += 1) {
      if (hasNumber(received, Number(epoch), number) || hasNumber(withdrawn, Number(epoch), number)) continue;
      const key = sentKey(peer, threadId, Number(epoch), number);
      const record = await getRecord(store, 'packet', key);
      const change = record && (await draftAgain(store, record.value, key));
      if (change) changes.push(change);
    }
  return changes;
}

/** The negotiations in which they sent something that is not here, or wait for something that will not come. */
function lackingThreads(all: readonly NegotiationRecord[], threads: readonly ThreadState[]): string[] {
  const lacking = new Set<string>();
  const byThread = new Map(all.map((one) => [one.threadId, one]));
  for (const { thread_id: threadId, sent, received: theirs } of threads) {
    const ours = byThread.get(threadId);
    const withdrawn = ours?.withdrawn.flatMap(({ epoch, ranges }) => ranges.flat().map((number) => ({ epoch, number }))) ?? [];
    const hasAll = sent.every((one) => isComplete(ours?.received ?? [], one));
    if (!hasAll || withdrawn.some(({ epoch, number }) => !hasNumber(theirs, epoch, number))) lacking.add(threadId);
  }
  return [...lacking];
}

/** Packets that their sender gave up count as received, so that they are no gap for ever. */
const withWithdrawn = (negotiation: NegotiationRecord, theirs: ThreadState | undefined): NegotiationRecord =>
  theirs && theirs.withdrawn.length > 0 ? { ...negotiation, received: withRanges(negotiation.received, theirs.withdrawn) } : negotiation;
