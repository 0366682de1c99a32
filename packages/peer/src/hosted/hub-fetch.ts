// Requests of the peers' thread, which the hub's thread makes: it decides which addresses may be called. A redirect is an answer like
// any other, so that its address comes here as well.

import { PeerCallError } from '@parley/protocol';
import { bytesOf, requestTimeoutMs } from '../calendar/bounded-fetch.ts';

export interface HubRequest {
  url: string;
  method: string;
  headers: [string, string][];
  body: string | null;
}

export interface HubResponse {
  status: number;
  statusText: string;
  headers: [string, string][];
  body: Uint8Array<ArrayBuffer>;
}

/** On the hub's thread. */
export async function makeRequest(call: typeof fetch, { url, method, headers, body }: HubRequest): Promise<HubResponse> {
  try {
    const response = await call(url, { method, headers, body, redirect: 'manual', signal: AbortSignal.timeout(requestTimeoutMs) });
    const { status, statusText } = response;
    return { status, statusText, headers: [...response.headers], body: await bytesOf(response, new URL(url)) };
  } catch (error) {
    // Only the text crosses to the other thread, and the reason is in the cause.
    const reason = (error instanceof Error && error.cause instanceof Error ? error.cause : error) as NodeJS.ErrnoException;
    throw neverLeft(reason) ? new PeerCallError('refused', reason.message) : reason;
  }
}

/** Nobody got the request. */
const neverLeft = ({ name, code = '' }: NodeJS.ErrnoException): boolean =>
  name === 'PrivateTarget' || code === 'ECONNREFUSED' || code === 'ENOTFOUND';

/** On the peers' thread. The hub's thread ends a request that takes too long. */
export const fetchThrough =
  (send: (request: HubRequest) => Promise<HubResponse>): typeof fetch =>
  async (input, { method = 'GET', headers, body = null } = {}) => {
    if (input instanceof Request || (body !== null && typeof body !== 'string'))
      throw new TypeError('The hub takes an address and a text, no Request and no stream.');
    const answer = await send({ url: String(input), method, headers: [...new Headers(headers)], body });
    return new Response(answer.body.length === 0 ? null : answer.body, answer);
  };
