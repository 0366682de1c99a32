// What lies at the relay so that somebody can begin while this side is offline: one-time key packages, and one of last resort.

import { sameBytes } from '@parley/protocol/relay';
import { type Capabilities, decodeMlsMessage, encodeMlsMessage, generateKeyPackageWithKey, type KeyPackage } from 'ts-mls';
import { makeKeyPackageRef } from 'ts-mls/keyPackage.js';
import { credentialOf, type OwnIdentity, type PinnedPeer } from './parties.ts';
import { SealError } from './sealed-body.ts';
import { suite } from './suite.ts';

export interface KeyPackageSecrets {
  /** By which a Welcome names the package. */
  reference: Uint8Array;
  package: Uint8Array;
  initSecret: Uint8Array;
  encryptionSecret: Uint8Array;
  expiresAt: number;
}

/** What a session uses and nothing else: a longer list would be decoded with every packet. */
const capabilities: Capabilities = {
  versions: ['mls10'],
  ciphersuites: [suite.name],
  extensions: [],
  proposals: [],
  credentials: ['basic'],
};

const day = 86_400_000;
/** For clocks that differ. It is part of the signed lifetime, because ts-mls compares that with the machine's clock to the second. */
const toleranceMs = day;
const seconds = (ms: number): bigint => BigInt(Math.floor(ms / 1000));

export async function offer(own: OwnIdentity, now: number, days: number): Promise<KeyPackageSecrets> {
  const expiresAt = now + days * day;
  const lifetime = { notBefore: seconds(now - day - toleranceMs), notAfter: seconds(expiresAt + toleranceMs) };
  const signing = { signKey: own.key.secret, publicKey: own.key.public };
  const credential = credentialOf(own.address, own.epoch);
  const { publicPackage, privatePackage } = await generateKeyPackageWithKey(credential, capabilities, lifetime, [], signing, suite);
  return {
    reference: await makeKeyPackageRef(publicPackage, suite.hash),
    package: encodeMlsMessage({ version: 'mls10', wireformat: 'mls_key_package', keyPackage: publicPackage }),
    initSecret: privatePackage.initPrivateKey,
    encryptionSecret: privatePackage.hpkePrivateKey,
    expiresAt,
  };
}

export function readKeyPackage(bytes: Uint8Array): KeyPackage {
  const decoded = decodeMlsMessage(bytes, 0);
  if (decoded?.[0].wireformat !== 'mls_key_package') throw new SealError('This is not a key package.');
  return decoded[0].keyPackage;
}

/** The package is the pinned peer's own, and for this time. Its signature is checked when it is used. */
export function mustBelongTo(peer: PinnedPeer, keyPackage: KeyPackage, now: number): void {
  const { signaturePublicKey, credential, lifetime } = keyPackage.leafNode;
  const expected = credentialOf(peer.address, peer.epoch);
  const isTheirs =
    credential.credentialType === 'basic' && expected.credentialType === 'basic' && sameBytes(credential.identity, expected.identity);
  if (!sameBytes(signaturePublicKey, peer.key) || !isTheirs) throw new SealError(`The key package is not one of ${peer.address}.`);
  if (seconds(now) < lifetime.notBefore || seconds(now) > lifetime.notAfter)
    throw new SealError(`The key package of ${peer.address} has expired.`);
}
