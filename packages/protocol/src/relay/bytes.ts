// Bytes and their texts, for every runtime: no Buffer, no Node.

import { z } from 'zod';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Throws where the bytes are not UTF-8. */
export const fromUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws where the text is not the one base64url form of its bytes. */
export function fromBase64Url(text: string): Uint8Array {
  if (!/^[\w-]*$/.test(text)) throw new Error('not base64url');
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  if (toBase64Url(bytes) !== text) throw new Error('not canonical base64url');
  return bytes;
}

/** The pattern of a text that stands for exactly so many bytes: far cheaper than decoding and encoding again. */
export function base64UrlForm(length: number): string {
  const characters = Math.ceil((length * 8) / 6);
  const unusedBits = characters * 6 - length * 8;
  const last = alphabet
    .split('')
    .filter((_, value) => value % 2 ** unusedBits === 0)
    .join('');
  return `[\\w-]{${characters - 1}}[${last.replace('-', '\\-')}]`;
}

/** A text that stands for exactly so many bytes. */
export const bytesOf = (length: number) =>
  z.string().regex(new RegExp(`^${base64UrlForm(length)}$`), `must be ${length} bytes as base64url without padding`);

/** A text that stands for at most so many bytes. */
export const bytesUpTo = (most: number) =>
  z
    .string()
    .min(1)
    .max(Math.ceil((most * 4) / 3))
    .regex(/^[\w-]+$/, 'must be base64url without padding');
