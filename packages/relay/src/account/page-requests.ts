// Checks a request of the account page before reading it: the page's own origin, JSON, and a limited size.

import type { IncomingMessage } from 'node:http';
import { invalidRequest, ParleyError, problemsOf } from '@parley/protocol';
import type { z } from 'zod';

const mostBytes = 16 * 1024;

export interface PageSettings {
  /** The address of the page. If undefined, it follows from the relay's name. */
  pageUrl: string | undefined;
  tls: object | undefined;
}

/** The page's own origin. No header names it: a page on another port of this host could send any. */
export function originOf({ pageUrl, tls }: PageSettings, relayName: string, port: number): string {
  if (pageUrl !== undefined) return new URL(pageUrl).origin;
  if (relayName === 'localhost' && !tls) return `http://localhost:${port}`;
  return new URL(tls && !relayName.includes(':') ? `https://${relayName}:${port}` : `https://${relayName}`).origin;
}

/** The path in the page's URL, which a proxy may have put there, else the one where the relay is mounted. */
export function basePathOf({ pageUrl }: PageSettings, mounted: string): string {
  const path = pageUrl === undefined ? '' : new URL(pageUrl).pathname.replace(/\/+$/, '');
  return path === '' ? mounted : path;
}

/** A GET changes nothing and may come from a program; only browsers say that another site sent it. */
export function mustComeFrom(origin: string, { method, headers }: IncomingMessage): void {
  const isOwn = method === 'GET' ? !/^(cross|same)-site$/.test(String(headers['sec-fetch-site'])) : headers.origin === origin;
  if (isOwn) return;
  const sender = headers.origin ?? (method === 'GET' ? 'another site' : 'a program');
  throw new ParleyError('origin_refused', `This request must come from ${origin}, not ${sender}. Open the page there.`);
}

/** Throws a `ParleyError` that names each field. */
export async function bodyOf<T extends z.ZodType>(request: IncomingMessage, form: T): Promise<z.output<T>> {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new ParleyError('unsupported_media', 'The body must be application/json.');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    parts.push(part);
    if ((size += part.length) > mostBytes) throw new ParleyError('too_large', `A body is at most ${mostBytes} bytes.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new ParleyError('malformed_json');
  }
  const { success, data, error } = form.safeParse(value);
  if (!success) throw invalidRequest(problemsOf(error));
  return data;
}
