// Calls to model and tool servers. A member who names a server for the hub must not reach with it what only the hub can:
// this machine, its network, the metadata service of a cloud.

import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@parley/protocol';

/** Rejects an address that it may not call; otherwise as the platform's own. */
export type Outbound = typeof fetch;

/** The servers in the hub's own network that may be called: all, or those listed as host or host:port. */
export const privateServices =
  (allowed: 'any' | readonly string[]) =>
  ({ host, hostname }: URL): boolean =>
    allowed === 'any' || allowed.includes(host) || allowed.includes(hostname);

export function outboundFetch(mayCallPrivate: (target: URL) => boolean): Outbound {
  let guarded: Promise<object> | undefined;
  return async (input, init) => {
    const target = new URL(input instanceof Request ? input.url : input);
    // A redirect would lead to an address that nobody has checked, and one that is a number is not even looked up.
    const requestInit = { ...init, redirect: 'manual' } as const;
    if (mayCallPrivate(target)) return fetch(input, requestInit);
    mustBePublic(target);
    // The address is checked at the connection, so that a name that resolves differently the second time gains nothing.
    guarded ??= import('undici').then(({ Agent }) => new Agent({ connect: { lookup: publicOnly } }));
    return fetch(input, { ...requestInit, dispatcher: await guarded } as RequestInit);
  };
}

// The addresses the hub may call. A member who may name an address for it must not reach with it what only the hub can:
// this machine, its network, the metadata service of a cloud.

/** The address is on a network that webhooks may not reach. */
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

/** The address is checked at the connection, so that a name that resolves differently the second time gains nothing. */
export const publicOnly: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '', 0);
    if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address))) return done(new PrivateTarget(host), '', 0);
    if (options.all) return done(null, found);
    done(null, found[0]!.address, found[0]!.family);
  });
};

/** Counts the bytes of an answer as they come; `count` throws to break it off. */
export function countBytes(answer: Response, count: (bytes: number) => void): Response {
  if (!answer.body) return answer;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      count(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(counter), answer);
}
