// Which of a peer's numbered packets have come. A gap shows what a relay has lost (A2C-7).

import {
  mostNumberedEpochs,
  mostNumberRanges,
  type Packet,
  type PacketNumber,
  type NumberRanges,
  toBase64Url,
} from '@parley/protocol/relay';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { getValue, type NegotiationRecord, negotiationKey, newNegotiation, type PacketRecord, receivedKey } from './peer-records.ts';

export const withNumber = (received: readonly NumberRanges[], { epoch, number }: PacketNumber): NumberRanges[] =>
  withRange(received, epoch, [number, number]);

/** The highest ranges and the oldest epochs go first where a sender that jumps about makes too many. */
function withRange(received: readonly NumberRanges[], epoch: number, range: NumberRange): NumberRanges[] {
  const known = received.find((one) => one.epoch === epoch)?.ranges ?? [];
  const [apart, touching] = [known.filter((one) => !touch(one, range)), known.filter((one) => touch(one, range))];
  const ends = [...range, ...touching.flat()];
  const ranges = [...apart, [Math.min(...ends), Math.max(...ends)] as NumberRange].toSorted(([a], [b]) => a - b);
  return [...received.filter((one) => one.epoch !== epoch), { epoch, ranges: ranges.slice(0, mostNumberRanges) }]
    .toSorted((a, b) => a.epoch - b.epoch)
    .slice(-mostNumberedEpochs);
}

type NumberRange = NumberRanges['ranges'][number];
const touch = ([first, last]: NumberRange, [from, to]: NumberRange): boolean => first <= to + 1 && from <= last + 1;

/** Numbers whose packets will never come count as if they had. */
export const withRanges = (received: readonly NumberRanges[], others: readonly NumberRanges[]): NumberRanges[] =>
  others.reduce((all, { epoch, ranges }) => ranges.reduce((sum, range) => withRange(sum, epoch, range), all), [...received]);

export const hasNumber = (received: readonly NumberRanges[], epoch: number, number: number): boolean =>
  received.some((one) => one.epoch === epoch && one.ranges.some(([first, last]) => first <= number && number <= last));

/** Whether all numbers of the epoch up to this one have come. */
export const isComplete = (received: readonly NumberRanges[], { epoch, number }: PacketNumber): boolean =>
  received.some(({ epoch: one, ranges: [range] }) => one === epoch && range?.[0] === 1 && range[1] >= number);

/** Whether the sender has numbers that are not here. */
export const hasGap = (received: readonly NumberRanges[]): boolean =>
  received.some(({ epoch, ranges }) => ranges.length > 0 && !isComplete(received, { epoch, number: ranges.at(-1)![1] }));

/** Whether a packet was sent or received since the peer last got a summary. */
export const hasMoved = ({ at, summarisedAt }: NegotiationRecord): boolean => at > summarisedAt;

/** With the marks by which it is found without reading all others. */
export function putNegotiation(
  negotiation: NegotiationRecord,
  { isLatest = false, ifVersion }: { isLatest?: boolean; ifVersion?: number } = {},
): RecordChange[] {
  const { peer, threadId, received } = negotiation;
  const key = negotiationKey(peer, threadId);
  const isOpen = hasMoved(negotiation) || hasGap(received);
  return [
    { put: 'negotiation', key, value: negotiation, ...(ifVersion === undefined ? {} : { ifVersion }) },
    isOpen ? { put: 'open_numbers', key, value: peer } : { remove: 'open_numbers', key },
    ...(isLatest ? [{ put: 'latest' as const, key: peer, value: threadId }] : []),
  ];
}

/** History and negotiation of a packet. Of a repeated one only the number counts, which may have been forgotten. */
export async function recordArrival(
  store: PeerStore,
  packet: Packet,
  { hash, isRepeated }: { hash: Uint8Array; isRepeated: boolean },
  now: number,
): Promise<RecordChange[]> {
  const { from, thread_id: threadId, sequence } = packet;
  const key = negotiationKey(from, threadId);
  const negotiation = (await getValue(store, 'negotiation', key)) ?? newNegotiation(from, threadId, now);
  const next: NegotiationRecord = {
    ...negotiation,
    received: sequence ? withNumber(negotiation.received, sequence) : negotiation.received,
    ...(isRepeated ? {} : { lastSeen: toBase64Url(hash), at: now }),
  };
  const changes = putNegotiation(next, { isLatest: !isRepeated && packet.type !== 'space_update' });
  if (isRepeated) return changes;
  const record: PacketRecord = { direction: 'in', peer: from, packet, text: null, at: now, state: 'received' };
  return [...changes, { put: 'packet', key: receivedKey(from, packet.packet_id), value: record }];
}

/** Packets of ours that are given up, by their keys in the history: they are marked so, and their numbers withdrawn. `problem`: why, where the person did not want it. */
export async function withdrawPackets(store: PeerStore, keys: readonly string[], problem?: string): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  const negotiations = new Map<string, NegotiationRecord>();
  for (const key of keys) {
    const record = await getValue(store, 'packet', key);
    if (!record) continue;
    changes.push({ put: 'packet', key, value: { ...record, state: 'failed', problem } });
    const { thread_id: threadId, sequence } = record.packet;
    const name = negotiationKey(record.peer, threadId);
    const known = negotiations.get(name) ?? (await getValue(store, 'negotiation', name));
    if (known && sequence) negotiations.set(name, { ...known, withdrawn: withNumber(known.withdrawn, sequence) });
  }
  return [...changes, ...[...negotiations.values()].flatMap((one) => putNegotiation(one))];
}
