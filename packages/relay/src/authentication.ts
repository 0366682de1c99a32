// Authenticates a client: a signature over the relay's name, key and a nonce that counts once (A2C-1), and the device epoch (A2C-8).

import {
  challengeToSign,
  type ClientMessage,
  type DeviceEpoch,
  fromBase64Url,
  type Greeting,
  loginToSign,
  mostEpochSteps,
  peerAddress,
  registrationToSign,
  type RelayMessage,
  relayVersions,
} from '@parley/protocol/relay';
import { Refusal } from './refusal.ts';
import type { Relay } from './relay.ts';
import { type PublicKey, publicKey, sha256, verifies } from './signatures.ts';
import type { Account } from './store/port.ts';

export interface Challenged {
  greeting: Greeting;
}

type Hello = Extract<ClientMessage, { type: 'hello' }>;
type LogIn = Extract<ClientMessage, { type: 'login' | 'register' }>;

/** The relay proves its own key by signing the client's nonce. */
export function challengeFor(relay: Relay, hello: Hello): { challenge: RelayMessage; challenged: Challenged } {
  const version = Math.max(...relayVersions.filter((known) => hello.versions.includes(known)));
  if (!Number.isFinite(version)) throw new Refusal('unsupported_version', `This relay speaks version ${relayVersions.join(', ')}.`);
  const greeting: Greeting = { relay: relay.name, relay_key: relay.key.public, nonce: relay.newNonce(), client_nonce: hello.nonce };
  const signature = relay.key.sign(challengeToSign(greeting, version));
  return {
    challenge: { type: 'challenge', version, relay: relay.name, key: relay.key.public, nonce: greeting.nonce, signature },
    challenged: { greeting },
  };
}

/** Throws a `Refusal`. It says whether a name is registered, because a device has to learn that its key was replaced. It says nothing about codes. */
export async function authenticate(relay: Relay, { greeting }: Challenged, message: LogIn): Promise<{ account: Account; key: PublicKey }> {
  const toSign = message.type === 'login' ? loginToSign(greeting, message) : registrationToSign(greeting, message);
  let key: PublicKey;
  try {
    key = publicKey(message.key);
  } catch {
    throw new Refusal('bad_signature', 'The key is not a usable Ed25519 public key.');
  }
  if (!verifies(key, toSign, fromBase64Url(message.signature)))
    throw new Refusal('bad_signature', 'The signature does not fit the key and this challenge.');
  const account = message.type === 'login' ? await loggedIn(relay, message) : await registered(relay, message);
  return { account: await withEpoch(relay, account, message.epoch), key };
}

async function loggedIn(relay: Relay, { address, key }: Extract<LogIn, { type: 'login' }>): Promise<Account> {
  const account = await relay.store.account(address);
  if (!account) throw new Refusal('unknown_address', `${address} is not registered here.`);
  if (account.key !== key) throw new Refusal('key_changed', `${address} is registered with another key.`);
  return account;
}

async function registered(relay: Relay, message: Extract<LogIn, { type: 'register' }>): Promise<Account> {
  const { name, key, epoch, email = null, code } = message;
  const account: Account = { address: peerAddress(name, relay.name), key, epoch, email, createdAt: relay.now() };
  const existing = await relay.store.account(account.address);
  // The answer to an earlier registration was lost: the same key asks again.
  if (existing?.key === key) return existing;
  const result = await relay.register(account, sha256(code));
  if (result === 'invalid_code')
    throw new Refusal(
      'invalid_code',
      'The code is unknown, used or expired, or a ticket for another name. Ask the operator of the relay for an invitation, or make a ticket on its page.',
    );
  if (result === 'taken')
    throw new Refusal(
      'name_taken',
      `${account.address} or this key is registered already, or the hub of this relay keeps the name for a member. Choose another name.`,
    );
  return account;
}

/** A higher counter takes over; the same one with another device id is a fork, which only the person can settle. */
async function withEpoch(relay: Relay, account: Account, epoch: DeviceEpoch): Promise<Account> {
  const known = account.epoch;
  if (epoch.counter < known.counter)
    throw new Refusal('old_epoch', `Another device took over with epoch ${known.counter}.`, { epoch: known });
  if (epoch.counter === known.counter && epoch.device !== known.device)
    throw new Refusal('epoch_fork', `Another device uses epoch ${known.counter} as well.`, { epoch: known });
  if (epoch.counter > known.counter + mostEpochSteps)
    throw new Refusal(
      'bad_message',
      `Epoch ${epoch.counter} is more than ${mostEpochSteps} above the last one of ${account.address} (${known.counter}). Take over with the next one.`,
    );
  if (epoch.counter > known.counter) await relay.setEpoch(account.address, epoch);
  return { ...account, epoch };
}
