// Is a webhook's request from whom it says? A secret that is not set, or blank, lets nobody in.

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Source } from '@parley/protocol';
import type { SecretStore } from '../../agents/secrets.ts';
import { sameSecret } from '../../data-dir.ts';

const oldestMs = 5 * 60_000;

export async function signedBy(
  webhook: NonNullable<Source['webhook']>,
  keys: Pick<SecretStore, 'keyFor'>,
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): Promise<boolean> {
  // An unreadable secret counts as missing; the list of secrets gives the reason.
  const secret = (await keys.keyFor(webhook.secret).catch(() => undefined))?.trim();
  if (secret === undefined || secret === '') return false;
  if (webhook.verify === 'secret') return secretsIn(headers.authorization).some((one) => sameSecret(one, secret));
  const signature = headers[webhook.header];
  if (typeof signature !== 'string') return false;
  const time = webhook.timestamp_header === undefined ? undefined : headers[webhook.timestamp_header];
  if (webhook.timestamp_header !== undefined && !isFresh(time, now)) return false;
  const hmac = createHmac('sha256', secret);
  if (typeof time === 'string') hmac.update(`${time}:`);
  return sameSecret(signature.toLowerCase().replace(/^sha256=/, ''), hmac.update(body).digest('hex'));
}

/** Overheard and sent again later, it would be good for ever. Seconds, as Grafana writes them. */
const isFresh = (time: unknown, now: number): boolean =>
  typeof time === 'string' && /^\d{1,12}$/.test(time) && Math.abs(Number(time) * 1000 - now) <= oldestMs;

/** The secret as a bearer token, or as the password of Basic authentication with any user name. */
function secretsIn(authorization: string | undefined): string[] {
  const [, scheme, value] = /^(Bearer|Basic) (\S{1,1000})$/i.exec(authorization ?? '') ?? [];
  if (scheme === undefined || value === undefined) return [];
  if (scheme.toLowerCase() === 'bearer') return [value];
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.includes(':') ? [text.slice(text.indexOf(':') + 1)] : [];
}
