// Seals what waits in the outbox: session, frame and row are stored together before anything is sent (A2C-34).

import { canonicalJson, type FrameHeader, toBase64Url, utf8 } from '@parley/protocol/relay';
import { signFrame } from '../identity/signed-frames.ts';
import type { Parties } from '../seal/parties.ts';
import { SealError } from '../seal/sealed-body.ts';
import { groupOf, seal, start, tagFor } from '../seal/session.ts';
import type { LocalPeer } from './local-peer.ts';
import {
  identityOf,
  newId,
  type OutboxRecord,
  packBytes,
  type RemotePeer,
  pinnedPeer,
  putPeer,
  type SelfRecord,
  type SessionRecord,
  type TypedRecord,
} from './peer-records.ts';
import { eraseExtraSessions, sendingSession, type SendingSession } from './sessions.ts';

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

/** The relay accepts no time that is further ahead. */
const clockToleranceMs = 86_400_000;

/** Grows with every frame, also while the clock is set back. A time from a clock that was days ahead counts no more. */
function nextSentAt({ sealedAt = 0 }: SelfRecord, now: number): number {
  return sealedAt - now < clockToleranceMs ? Math.max(now, sealedAt + 1) : now;
}

/** Throws a `VersionConflict` when somebody else used the session meanwhile: then nothing of this may be sent. */
export async function sealRow(
  sender: LocalPeer,
  { key, value: row, version }: TypedRecord<'outbox'>,
  { to: peer, packages, now }: { to: RemotePeer; packages: readonly Uint8Array[]; now: number },
): Promise<NonNullable<OutboxRecord['sealed']>> {
  const { self, parts } = sender;
  const { store } = parts;
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
    sent_at: nextSentAt(self, now),
  };
  const { session, body } = await seal(used.session, parties, { headerBytes: utf8(canonicalJson(header)), text: utf8(row.text) }, now);
  const sealed = { packetId: header.packet_id, frame: toBase64Url(signFrame(own, header, body)) };
  const value: SessionRecord = { ...used.record, state: packBytes(session) };
  const begun = used.stored ? [] : [...(await eraseExtraSessions(store, self, peer)), putPeer({ ...peer, needsSession: false })];
  await sender.keepSelf({ ...self, sealedAt: header.sent_at }, [
    ...begun,
    { put: 'session', key: used.stored?.key ?? toBase64Url(groupOf(body)), value, ifVersion: used.stored?.version ?? 0 },
    { put: 'outbox', key, value: { ...row, sealed }, ifVersion: version },
  ]);
  return sealed;
}
