// Addresses on the sealed line: `agent:ann@relay.example` (A2C-1).

import { z } from 'zod';
import { joinBytes, utf8 } from './bytes.ts';

// Lower case only, so that no two spellings name two people.
const nameForm = '[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?';
const relayForm = String.raw`(?=[a-z0-9.:-]{1,253}(?![a-z0-9.:-]))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?`;
/** Of an address, wherever it stands in a text. */
export const peerAddressForm = `agent:${nameForm}@${relayForm}`;

export const PeerName = z
  .string()
  .regex(new RegExp(`^${nameForm}$`), 'must be 1 to 32 of a-z, 0-9, ".", "_", "-", and begin and end with a letter or digit');

/** Of a handle, in a peer's name: the rest is for a number, where the name is taken. */
export const mostHandleLetters = 28;

/** A domain, with a port where it is not the usual one. */
export const RelayName = z.string().regex(new RegExp(`^${relayForm}$`), 'must be a domain in lower case');

const form = /^agent:([^@]*)@(.*)$/;

export const PeerAddress = z.string().regex(new RegExp(`^${peerAddressForm}$`), 'must be an address: agent:<name>@<relay>');

export const peerAddress = (name: string, relay: string): string => `agent:${name}@${relay}`;

/** The two parts of an address that `PeerAddress` accepts. */
export function addressParts(address: string): { name: string; relay: string } {
  const [, name = '', relay = ''] = form.exec(address) ?? [];
  return { name, relay };
}

// A fingerprint is one person's half of every safety number of theirs: six groups of five digits for an address and its key (A2C-4).

export interface KeyHolder {
  address: string;
  key: Uint8Array;
}

const groups = 6;

/** About 100 bits: too many to search for a key with the same digits. `blake2b` comes from the caller, whose library it is. */
export function fingerprintOf({ address, key }: KeyHolder, blake2b: (bytes: Uint8Array, length: number) => Uint8Array): string {
  const hash = blake2b(joinBytes(utf8(`a2acp-safety/1\0${address}\0`), key), groups * 5);
  const digits = Array.from({ length: groups }, (_, i) => {
    const number = hash.subarray(i * 5, i * 5 + 5).reduce((sum, byte) => sum * 256 + byte, 0);
    return String(number % 100_000).padStart(5, '0');
  });
  return digits.join(' ');
}
