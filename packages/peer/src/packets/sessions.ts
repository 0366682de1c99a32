// Which session with a peer carries the next packet, and how many stay open.

import { fromBase64Url } from '@parley/protocol/relay';
import { isAnswered, type SealedSession, hasExpiredKeys, withoutExpiredKeys } from '../seal/session.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import {
  allRecords,
  identityOf,
  type RemotePeer,
  sameEpoch,
  type SelfRecord,
  sessionOf,
  type SessionRecord,
  packBytes,
} from './peer-records.ts';

export interface SendingSession {
  record: Omit<SessionRecord, 'state'>;
  session: SealedSession;
  /** Undefined for a session that begins with this packet. */
  stored: { key: string; version: number } | undefined;
}

/** More would be kept for a peer that begins one after the other; each may hold thousands of keys of late packets. */
const mostSessions = ({ stranger }: RemotePeer): number => (stranger ? 2 : 8);

type RankedSession = SendingSession & { stored: { key: string; version: number }; rank: number };

/**
 * The best first. One that the peer has shown to hold counts most, because its package may have been handed out twice. Of several,
 * both sides take the one whose creator has the smaller identity key, then the latest.
 */
async function rankedSessions(store: PeerStore, self: SelfRecord, peer: RemotePeer): Promise<RankedSession[]> {
  const isOwnKeySmaller = isSmaller(identityOf(self).key.public, fromBase64Url(peer.key!));
  const found: RankedSession[] = [];
  for await (const { key, version, value } of allRecords(store, 'session')) {
    if (value.address !== peer.address || peer.epoch === null) continue;
    if (!sameEpoch(value.ownEpoch, self.epoch) || !sameEpoch(value.peerEpoch, peer.epoch)) continue;
    const session = sessionOf(value);
    const rank = (isAnswered(session) ? 2 : 0) + (value.isCreator === isOwnKeySmaller ? 1 : 0);
    found.unshift({ record: value, session, stored: { key, version }, rank });
  }
  return found.toSorted((a, b) => b.rank - a.rank || b.record.beganAt - a.record.beganAt);
}

/** Undefined: a new one has to begin. */
export async function sendingSession(store: PeerStore, self: SelfRecord, peer: RemotePeer): Promise<SendingSession | undefined> {
  const [best] = await rankedSessions(store, self, peer);
  return best && peer.needsSession && !isAnswered(best.session) ? undefined : best;
}

function isSmaller(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at !== -1 && a[at]! < b[at]!;
}

/** Makes room for one more session with a peer. The best stay, because the peer would go on to use them. */
export async function eraseExtraSessions(store: PeerStore, self: SelfRecord, peer: RemotePeer): Promise<RecordChange[]> {
  const extra = (await rankedSessions(store, self, peer)).slice(mostSessions(peer) - 1);
  return extra.map(({ stored: { key } }) => ({ remove: 'session', key }));
}

// Erases the keys that have waited for late packets too long, also in sessions that nobody uses (A2C-5).

export async function eraseOldKeys(store: PeerStore, now: number): Promise<void> {
  const changes: RecordChange[] = [];
  for await (const { key, value, version } of allRecords(store, 'session')) {
    const session = sessionOf(value);
    if (!hasExpiredKeys(session, now)) continue;
    const state = packBytes(withoutExpiredKeys(session, now));
    changes.push({ put: 'session', key, value: { ...value, state }, ifVersion: version });
  }
  if (changes.length > 0) await store.commit(changes);
}
