// A member of a group sends the outcome that it got to the members whom it knows (A2C-27). core decides who they are.

import type { NegotiationEffect } from '@parley/core/negotiation';
import { draftPacket } from '../../packets/drafts.ts';
import { getRecord, negotiationKey, newNegotiation } from '../../packets/records.ts';
import type { Desk } from '../effects.ts';
import type { MachineRecord } from '../records.ts';

type Shared = Extract<NegotiationEffect, { kind: 'compare_outcome' }>;

export async function sendOutcome(
  { staging, self, now }: Desk,
  { machine }: MachineRecord,
  { hash, confirmations, members }: Shared,
): Promise<void> {
  const { threadId } = machine;
  for (const address of members) {
    const peer = (await getRecord(staging, 'peer', address))?.value;
    if (!peer || peer.alarm || peer.block?.isOn) continue;
    const key = negotiationKey(address, threadId);
    if (!(await getRecord(staging, 'negotiation', key)))
      await staging.commit([{ put: 'negotiation', key, value: newNegotiation(address, threadId, now), ifVersion: 0 }]);
    const content = { status: 'confirmed', proposal_hash: hash, confirmations };
    await draftPacket(staging, self, peer, { type: 'resolution_outcome', threadId, members: content }, now);
  }
}
