// How a secret is sealed in the database: AES-256-GCM, with its name as associated data.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretRow } from '../store/tables.ts';

const scheme = 'v1';

export function sealSecret(key: Uint8Array, name: string, value: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return `${scheme}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
}

/** Undefined: it was sealed with another key. */
export function unsealSecret(key: Uint8Array, { name, sealed }: Pick<SecretRow, 'name' | 'sealed'>): string | undefined {
  try {
    const [version, text = ''] = sealed.split('.');
    if (version !== scheme) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
