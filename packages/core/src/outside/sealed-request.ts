// How a request link's content and its answer are sealed (ADR 0032): AES-256-GCM, with a key of its own for each direction, derived from
// the one in the link's fragment. The peer and the page that a browser loads run this same code, each with its own Web Crypto.

const labels = { request: 'parley request link 1: request', answer: 'parley request link 1: answer' } as const;
export type SealDirection = keyof typeof labels;

export interface LinkSeal {
  /** Web Crypto of the machine. */
  subtle: InstanceType<typeof SubtleCrypto>;
  /** 32 bytes, from the fragment. */
  key: Uint8Array<ArrayBuffer>;
  /** The ciphertext belongs to this link alone. */
  linkId: string;
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

async function cipher({ subtle, key, linkId }: LinkSeal, direction: SealDirection, nonce: Uint8Array<ArrayBuffer>) {
  const base = await subtle.importKey('raw', key, 'HKDF', false, ['deriveKey']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: bytesOf(linkId), info: bytesOf(labels[direction]) };
  const derived = await subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  return { derived, options: { name: 'AES-GCM', iv: nonce, additionalData: bytesOf(`${direction} ${linkId}`) } };
}

export const linkNonceBytes = 12;

/** `nonce`: 12 random bytes, never the same twice. */
export async function sealForLink(
  seal: LinkSeal,
  direction: SealDirection,
  value: unknown,
  nonce: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { derived, options } = await cipher(seal, direction, nonce);
  const sealed = await seal.subtle.encrypt(options, derived, bytesOf(JSON.stringify(value)));
  return writeBase64Url(new Uint8Array([...nonce, ...new Uint8Array(sealed)]));
}

/** Rejects where the text was not sealed with this key, for this link, in this direction. */
export async function openFromLink(seal: LinkSeal, direction: SealDirection, text: string): Promise<unknown> {
  const bytes = readBase64Url(text);
  const { derived, options } = await cipher(seal, direction, bytes.slice(0, linkNonceBytes));
  const opened = await seal.subtle.decrypt(options, derived, bytes.slice(linkNonceBytes));
  return JSON.parse(new TextDecoder().decode(opened)) as unknown;
}

export const writeBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export const readBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** What a request link carries. */
export interface LinkRequest {
  to: string;
  from: string;
  request: string;
  times: { hash: string; words: string }[];
  zone: string;
}

export interface LinkAnswer {
  kind: 'works' | 'other' | 'cannot';
  /** Of the picked time; null for other answers. */
  hash: string | null;
  text: string;
}
