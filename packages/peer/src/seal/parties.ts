// Who is in a session, and the only credentials that are accepted in it: this address with this key and device epoch (A2C-4, A2C-8).

import { canonicalJson, type DeviceEpoch, sameBytes, utf8 } from '@parley/protocol/relay';
import { type ClientConfig, type Credential, defaultKeyPackageEqualityConfig } from 'ts-mls';
import type { SigningKey } from './sodium.ts';

/** The other side, as this one has pinned it. */
export interface PinnedPeer {
  address: string;
  key: Uint8Array;
  epoch: DeviceEpoch;
}

export interface OwnIdentity {
  address: string;
  key: SigningKey;
  epoch: DeviceEpoch;
}

export interface Parties {
  own: OwnIdentity;
  peer: PinnedPeer;
}

export const credentialOf = (address: string, epoch: DeviceEpoch): Credential => ({
  credentialType: 'basic',
  identity: utf8(canonicalJson({ address, epoch })),
});

/** ts-mls itself skips nothing: keys for packets that come late are kept in another way (skipped-packets.ts). */
const keyRetentionConfig = { retainKeysForGenerations: 2001, retainKeysForEpochs: 2, maximumForwardRatchetSteps: 0 };
const lifetimeConfig = { maximumTotalLifetime: 366n * 86_400n, validateLifetimeOnReceive: false };

/** Not stored with a session: it follows what is pinned now. */
export function configFor({ own, peer }: Parties): ClientConfig {
  const accepted = [
    { credential: credentialOf(own.address, own.epoch), key: own.key.public },
    { credential: credentialOf(peer.address, peer.epoch), key: peer.key },
  ];
  const authService = {
    validateCredential: async (credential: Credential, key: Uint8Array): Promise<boolean> =>
      accepted.some((one) => sameBytes(one.key, key) && sameIdentity(one.credential, credential)),
  };
  const paddingConfig = { kind: 'padUntilLength' as const, padUntilLength: 0 };
  return { keyRetentionConfig, lifetimeConfig, keyPackageEqualityConfig: defaultKeyPackageEqualityConfig, paddingConfig, authService };
}

const sameIdentity = (a: Credential, b: Credential): boolean =>
  a.credentialType === 'basic' && b.credentialType === 'basic' && sameBytes(a.identity, b.identity);
