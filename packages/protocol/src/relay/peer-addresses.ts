// Addresses on the sealed line: `agent:ann@relay.example` (A2C-1).

import { z } from 'zod';

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
