// Which of a peer's numbered packets have come. A gap shows what a relay has lost (A2C-7).

import { type Packet, packetTypeOf, type ReceivedNumbers, toBase64Url } from '@parley/protocol/relay';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { getRecord, type NegotiationRecord, negotiationKey, newNegotiation, type PacketRecord, receivedKey } from './records.ts';

/** Numbers above a gap that are remembered; more would be kept for a sender that jumps about. */
const mostAbove = 100;

export function withNumber(received: readonly ReceivedNumbers[], { epoch, number }: { epoch: number; number: number }): ReceivedNumbers[] {
  const known = received.find((one) => one.epoch === epoch) ?? { epoch, through: 0, above: [] };
  if (number <= known.through || known.above.includes(number)) return [...received];
  const above = [...known.above, number].toSorted((a, b) => a - b);
  let { through } = known;
  while (above[0] === through + 1) through = above.shift()!;
  return [...received.filter((one) => one !== known), { epoch, through, above: above.slice(0, mostAbove) }];
}

export const hasNumber = (received: readonly ReceivedNumbers[], epoch: number, number: number): boolean =>
  received.some((one) => one.epoch === epoch && (number <= one.through || one.above.includes(number)));

/** Whether the sender has numbers that are not here. */
export const hasGap = (received: readonly ReceivedNumbers[]): boolean => received.some(({ above }) => above.length > 0);

/** History and negotiation of a packet that came for the first time. A summary is in neither. */
export async function recordArrival(store: PeerStore, packet: Packet, hash: Uint8Array, now: number): Promise<RecordChange[]> {
  if (packetTypeOf(packet) === 'thread_summary') return [];
  const { from, thread_id: threadId, sequence } = packet;
  const key = negotiationKey(from, threadId);
  const negotiation = (await getRecord(store, 'negotiation', key))?.value ?? newNegotiation(from, threadId, now);
  const next: NegotiationRecord = {
    ...negotiation,
    received: sequence ? withNumber(negotiation.received, sequence) : negotiation.received,
    lastSeen: toBase64Url(hash),
    at: now,
  };
  const record: PacketRecord = { direction: 'in', peer: from, packet, text: null, at: now, state: 'received' };
  return [
    { put: 'negotiation', key, value: next },
    { put: 'packet', key: receivedKey(from, packet.packet_id), value: record },
  ];
}
