// A browser with an authenticator, in software: makes passkeys and signs with them, also in ways that a real one never would.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';

export interface MadePasskey {
  id: string;
  rpId: string;
  userHandle: string;
  secret: KeyObject;
  counter: number;
}

/** Answers of a browser on this page; `counter` is what the authenticator says instead of counting. */
export interface AnswerOptions {
  origin: string;
  counter?: number;
  attestation?: string;
  /** Whether the authenticator asked for a PIN or a finger (it did). */
  verifiesUser?: boolean;
}

const base64Url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

/** `attested`: the new key, in a registration. */
function authenticatorData(rpId: string, counter: number, verifiesUser = true, attested?: Uint8Array): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([
    sha256(rpId),
    Buffer.of(0x01 | (verifiesUser ? 0x04 : 0) | (attested ? 0x40 : 0)),
    count,
    attested ?? new Uint8Array(),
  ]);
}

export function makePasskey(
  { challenge, rp, user }: PublicKeyCredentialCreationOptionsJSON,
  { origin, counter = 1, attestation, verifiesUser }: AnswerOptions,
) {
  const { publicKey, privateKey: secret } = generateKeyPairSync('ed25519');
  const id = randomBytes(16);
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(12));
  const key = isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, raw],
    ]),
  );
  const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, key]);
  const data = authenticatorData(rp.id!, counter, verifiesUser, attested);
  const statement = attestation === undefined ? new Map() : new Map([['x5c', [new Uint8Array(64)]]]);
  const object = isoCBOR.encode(
    new Map<string, unknown>([
      ['fmt', attestation ?? 'none'],
      ['attStmt', statement],
      ['authData', new Uint8Array(data)],
    ]) as Map<string, never>,
  );
  const made: MadePasskey = { id: base64Url(id), rpId: rp.id!, userHandle: user.id, secret, counter };
  const response = { clientDataJSON: base64Url(clientData('webauthn.create', challenge, origin)), attestationObject: base64Url(object) };
  return { made, answer: answerOf(made.id, response) };
}

export function signWithPasskey(
  passkey: MadePasskey,
  { challenge, rpId }: PublicKeyCredentialRequestOptionsJSON,
  { origin, counter, verifiesUser }: AnswerOptions,
) {
  const data = authenticatorData(rpId!, counter ?? (passkey.counter += 1), verifiesUser);
  const client = clientData('webauthn.get', challenge, origin);
  const signature = base64Url(sign(null, Buffer.concat([data, sha256(client)]), passkey.secret));
  const { id, userHandle } = passkey;
  return answerOf(id, { clientDataJSON: base64Url(client), authenticatorData: base64Url(data), signature, userHandle });
}

const answerOf = <T extends object>(id: string, response: T) => ({
  id,
  rawId: id,
  type: 'public-key',
  clientExtensionResults: {},
  response,
});
