// The addresses the hub may call. A member who may name an address for it must not reach with it what only the hub can:
// this machine, its network, the metadata service of a cloud.

import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** It lies where webhooks may not lead. */
export class PrivateTarget extends Error {
  constructor(host: string) {
    super(`${host} is a private, loopback or link-local address; PARLEY_WEBHOOK_PRIVATE=1 allows them.`);
    this.name = 'PrivateTarget';
  }
}

const closed = new BlockList();
// prettier-ignore
for (const [net, bits] of [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.0.0.0', 24],
  ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
] as const) closed.addSubnet(net, bits, 'ipv4');
// prettier-ignore
for (const [net, bits] of [
  ['::', 96], ['::ffff:0:0:0', 96], ['64:ff9b::', 96], ['64:ff9b:1::', 48], ['100::', 64], ['2001::', 23], ['2001:db8::', 32], ['2002::', 16],
  ['3fff::', 20], ['5f00::', 16], ['fc00::', 7], ['fe80::', 10], ['fec0::', 10], ['ff00::', 8],
] as const) closed.addSubnet(net, bits, 'ipv6');

/** An IPv4 address in the clothes of an IPv6 one is judged as what it is. */
export function isPublic(address: string): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const family = isIP(plain);
  return family !== 0 && !closed.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** An address in the URL itself is never looked up, and so asked about here. */
export function mustBePublic({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  // This one leads to the hub itself wherever it is looked up.
  if (/(?:^|\.)localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublic(host))) throw new PrivateTarget(host);
}

/** Asked where the connection is made: a name that leads elsewhere the second time gets nobody in. */
export const publicOnly: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '', 0);
    if (found.length === 0 || !found.every(({ address }) => isPublic(address))) return done(new PrivateTarget(host), '', 0);
    if (options.all) return done(null, found);
    done(null, found[0]!.address, found[0]!.family);
  });
};
