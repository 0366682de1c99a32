// ITU-T T.81, annex B: segments up to the first scan. Decoders take one frame header and refuse another; we count them all.

import type { ByteWindow } from './byte-window.ts';
import { type ImageSize, largest, MalformedImage } from './largest-size.ts';

const startOfScan = 0xda;
/** C0 to CF but for the tables DHT, JPG and DAC. */
const isFrameHeader = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** TEM, and the restarts. */
const hasNoLength = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
const isOutOfPlace = (marker: number): boolean => marker === 0x00 || marker === 0xd8 || marker === 0xd9;

export async function jpegSize(bytes: ByteWindow): Promise<ImageSize> {
  const sizes: ImageSize[] = [];
  for (let at = 2; ;) {
    if ((await bytes.byte(at)) !== 0xff) throw new MalformedImage('no marker where one must be');
    // B.1.1.2: any number of bytes FF may stand before a marker.
    let marker = await bytes.byte(++at);
    while (marker === 0xff) marker = await bytes.byte(++at);
    at++;
    if (isOutOfPlace(marker)) throw new MalformedImage('a marker out of place');
    if (hasNoLength(marker)) continue;
    const length = (await bytes.view(at, 2)).getUint16(0);
    if (length < 2) throw new MalformedImage('a segment without a length');
    if (marker === startOfScan) return largest(sizes);
    if (isFrameHeader(marker)) {
      const header = await bytes.view(at + 2, 5);
      sizes.push({ width: header.getUint16(3), height: header.getUint16(1) });
    }
    at += length;
  }
}
