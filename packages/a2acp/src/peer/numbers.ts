// Which of a peer's numbered packets have come. A gap shows what a relay has lost (A2C-7).

import {
  mostNumberedEpochs,
  mostNumberRanges,
  type Packet,
  type PacketNumber,
  packetTypeOf,
  type ReceivedNumbers,
  toBase64Url,
} from '@parley/protocol/relay';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { getRecord, type NegotiationRecord, negotiationKey, newNegotiation, type PacketRecord, receivedKey } from './records.ts';

/** The highest ranges and the oldest epochs go first where a sender that jumps about makes too many. */
export function withNumber(received: readonly ReceivedNumbers[], { epoch, number }: PacketNumber): ReceivedNumbers[] {
  if (hasNumber(received, epoch, number)) return [...received];
  const known = received.find((one) => one.epoch === epoch)?.ranges ?? [];
  const [apart, touching] = [known.filter((range) => !touches(range, number)), known.filter((range) => touches(range, number))];
  const ends = [number, ...touching.flat()];
  const ranges = [...apart, [Math.min(...ends), Math.max(...ends)] as [number, number]].toSorted(([a], [b]) => a - b);
  return [...received.filter((one) => one.epoch !== epoch), { epoch, ranges: ranges.slice(0, mostNumberRanges) }]
    .toSorted((a, b) => a.epoch - b.epoch)
    .slice(-mostNumberedEpochs);
}

const touches = ([first, last]: readonly [number, number], number: number): boolean => first - 1 <= number && number <= last + 1;

export const hasNumber = (received: readonly ReceivedNumbers[], epoch: number, number: number): boolean =>
  received.some((one) => one.epoch === epoch && one.ranges.some(([first, last]) => first <= number && number <= last));

/** Whether all numbers of the epoch up to this one have come. */
export const isComplete = (received: readonly ReceivedNumbers[], { epoch, number }: PacketNumber): boolean =>
  received.some(({ epoch: one, ranges: [range] }) => one === epoch && range?.[0] === 1 && range[1] >= number);

/** Whether the sender has numbers that are not here. */
export const hasGap = (received: readonly ReceivedNumbers[]): boolean =>
  received.some(({ epoch, ranges }) => ranges.length > 0 && !isComplete(received, { epoch, number: ranges.at(-1)![1] }));

/** History and negotiation of a packet. Of a repeated one only the number counts, which may have been forgotten. A summary is in neither. */
export async function recordArrival(
  store: PeerStore,
  packet: Packet,
  { hash, isRepeated }: { hash: Uint8Array; isRepeated: boolean },
  now: number,
): Promise<RecordChange[]> {
  if (packetTypeOf(packet) === 'thread_summary') return [];
  const { from, thread_id: threadId, sequence } = packet;
  const key = negotiationKey(from, threadId);
  const negotiation = (await getRecord(store, 'negotiation', key))?.value ?? newNegotiation(from, threadId, now);
  const next: NegotiationRecord = {
    ...negotiation,
    received: sequence ? withNumber(negotiation.received, sequence) : negotiation.received,
    ...(isRepeated ? {} : { lastSeen: toBase64Url(hash), at: now }),
  };
  const change: RecordChange = { put: 'negotiation', key, value: next };
  if (isRepeated) return [change];
  const record: PacketRecord = { direction: 'in', peer: from, packet, text: null, at: now, state: 'received' };
  return [change, { put: 'packet', key: receivedKey(from, packet.packet_id), value: record }];
}
