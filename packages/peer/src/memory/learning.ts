// A peer learns from each packet, and stores what it learned in the same commit. It learns nothing from strangers, whom the person has
// not accepted yet.

import { type Contradiction, learn, type Observation } from '@parley/core/memory';
import type { Need, Packet, PacketContents } from '@parley/protocol/relay';
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

type ReadFields = Packet & Partial<PacketContents<'intent_update'> & PacketContents<'thread_fork'>>;

function observe({ machine, intent, stated, received, sentAt }: MachineRecord, packet: Packet, now: number): Observation {
  const fields = packet as ReadFields;
  const named = new Set([...machine.answered.own, ...machine.openNeeds.map(({ field }) => field)]);
  const needs = [...(fields.needs ?? []), ...(fields.additional_context_needed ?? [])];
  const asks: Need[] = [];
  // Each need counts once.
  for (const need of needs) {
    if (named.has(need.field)) continue;
    named.add(need.field);
    asks.push(need);
  }
  return {
    kind: meetingKind(intent ?? packet.intent ?? null, { ...received, ...fields.context, ...stated }),
    isFirst: machine.seen.length === 0,
    given: machine.answered.own,
    asks,
    gives: { ...fields.shared_context, ...fields.context, ...fields.context_provided },
    declines: (fields.context_unavailable ?? []).map(({ field }) => field),
    waitedMs: sentAt === null ? null : now - sentAt,
  };
}
