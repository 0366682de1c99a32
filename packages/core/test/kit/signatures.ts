// Signatures for tests: any function that needs the key's name serves; the real one is Ed25519.

import { createHash } from 'node:crypto';
import { toBase64Url } from '@parley/protocol/relay';
import type { ConfirmationSignatures } from '@parley/core/negotiation';

export const keyOf = (agent: string): string => toBase64Url(createHash('sha256').update(agent).digest());

/** Signs for anybody, so that tests can play a liar. */
export const signAs = (agent: string, bytes: Uint8Array): string =>
  toBase64Url(createHash('sha512').update(keyOf(agent)).update(bytes).digest());
/** `knows`: whose key this side has from somewhere else than the coordinator. */
export const signaturesOf = (agent: string, knows: (other: string) => boolean = () => true): ConfirmationSignatures => ({
  knows,
  sign: (bytes) => signAs(agent, bytes),
  verify: ({ key }, bytes, signature) => toBase64Url(createHash('sha512').update(key).update(bytes).digest()) === toBase64Url(signature),
});
