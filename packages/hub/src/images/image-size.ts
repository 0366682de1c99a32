// How large an image unpacks, by every place in it that says so: decoders differ in which of them they believe.

import { ByteWindow, EndOfBytes, type ReadBytes } from './byte-window.ts';
import { gifSize } from './gif-size.ts';
import { jpegSize } from './jpeg-size.ts';
import { type ImageSize, MalformedImage } from './largest-size.ts';
import { webpSize } from './webp-size.ts';

/** PNG (third edition) 11.2.1: the header is the first chunk, and frames of an animation lie within it. */
async function pngSize(bytes: ByteWindow): Promise<ImageSize> {
  const header = await bytes.view(8, 16);
  if (header.getUint32(0) !== 13 || (await bytes.text(12, 4)) !== 'IHDR') throw new MalformedImage('no header');
  return { width: header.getUint32(8), height: header.getUint32(12) };
}

const readers: Readonly<Record<string, (bytes: ByteWindow) => Promise<ImageSize>>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
};

/** Undefined: it does not say, or is no image of this type. */
export async function imageSize(type: string, read: ReadBytes): Promise<ImageSize | undefined> {
  try {
    const size = await readers[type]?.(new ByteWindow(read));
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    if (error instanceof MalformedImage || error instanceof EndOfBytes) return undefined;
    throw error;
  }
}
