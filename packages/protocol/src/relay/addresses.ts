// Addresses on the sealed line: `agent:ann@relay.example` (A2C-1).

import { z } from 'zod';

/** Lower case only, so that no two spellings name two people. */
export const PeerName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?$/,
    'must be 1 to 32 of a-z, 0-9, ".", "_", "-", and begin and end with a letter or digit',
  );

/** A domain, with a port where it is not the usual one. */
export const RelayName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/, 'must be a domain in lower case');

const form = /^agent:([^@]*)@(.*)$/;

export const PeerAddress = z.string().refine((text) => {
  const [, name, relay] = form.exec(text) ?? [];
  return PeerName.safeParse(name).success && RelayName.safeParse(relay).success;
}, 'must be an address: agent:<name>@<relay>');

export const peerAddress = (name: string, relay: string): string => `agent:${name}@${relay}`;

/** The two parts of an address that `PeerAddress` accepts. */
export function addressParts(address: string): { name: string; relay: string } {
  const [, name = '', relay = ''] = form.exec(address) ?? [];
  return { name, relay };
}
