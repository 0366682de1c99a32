export { CardError, ContactCard, readCard, writeCard } from './identity/contact-cards.ts';
export { type KeyHolder, safetyNumber } from './identity/safety-numbers.ts';
export { type FrameDoubt, signFrame, trustFrame } from './identity/signed-frames.ts';
export { type KeyPackageSecrets, offer } from './seal/key-packages.ts';
export type { OwnIdentity, Parties, PinnedPeer } from './seal/parties.ts';
export { SealError } from './seal/sealed-body.ts';
export { join, open, packageNamedIn, seal, type SealedSession, start, tagFor } from './seal/session.ts';
export { newSigningKey, signBytes, type SigningKey, verifies } from './seal/sodium.ts';
