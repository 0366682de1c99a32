// Which device holds the identity. A takeover gets a higher epoch and begins with no session, so that no key is used by two (A2C-8).

import { type DeviceEpoch, mostEpochSteps } from '@parley/protocol/relay';
import type { RecordChange } from '../store/port.ts';
import type { LocalPeer } from './local-peer.ts';
import { allRecords, newEpoch, type RemotePeer, putPeer, type SelfRecord } from './peer-records.ts';

/** The device is read-only from now on. A copy of this very device has the same epoch, and nobody can tell the two apart. */
export async function noteDisplacement(peer: LocalPeer, by: DeviceEpoch): Promise<void> {
  if (peer.self.epoch.device === by.device) return;
  await peer.inTurn(() => peer.keepSelf({ ...peer.self, displacedBy: by }));
}

/** This device holds the identity again, above every counter it knows of. */
export async function takeOver(peer: LocalPeer): Promise<void> {
  await raiseEpoch(peer, peer.self.displacedBy?.counter ?? 0, 'decided');
}

export async function raiseEpoch(peer: LocalPeer, above: number, takeover = peer.self.takeover): Promise<void> {
  await peer.inTurn(async () => {
    const { store } = peer.parts;
    const changes: RecordChange[] = [];
    for (const kind of ['session', 'package'] as const)
      for await (const { key } of allRecords(store, kind)) changes.push({ remove: kind, key });
    for await (const { key, value } of allRecords(store, 'outbox')) changes.push({ put: 'outbox', key, value: { ...value, sealed: null } });
    for await (const { value } of allRecords(store, 'peer')) changes.push(putPeer(withSummaryDue(value)));
    await peer.keepSelf({ ...withEpochAbove(peer.self, above), takeover }, changes);
  });
}

/** A device without sessions says to everybody what it has, so that they seal for it what it missed. */
export const withSummaryDue = (peer: RemotePeer): RemotePeer => ({
  ...peer,
  owesSummary: peer.key !== null,
  // The relay forgets the blocks of the device before.
  block: peer.block?.isOn ? { isOn: true, isAtRelay: false } : null,
});

export function withEpochAbove(self: SelfRecord, above: number): SelfRecord {
  const { counter } = self.epoch;
  // A relay that lies about other devices does not use the counters up.
  const epoch = newEpoch(Math.min(Math.max(above, counter) + 1, counter + mostEpochSteps));
  // The next directory entry names the new epoch.
  const directory = self.directory && { ...self.directory, publishedAt: 0 };
  return { ...self, epoch, directory, displacedBy: null };
}
