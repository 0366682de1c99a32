// Calls to model and tool servers. A member who names a server for the hub must not reach with it what only the hub can:
// this machine, its network, the metadata service of a cloud.

import { mustBePublic, publicOnly } from './addresses.ts';

/** Rejects an address that it may not call; otherwise as the platform's own. */
export type Outbound = typeof fetch;

/** Which servers in the hub's own network may be called: any, or those named by host or host:port. */
export const privateServices =
  (allowed: 'any' | readonly string[]) =>
  ({ host, hostname }: URL): boolean =>
    allowed === 'any' || allowed.includes(host) || allowed.includes(hostname);

export function outboundFetch(mayCallPrivate: (target: URL) => boolean): Outbound {
  let guarded: Promise<object> | undefined;
  return async (input, init) => {
    const target = new URL(input instanceof Request ? input.url : input);
    // A redirect would lead to an address that nobody has checked, and one that is a number is not even looked up.
    const asked = { ...init, redirect: 'manual' } as const;
    if (mayCallPrivate(target)) return fetch(input, asked);
    mustBePublic(target);
    // Asked where the connection is made, so that a name that leads elsewhere the second time gets nobody in.
    guarded ??= import('undici').then(({ Agent }) => new Agent({ connect: { lookup: publicOnly } }));
    return fetch(input, { ...asked, dispatcher: await guarded } as RequestInit);
  };
}
