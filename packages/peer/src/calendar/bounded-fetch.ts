// Requests to a person's calendar server. The caller hands in its own fetch, so that a hub can keep its members from calling what only the hub
// can reach. Redirects are followed here, each through that fetch again.

import { joinBytes } from '@parley/protocol/relay';
import { CalendarError, reasonOf } from './problems.ts';

const mostBytes = 20 * 1024 * 1024;
const mostRedirects = 3;
export const requestTimeoutMs = 30_000;

export interface CalendarAccess {
  /** Of one calendar; for `listCalendars` also of a server. */
  url: string;
  /** The value of the header, such as `basicAuthorization` makes it. */
  authorization: string;
  fetch: typeof fetch;
}

export function basicAuthorization(username: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`)))}`;
}

const isLocal = ({ hostname }: URL): boolean => hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';

/** A password must not cross a network in the clear. */
export function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal(url)))) {
    throw new CalendarError(
      'bad_input',
      `A calendar server needs an address that begins with https://; this one is ${JSON.stringify(text.slice(0, 200))}.`,
    );
  }
  return url;
}

export function boundedFetch(access: CalendarAccess): typeof fetch {
  return async (input, init = {}) => {
    let url = checkedUrl(input instanceof Request ? input.url : String(input));
    mustBeThere(access, url);
    for (let redirects = 0; ; redirects++) {
      const response = await ask(access, url, init);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null || init.redirect === 'manual') return response;
      if (redirects === mostRedirects)
        throw new CalendarError('refused', `${url.host} redirects more than ${mostRedirects} times. Use the address that it leads to.`);
      url = checkedUrl(new URL(location, url).href);
      mustBeThere(access, url);
    }
  };
}

/** The password is for the host that the person named: another one gets it only when they name that. */
function mustBeThere({ url, authorization }: CalendarAccess, { host, href }: URL): void {
  const named = new URL(url).host;
  if (authorization === '' || host === named) return;
  throw new CalendarError(
    'refused',
    `${named} leads to ${host}, which does not get your password. If it is yours, use its address: ${href}`,
  );
}

async function ask({ authorization, fetch }: CalendarAccess, url: URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', authorization);
  let response: Response;
  let body: Uint8Array<ArrayBuffer>;
  try {
    response = await fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.timeout(requestTimeoutMs) });
    body = await bytesOf(response, url);
  } catch (error) {
    if (error instanceof CalendarError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CalendarError('server_away', `No answer from ${url.host}: ${reasonOf(cause)}.`);
  }
  if (response.status === 401)
    throw new CalendarError('unauthorized', `${url.host} does not accept the user name and password. Some servers want an app password.`);
  const { status, statusText } = response;
  return new Response(body.length === 0 ? null : body, { status, statusText, headers: response.headers });
}

export async function bytesOf(response: Response, url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (response.body) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > mostBytes)
        throw new CalendarError('too_large', `${url.host} answers with more than ${mostBytes} bytes. Ask about a shorter time.`);
      chunks.push(chunk);
    }
  }
  return joinBytes(...chunks);
}
