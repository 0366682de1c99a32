// Seals what waits in the outbox: session, frame and row are stored together before anything is sent (A2C-34).

import { canonicalJson, type FrameHeader, fromBase64Url, toBase64Url, utf8 } from '@parley/protocol/relay';
import { signFrame } from '../identity/signed-frames.ts';
import type { Parties } from '../seal/parties.ts';
import { SealError } from '../seal/sealed-body.ts';
import { groupOf, seal, type SealedSession, start, tagFor } from '../seal/session.ts';
import type { PeerStore } from '../store/port.ts';
import {
  allRecords,
  identityOf,
  newId,
  type OutboxRecord,
  packBytes,
  type PeerRecord,
  pinnedPeer,
  sameEpoch,
  type SelfRecord,
  sessionOf,
  type SessionRecord,
  type TypedRecord,
} from './records.ts';

interface SendingSession {
  record: Omit<SessionRecord, 'state'>;
  session: SealedSession;
  /** Undefined for a session that begins with this packet. */
  stored: { key: string; version: number } | undefined;
}

/** Of two sessions that crossed, both sides send on the one whose creator has the smaller identity key. */
export async function sendingSession(store: PeerStore, self: SelfRecord, peer: PeerRecord): Promise<SendingSession | undefined> {
  const isPreferred = ({ isCreator }: SessionRecord): boolean =>
    isCreator === isSmaller(identityOf(self).key.public, fromBase64Url(peer.key!));
  let best: TypedRecord<'session'> | undefined;
  for await (const one of allRecords(store, 'session')) {
    const { value } = one;
    if (value.address !== peer.address || peer.epoch === null) continue;
    if (!sameEpoch(value.ownEpoch, self.epoch) || !sameEpoch(value.peerEpoch, peer.epoch)) continue;
    const rank = (session: SessionRecord): number => (isPreferred(session) ? 1 : 0);
    if (!best || rank(value) > rank(best.value) || (rank(value) === rank(best.value) && value.beganAt >= best.value.beganAt)) best = one;
  }
  if (!best) return undefined;
  const { key, version, value } = best;
  return { record: value, session: sessionOf(value), stored: { key, version } };
}

function isSmaller(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at !== -1 && a[at]! < b[at]!;
}

/** Begins with the first package that is valid. */
async function startWith(self: SelfRecord, parties: Parties, packages: readonly Uint8Array[], now: number): Promise<SendingSession> {
  let problem = new SealError(`${parties.peer.address} offers no key package.`);
  for (const one of packages) {
    try {
      const session = await start(parties, one, now);
      const { address, epoch: peerEpoch } = parties.peer;
      return { record: { address, ownEpoch: self.epoch, peerEpoch, beganAt: now, isCreator: true }, session, stored: undefined };
    } catch (error) {
      problem = error as Error;
    }
  }
  throw problem;
}

/** Throws a `VersionConflict` when somebody else used the session meanwhile: then nothing of this may be sent. */
export async function sealRow(
  store: PeerStore,
  self: SelfRecord,
  { key, value: row, version }: TypedRecord<'outbox'>,
  { peer, packages, now }: { peer: PeerRecord; packages: readonly Uint8Array[]; now: number },
): Promise<NonNullable<OutboxRecord['sealed']>> {
  const own = identityOf(self);
  const parties: Parties = { own, peer: pinnedPeer(peer)! };
  const used = (await sendingSession(store, self, peer)) ?? (await startWith(self, parties, packages, now));
  const header: FrameHeader = {
    v: 1,
    packet_id: newId('pkt'),
    from: own.address,
    to: peer.address,
    from_key: toBase64Url(own.key.public),
    to_key: peer.key!,
    epoch: own.epoch,
    tag: toBase64Url(tagFor(used.session.tagSecrets.sending, row.threadId)),
    sent_at: now,
  };
  const { session, body } = await seal(used.session, parties, { headerBytes: utf8(canonicalJson(header)), text: utf8(row.text) }, now);
  const sealed = { packetId: header.packet_id, frame: toBase64Url(signFrame(own, header, body)) };
  const value: SessionRecord = { ...used.record, state: packBytes(session) };
  await store.commit([
    { put: 'session', key: used.stored?.key ?? toBase64Url(groupOf(body)), value, ifVersion: used.stored?.version ?? 0 },
    { put: 'outbox', key, value: { ...row, sealed }, ifVersion: version },
  ]);
  return sealed;
}
