// A person's own peer, when the person leaves: it goes off the line, and with an erased person it is deleted.

import { wantBy } from '../../../store/port.ts';
import type { NegotiationRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { append } from '../facts/append.ts';
import { addEffect } from '../facts/effects.ts';

export const peerLock = (memberId: string): string => `peer:${memberId}`;

/** The hub's word where no report of the peer names the state. */
export type HubState = 'OPENING' | 'FAILED' | 'WITHDRAWN';

export function negotiationFact({ thread_id, member_id, chain_id, state, open }: NegotiationRow, set: WorkingSet, context: Context): void {
  append(set, context, {
    type: 'negotiation.changed',
    scope: 'member',
    member_id,
    subject_id: thread_id,
    chain_id,
    data: { state, open: open === 1 },
  });
}

export function closePeer(memberId: string, set: WorkingSet, context: Context): void {
  context.lock(peerLock(memberId));
  set.need([wantBy('negotiations', 'member', memberId, 1), { table: 'peers', values: [memberId] }]);
  for (const row of set.find('negotiations', 'member', memberId, 1)) {
    const state = 'WITHDRAWN' satisfies HubState;
    negotiationFact(set.update('negotiations', row, { open: 0, state, updated_at: context.now }), set, context);
  }
  if (set.get('peers', memberId)) addEffect('peer.close', { memberId }, set, context);
}

export function forgetPeer(memberId: string, set: WorkingSet, context: Context): void {
  context.lock(peerLock(memberId));
  set.need([...[0, 1].map((open) => wantBy('negotiations', 'member', memberId, open)), { table: 'peers', values: [memberId] }]);
  set.need([wantBy('request_links', 'member', memberId)]);
  for (const row of set.find('request_links', 'member', memberId)) set.remove('request_links', row);
  for (const open of [0, 1]) for (const row of set.find('negotiations', 'member', memberId, open)) set.remove('negotiations', row);
  set.need([wantBy('spaces', 'member', memberId)]);
  for (const row of set.find('spaces', 'member', memberId)) set.remove('spaces', row);
  const peer = set.get('peers', memberId);
  if (!peer) return;
  set.remove('peers', peer);
  addEffect('peer.erase', { memberId, address: peer.address }, set, context);
}
