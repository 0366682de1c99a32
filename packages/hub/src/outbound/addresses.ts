// The addresses the hub may call. A member who may name an address for it must not reach with it what only the hub can:
// this machine, its network, the metadata service of a cloud.

import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@parley/protocol';

/** It lies where webhooks may not lead. */
export class PrivateTarget extends Error {
  constructor(host: string) {
    super(`${host} is a private, loopback or link-local address; PARLEY_WEBHOOK_PRIVATE=1 allows them.`);
    this.name = 'PrivateTarget';
  }
}

/** An address in the URL itself is never looked up, and so asked about here. */
export function mustBePublic({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  // This one leads to the hub itself wherever it is looked up.
  if (/(?:^|\.)localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw new PrivateTarget(host);
}

/** Asked where the connection is made: a name that leads elsewhere the second time gets nobody in. */
export const publicOnly: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '', 0);
    if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address))) return done(new PrivateTarget(host), '', 0);
    if (options.all) return done(null, found);
    done(null, found[0]!.address, found[0]!.family);
  });
};
