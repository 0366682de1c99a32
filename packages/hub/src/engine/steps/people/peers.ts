// A person's own peer, when the person leaves: it goes off the line, and with an erased person it is deleted.

import { wantBy, wantRow } from '../../../store/port.ts';
import type { NegotiationRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { append } from '../facts/append.ts';
import { addEffect } from '../../outbox.ts';

export const peerLock = (memberId: string): string => `peer:${memberId}`;

/** The hub's word where no report of the peer names the state. */
export type HubState = 'OPENING' | 'FAILED' | 'WITHDRAWN';

export function negotiationFact({ thread_id: subject_id, member_id, chain_id, state, open }: NegotiationRow, tx: Tx): void {
  const data = { state, open: open === 1 };
  append(tx, { type: 'negotiation.changed', scope: 'member', member_id, subject_id, chain_id, data });
}

export function closePeer(memberId: string, tx: Tx): void {
  tx.lock(peerLock(memberId));
  tx.need([wantBy('negotiations', 'member', memberId, 1), wantRow('peers', memberId)]);
  for (const row of tx.find('negotiations', 'member', memberId, 1)) {
    const state = 'WITHDRAWN' satisfies HubState;
    negotiationFact(tx.update('negotiations', row, { open: 0, state, updated_at: tx.now }), tx);
  }
  if (tx.get('peers', memberId)) addEffect('peer.close', { memberId }, tx);
}

export function forgetPeer(memberId: string, tx: Tx): void {
  tx.lock(peerLock(memberId));
  tx.need([
    ...[0, 1].map((open) => wantBy('negotiations', 'member', memberId, open)),
    wantRow('peers', memberId),
    wantBy('request_links', 'member', memberId),
    wantBy('spaces', 'member', memberId),
  ]);
  for (const row of tx.find('request_links', 'member', memberId)) tx.remove('request_links', row);
  for (const open of [0, 1]) for (const row of tx.find('negotiations', 'member', memberId, open)) tx.remove('negotiations', row);
  for (const row of tx.find('spaces', 'member', memberId)) tx.remove('spaces', row);
  const peer = tx.get('peers', memberId);
  if (!peer) return;
  tx.remove('peers', peer);
  addEffect('peer.erase', { memberId, address: peer.address }, tx);
}
