// Which session with a peer carries the next packet, and how many stay open.

import { fromBase64Url } from '@parley/protocol/relay';
import { isAnswered, type SealedSession } from '../seal/session.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { allRecords, identityOf, type PeerRecord, sameEpoch, type SelfRecord, sessionOf, type SessionRecord } from './records.ts';

export interface SendingSession {
  record: Omit<SessionRecord, 'state'>;
  session: SealedSession;
  /** Undefined for a session that begins with this packet. */
  stored: { key: string; version: number } | undefined;
}

/** More would be kept for a peer that begins one after the other. */
const mostSessions = 8;

/**
 * One that the peer has shown to hold counts first, because its package may have been handed out twice. Of several, both sides
 * take the one whose creator has the smaller identity key, then the latest. Undefined: a new one has to begin.
 */
export async function sendingSession(store: PeerStore, self: SelfRecord, peer: PeerRecord): Promise<SendingSession | undefined> {
  const isOwnKeySmaller = isSmaller(identityOf(self).key.public, fromBase64Url(peer.key!));
  let best: (SendingSession & { rank: number }) | undefined;
  for await (const { key, version, value } of allRecords(store, 'session')) {
    if (value.address !== peer.address || peer.epoch === null) continue;
    if (!sameEpoch(value.ownEpoch, self.epoch) || !sameEpoch(value.peerEpoch, peer.epoch)) continue;
    const session = sessionOf(value);
    const rank = (isAnswered(session) ? 2 : 0) + (value.isCreator === isOwnKeySmaller ? 1 : 0);
    const isBetter = !best || rank > best.rank || (rank === best.rank && value.beganAt >= best.record.beganAt);
    if (isBetter) best = { record: value, session, stored: { key, version }, rank };
  }
  return best && peer.needsSession && !isAnswered(best.session) ? undefined : best;
}

function isSmaller(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at !== -1 && a[at]! < b[at]!;
}

/** Makes room for one more session with a peer. A packet in one that is gone leads to a summary. */
export async function eraseOldestSessions(store: PeerStore, address: string): Promise<RecordChange[]> {
  const keys: string[] = [];
  for await (const { key, value } of allRecords(store, 'session')) if (value.address === address) keys.push(key);
  return keys.slice(0, Math.max(0, keys.length - mostSessions + 1)).map((key) => ({ remove: 'session', key }));
}
