// The exact bytes that each signature of the sealed line is over. A text of its own for each purpose keeps a signature for one from
// passing as one for another.

import { utf8 } from './bytes.ts';
import type { DeviceEpoch } from './frames.ts';

const toSign = (purpose: string, value: CanonicalValue): Uint8Array => utf8(`a2acp-${purpose}/1\0${canonicalJson(value)}`);

/** What both sides know of a connection once the challenge is there. */
export interface Greeting {
  relay: string;
  relay_key: string;
  /** The relay's nonce, used once. */
  nonce: string;
  /** The client's nonce, which makes the relay prove its key. */
  client_nonce: string;
}

export const challengeToSign = (greeting: Greeting, version: number): Uint8Array => toSign('challenge', { ...greeting, version });

/** Bound to the relay's name and key and to a nonce, not to the URL: a proxy may stand between (A2C-1). */
export const loginToSign = (greeting: Greeting, login: { address: string; key: string; epoch: DeviceEpoch }): Uint8Array =>
  toSign('login', { ...greeting, address: login.address, key: login.key, epoch: login.epoch });

export const registrationToSign = (
  greeting: Greeting,
  { name, code, email, key, epoch }: { name: string; code: string; email?: string | undefined; key: string; epoch: DeviceEpoch },
): Uint8Array => toSign('register', { ...greeting, name, code, email: email ?? null, key, epoch });

/** What two relays know of a line between them once the challenge is there: names, keys and a nonce of each (A2C-10). */
export interface LineGreeting {
  /** Who opened the line. */
  caller: string;
  caller_key: string;
  caller_nonce: string;
  relay: string;
  relay_key: string;
  nonce: string;
}

export const lineChallengeToSign = (greeting: LineGreeting, version: number): Uint8Array =>
  toSign('line-challenge', { ...greeting, version });

export const lineLoginToSign = (greeting: LineGreeting, version: number): Uint8Array => toSign('line-login', { ...greeting, version });

/** A statement travels as its canonical text; the purpose is signed with it. */
export const statementToSign = (purpose: 'directory' | 'report', statement: string): Uint8Array => utf8(`a2acp-${purpose}/1\0${statement}`);

/** One step of a change of the coordinator: the new one accepts the role, and the old one gives it up. */
export const transferToSign = (step: {
  thread_id: string;
  from: string;
  to: string;
  number: number;
  step: 'accepted' | 'granted';
}): Uint8Array => toSign('coordinator-transfer', step);

/** One person's confirmation of one proposal in a group: it says nothing about any other. */
export const confirmationToSign = (confirmation: { thread_id: string; proposal_hash: string; agent: string }): Uint8Array =>
  toSign('confirmation', confirmation);

// The one text of a JSON value (RFC 8785), for everything that is signed or hashed. Numbers are integers here, so that no language
// has to agree with another about fractions.

export type CanonicalValue = string | number | boolean | null | readonly CanonicalValue[] | { readonly [key: string]: CanonicalValue };

/** Throws on numbers that are not safe integers and on half characters. */
export function canonicalJson(value: CanonicalValue): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('a text holds half a surrogate pair');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number below 2^53`);
    return String(Object.is(value, -0) ? 0 : value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${canonicalJson(key)}:${canonicalJson(value[key]!)}`);
  return `{${members.join(',')}}`;
}

const isList = (value: object): value is readonly CanonicalValue[] => Array.isArray(value);
