// Accounts with a passkey: a person holds a name, signs in, and makes tickets.

import { randomBytes } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { ParleyError } from '@parley/protocol';
import { fingerprintOf, fromBase64Url, peerAddress, PeerName, toBase64Url } from '@parley/protocol/relay';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { newCode } from '../data-folder.ts';
import { ticketMs } from '../limits.ts';
import type { Relay } from '../relay.ts';
import { sha256 } from '../signatures.ts';
import type { Ticket } from '../store/port.ts';
import { OpenChallenges } from './open-challenges.ts';
import { newPasskeyOptions, readNewPasskey, readSignIn, type RelyingParty, signInOptions } from './passkeys.ts';

export const SignUp = z.object({
  code: z.string('must be your invitation code').min(1, 'must be your invitation code').max(128, 'must be your invitation code'),
  name: PeerName,
  email: z.email('must be an email address').max(254, 'must have at most 254 characters'),
});
type SignUp = z.output<typeof SignUp>;

/** The parts that this file reads; the library checks the rest. */
export const PasskeyAnswer = z.object({
  passkey: z.looseObject({
    id: z.string().max(2048),
    response: z.looseObject({ clientDataJSON: z.string(), userHandle: z.string().optional() }),
  }),
});
type PasskeyAnswer = z.output<typeof PasskeyAnswer>;

export interface AccountView {
  address: string;
  email: string;
  createdAt: string;
  key: { fingerprint: string; registeredAt: string; device: number } | null;
  isOnline: boolean;
  connectedAt: string | null;
}

export interface NewTicket {
  code: string;
  expiresAt: string;
}

type Purpose = { for: 'sign-up'; codeHash: string; address: string; email: string; userHandle: string } | { for: 'sign-in' };

const iso = (ms: number): string => new Date(ms).toISOString();

export class Accounts {
  private readonly relay: Relay;
  private readonly challenges: OpenChallenges<Purpose>;

  constructor(relay: Relay) {
    this.relay = relay;
    this.challenges = new OpenChallenges(relay.now);
  }

  async view(address: string): Promise<AccountView | undefined> {
    const { store } = this.relay;
    const [holder, account] = [await store.holder(address), await store.account(address)];
    if (!holder) return undefined;
    const fingerprint = (key: string): string =>
      fingerprintOf({ address, key: fromBase64Url(key) }, (bytes, dkLen) => blake2b(bytes, { dkLen }));
    return {
      address,
      email: holder.email,
      createdAt: iso(holder.createdAt),
      key: account ? { fingerprint: fingerprint(account.key), registeredAt: iso(account.createdAt), device: account.epoch.counter } : null,
      isOnline: await this.relay.isOnline(address),
      connectedAt: holder.connectedAt === null ? null : iso(holder.connectedAt),
    };
  }

  async beginSignUp(party: RelyingParty, { code, name, email }: SignUp) {
    const address = peerAddress(name, this.relay.name);
    const codeHash = sha256(code);
    mustBeFree(await this.relay.store.mayHold(address, codeHash, this.relay.now()), address);
    if (await this.relay.keeps(address, codeHash)) mustBeFree('taken', address);
    const userHandle = new Uint8Array(randomBytes(32));
    const options = await newPasskeyOptions(party, { address, userHandle });
    this.challenges.add(options.challenge, { for: 'sign-up', codeHash, address, email, userHandle: toBase64Url(userHandle) });
    return options;
  }

  async signUp(party: RelyingParty, { passkey: response }: PasskeyAnswer): Promise<{ address: string; ticket: NewTicket }> {
    const { challenge, purpose } = this.answered(response);
    if (purpose.for !== 'sign-up') throw refused('it was made to sign in');
    const { address, email, userHandle, codeHash } = purpose;
    const passkey = await readNewPasskey(party, challenge, response as unknown as RegistrationResponseJSON).catch(refuse);
    const { shown, stored } = this.makeTicket();
    const createdAt = this.relay.now();
    const holder = { address, userHandle, email, createdAt, connectedAt: null };
    if (await this.relay.keeps(address, codeHash)) mustBeFree('taken', address);
    mustBeFree(await this.relay.store.hold(holder, { ...passkey, address }, codeHash, stored), address);
    return { address, ticket: shown };
  }

  async beginSignIn(party: RelyingParty) {
    const options = await signInOptions(party);
    this.challenges.add(options.challenge, { for: 'sign-in' });
    return options;
  }

  /** The address of the person who is there. */
  async signIn(party: RelyingParty, { passkey: response }: PasskeyAnswer): Promise<string> {
    const { challenge, purpose } = this.answered(response);
    if (purpose.for !== 'sign-in') throw refused('it was made to create an account');
    const { store } = this.relay;
    const passkey = await store.passkey(response.id);
    const holder = passkey && (await store.holder(passkey.address));
    if (!holder) throw refused('no account here has it. It may belong to an account that was removed');
    if (response.response.userHandle !== holder.userHandle) throw refused('it belongs to another account');
    const counter = await readSignIn(party, challenge, response as unknown as AuthenticationResponseJSON, passkey).catch(refuse);
    if (!(await store.countUse(passkey.id, counter))) throw refused('its counter went back, as that of a copy would');
    return holder.address;
  }

  /** Replaces the ticket before. */
  async newTicket(address: string): Promise<NewTicket> {
    const { shown, stored } = this.makeTicket();
    await this.relay.store.putTicket(address, stored);
    return shown;
  }

  private makeTicket(): { shown: NewTicket; stored: Ticket } {
    const code = newCode();
    const expiresAt = this.relay.now() + ticketMs;
    return { shown: { code, expiresAt: iso(expiresAt) }, stored: { codeHash: sha256(code), expiresAt } };
  }

  private answered({ response }: PasskeyAnswer['passkey']): { challenge: string; purpose: Purpose } {
    const challenge = challengeIn(response.clientDataJSON);
    const purpose = this.challenges.take(challenge);
    if (!purpose) throw refused('it took too long, or was sent twice');
    return { challenge, purpose };
  }
}

/** Which question the browser answers. The library compares it again, with everything else that is signed. */
function challengeIn(clientDataJson: string): string {
  try {
    return String((JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()) as { challenge?: unknown }).challenge);
  } catch {
    return '';
  }
}

function mustBeFree(result: 'free' | 'taken' | 'invalid_code', address: string): void {
  if (result === 'invalid_code')
    throw new ParleyError('invalid_request', 'The invitation code is unknown, used or expired. Ask the operator of the relay for one.', {
      problems: [{ field: 'code', message: 'is unknown, used or expired. Ask the operator of the relay for one' }],
    });
  if (result === 'taken')
    throw new ParleyError(
      'name_taken',
      `${address} is registered already, or the hub of this relay keeps the name for a member. Choose another name.`,
      {
        problems: [{ field: 'name', message: 'is registered already. Choose another one' }],
      },
    );
}

const refused = (why: string): ParleyError => new ParleyError('unauthenticated', `The passkey was not accepted: ${why}. Try again.`);

/** The library's reasons name origins and counters, and no secret. It ends with a `RangeError` where values are nested too deeply. */
const refuse = (error: Error): never => {
  throw refused(error instanceof RangeError ? 'it cannot be read' : error.message.replace(/\.$/, ''));
};
