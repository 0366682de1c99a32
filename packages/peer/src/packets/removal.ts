// Removing somebody: their key, what was learned of them, the tiers that were set for them, and everything between the two that is open.
// Packets of before stay in the history, and their numbers are not used again.

import { isEnded } from '@parley/core/negotiation';
import { dropRelationship } from '../memory/memories.ts';
import type { RecordChange } from '../store/port.ts';
import { withdrawWaiting } from './blocks.ts';
import { PeerError } from './errors.ts';
import type { Peer } from './peer.ts';
import { allRecords } from './records.ts';
import { Staging } from './staging.ts';

export function removePeer(peer: Peer, address: string): Promise<void> {
  return peer.inTurn(async () => {
    const { block } = await peer.peer(address);
    // The relay would go on to drop their packets, and nobody would know why.
    if (block?.isOn) throw new PeerError('blocked', `You blocked ${address}. Unblock them first, or leave them blocked.`);
    const staging = new Staging(peer.parts.store);
    await dropRelationship(staging, address);
    const open: RecordChange[] = [];
    for await (const { key, value } of allRecords(staging, 'machine')) {
      if (value.machine.peer !== address) continue;
      // The lines of a group belong together, also after it has ended.
      if (value.lead === undefined) open.push({ remove: 'machine', key });
      else if (!isEnded(value.machine.state)) throw stillInGroup(address, value.machine.threadId);
    }
    for await (const { key, value } of allRecords(staging, 'prompt')) if (value.peer === address) open.push({ remove: 'prompt', key });
    await staging.commit([...open, ...(await withdrawWaiting(staging, address)), { remove: 'peer', key: address }]);
    await peer.parts.store.commit(staging.changes);
  });
}

const stillInGroup = (address: string, id: string): PeerError =>
  new PeerError('bad_input', `You coordinate ${id}, in which ${address} takes part. End it first, or block them.`);
