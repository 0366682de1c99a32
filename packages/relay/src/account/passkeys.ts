// Passkeys (WebAuthn): made and checked by @simplewebauthn, which loads when somebody first opens the page.

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey } from '../store/port.ts';

/** The browser binds a passkey to this host and signs the origin. */
export interface RelyingParty {
  name: string;
  origin: string;
}

const webAuthn = () => import('@simplewebauthn/server');
const hostOf = ({ origin }: RelyingParty): string => new URL(origin).hostname;

/** Ed25519, P-256 and RSA: one of them is in every authenticator. */
const algorithms = [-8, -7, -257];
const timeout = 5 * 60_000;

export async function newPasskeyOptions(party: RelyingParty, person: { address: string; userHandle: Uint8Array<ArrayBuffer> }) {
  const { generateRegistrationOptions } = await webAuthn();
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: hostOf(party),
    userName: person.address,
    userDisplayName: person.address,
    userID: person.userHandle,
    timeout,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

/** Throws where the response is not by a passkey that was just made for this challenge and page. */
export async function readNewPasskey(
  party: RelyingParty,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<Omit<Passkey, 'address'>> {
  const { verifyRegistrationResponse } = await webAuthn();
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
  const format = attestation.get('fmt');
  // The page asks for no certificate, and checking a forged one could make the relay fetch from any address.
  if (format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined))
    throw new Error('The passkey brought a certificate that nobody asked for.');
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: hostOf(party),
    supportedAlgorithmIDs: algorithms,
  });
  if (!verified) throw new Error('The passkey could not be verified.');
  const { id, publicKey, counter } = registrationInfo.credential;
  return { id, publicKey, counter };
}

export async function signInOptions(party: RelyingParty) {
  const { generateAuthenticationOptions } = await webAuthn();
  return generateAuthenticationOptions({ rpID: hostOf(party), timeout, userVerification: 'required' });
}

/** Returns the authenticator's counter. Throws if the response is not by this passkey for this challenge and page. */
export async function readSignIn(
  party: RelyingParty,
  challenge: string,
  response: AuthenticationResponseJSON,
  { id, publicKey, counter }: Passkey,
): Promise<number> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: hostOf(party),
    credential: { id, publicKey, counter },
  });
  if (!verified) throw new Error('The signature does not fit the passkey.');
  return authenticationInfo.newCounter;
}
