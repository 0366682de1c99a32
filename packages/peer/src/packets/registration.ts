// Makes an identity: the key is made here, and the relay's name and key are pinned with the answer (A2C-1).

import { PeerName } from '@parley/protocol/relay';
import { badInput, PeerCallError } from '@parley/protocol';
import { LinkError, RelayConnection, RelayRefused } from '../link/relay-connection.ts';
import { randomBytes } from '../seal/sodium.ts';
import { toBase64Url } from '@parley/protocol/relay';
import type { RecordChange } from '../store/port.ts';
import { publishEntry } from './directory.ts';
import { LocalPeer, type PeerParts } from './local-peer.ts';
import { allRecords, getValue, identityOf, newEpoch, putPeer, putSelf, type SelfRecord } from './peer-records.ts';

export interface Registration {
  name: string;
  relayUrl: string;
  code: string;
  email?: string | undefined;
}

export async function registerPeer(parts: PeerParts, { name, relayUrl, code, email }: Registration): Promise<LocalPeer> {
  const { store } = parts;
  if (!PeerName.safeParse(name).success) throw badInput(`'${name}' is no name for a peer: use 1 to 32 of a-z, 0-9, ".", "_" and "-".`);
  const known = await getValue(store, 'identity', 'self');
  // The name that is here may be registered again: a relay that came back from an older copy does not know it.
  const isAgain = known !== undefined && known.address !== null;
  if (isAgain && known.name !== name) throw new PeerCallError('occupied', `This folder holds ${known.address} already.`);
  const self: SelfRecord = isAgain ? known : newSelf(name, relayUrl, known);
  if (!isAgain) await store.commit([putSelf(self)]);
  const connection = await openOrExplain(relayUrl, () =>
    RelayConnection.open({
      url: relayUrl,
      openSocket: parts.openSocket,
      own: identityOf(self),
      relay: isAgain ? known.relay : undefined,
      registration: { name, code, ...(email === undefined ? {} : { email }) },
      // A name that was registered before may have packets waiting. They stay with the relay, because they are not acknowledged; a
      // refusal would close this line before the key packages are published.
      onDelivery: () => new Promise(() => {}),
    }),
  );
  try {
    const directory = self.directory && { ...self.directory, publishedAt: 0 };
    const registered: SelfRecord = { ...self, address: connection.ready.address, relay: { url: relayUrl, ...connection.relay }, directory };
    const changes: RecordChange[] = [putSelf(registered)];
    // The relay may have lost blocks and packets too.
    for await (const { value } of allRecords(store, 'peer'))
      changes.push(putPeer({ ...value, owesSummary: value.key !== null, block: value.block && { ...value.block, isAtRelay: false } }));
    await store.commit(changes);
    const peer = new LocalPeer(parts, registered);
    peer.self = await publishEntry(store, connection, registered, parts.now());
    return peer;
  } finally {
    connection.close();
  }
}

function newSelf(name: string, relayUrl: string, known: SelfRecord | undefined): SelfRecord {
  return {
    name,
    address: null,
    // The key of an attempt whose answer was lost: the relay knows it already.
    seed: known?.seed ?? toBase64Url(randomBytes(32)),
    epoch: known?.epoch ?? newEpoch(1),
    relay: { url: relayUrl, name: '', key: '' },
    directory: null,
    displacedBy: null,
    takeover: null,
  };
}

/** Says which relay does not answer, or why it refuses. */
export const openOrExplain = <T>(url: string, open: () => Promise<T>): Promise<T> =>
  open().catch((error: unknown) => {
    throw explained(url, error);
  });

export function explained(url: string, cause: unknown): Error {
  if (cause instanceof RelayRefused)
    return new PeerCallError(cause.mayRetry ? 'relay_away' : 'refused', `The relay refused: ${cause.message}`, { cause });
  if (!(cause instanceof LinkError)) return cause as Error;
  return new PeerCallError('relay_away', `The relay at ${url} cannot be reached. ${cause.message}`, { cause });
}
