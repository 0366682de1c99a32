// What a packet of the peer teaches, stored together with it. Strangers teach nothing: their person has not been dealt with yet.

import { type Contradiction, learn, type Observation } from '@parley/core/memory';
import type { Packet, PacketContents } from '@parley/protocol/relay';
import { meetingKind } from '../negotiate/meetings/intent-words.ts';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';
import type { RemotePeer } from '../packets/peer-records.ts';
import type { Staging } from '../packets/staging.ts';
import { putRelationship, relationshipWith } from './memories.ts';

/** `before`: the negotiation without the packet. Returns values that contradict remembered ones. */
export async function learnFromPacket(
  staging: Staging,
  { address, stranger }: RemotePeer,
  before: MachineRecord,
  packet: Packet,
  now: number,
): Promise<Contradiction[]> {
  if (stranger) return [];
  const { relationship, contradictions } = learn(await relationshipWith(staging, address), observe(before, packet, now), now);
  await staging.commit([putRelationship(address, relationship)]);
  return contradictions;
}

type Members = Packet & Partial<PacketContents<'intent_update'> & PacketContents<'thread_fork'>>;

function observe({ machine, intent, stated, received, sentAt }: MachineRecord, packet: Packet, now: number): Observation {
  const members = packet as Members;
  const named = new Set([...machine.answered.own, ...machine.openNeeds.map(({ field }) => field)]);
  const needs = [...(members.needs ?? []), ...(members.additional_context_needed ?? [])];
  return {
    kind: meetingKind(intent ?? packet.intent ?? null, { ...received, ...members.context, ...stated }),
    isFirst: machine.seen.length === 0,
    given: machine.answered.own,
    asks: needs.filter(({ field }) => !named.has(field) && named.add(field)),
    gives: { ...members.shared_context, ...members.context, ...members.context_provided },
    declines: (members.context_unavailable ?? []).map(({ field }) => field),
    waitedMs: sentAt === null ? null : now - sentAt,
  };
}
