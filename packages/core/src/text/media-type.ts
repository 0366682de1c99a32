// What an uploaded file is, by its bytes.

const images: readonly (readonly [type: string, firstBytes: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** Shown as an image; everything else is a download of bytes, whatever its uploader called it. */
export const isShownType = (type: string): boolean => images.some(([image]) => image === type);

/** Above it an image is shown as a file: a browser would unpack all of its pixels, however few bytes they take. */
export const mostPixels = 40_000_000;

/** `size`: as its header says; undefined: it says none, and nobody knows what a browser would make of it. */
export const isShownSize = (size: { width: number; height: number } | undefined): boolean =>
  size !== undefined && size.width * size.height <= mostPixels;

/** An image type is believed only when the bytes agree; a page that calls itself a picture stays a download. */
export function mediaType(declared: string | undefined, head: Uint8Array): string {
  const claimed = /^[a-z]+\/[a-z0-9.+-]{1,80}/.exec((declared ?? '').toLowerCase())?.[0] ?? 'application/octet-stream';
  const hex = Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const real = images.find(([, firstBytes]) => firstBytes.test(hex))?.[0];
  return real ?? (isShownType(claimed) ? 'application/octet-stream' : claimed);
}
