// RFC 9649: the canvas of an extended file, each frame of an animation, and the bitstream of each.

import { type ByteWindow, EndOfBytes } from './byte-window.ts';
import { type ImageSize, largest, MalformedImage } from './largest-size.ts';

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;

type ReadSize = (bytes: ByteWindow, at: number) => Promise<ImageSize>;
const sizeIn: Readonly<Record<string, ReadSize>> = {
  VP8X: async (bytes, at) => {
    const view = await bytes.view(at + 4, 6);
    return { width: uint24(view, 0) + 1, height: uint24(view, 3) + 1 };
  },
  ANMF: async (bytes, at) => {
    const view = await bytes.view(at, 12);
    return { width: 2 * uint24(view, 0) + uint24(view, 6) + 1, height: 2 * uint24(view, 3) + uint24(view, 9) + 1 };
  },
  /** RFC 6386, 9.1: only a key frame has a size. */
  'VP8 ': async (bytes, at) => {
    const view = await bytes.view(at, 10);
    if ((view.getUint8(0) & 1) === 1 || view.getUint16(3) !== 0x9d01 || view.getUint8(5) !== 0x2a) throw new MalformedImage('no key frame');
    return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff };
  },
  VP8L: async (bytes, at) => {
    const view = await bytes.view(at, 5);
    if (view.getUint8(0) !== 0x2f) throw new MalformedImage('no lossless frame');
    const bits = view.getUint32(1, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  },
};
/** The chunks of a frame follow its own fields. */
const frameFields = 16;

export async function webpSize(bytes: ByteWindow): Promise<ImageSize> {
  let size: ImageSize = { width: 0, height: 0 };
  try {
    for (let at = 12; ;) {
      const name = await bytes.text(at, 4);
      const length = (await bytes.view(at + 4, 4)).getUint32(0, true);
      const found = await sizeIn[name]?.(bytes, at + 8);
      if (found) size = largest([size, found]);
      at += 8 + (name === 'ANMF' ? frameFields : length + (length % 2));
    }
  } catch (error) {
    // It is the only end there is: what follows the last chunk of the file is nothing.
    if (error instanceof EndOfBytes) return size;
    throw error;
  }
}
