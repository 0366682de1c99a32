// GIF89a: a browser enlarges the screen to the frames, so each frame counts, and frames stand anywhere in the file.

import { type ByteWindow, EndOfBytes } from './byte-window.ts';
import { type ImageSize, largest, MalformedImage } from './largest-size.ts';

const [extension, frame, trailer] = [0x21, 0x2c, 0x3b];
/** Sections 23, 25 and 26. Browsers read so many bytes whatever length is written, and would find other frames than we do. */
const blockBytes = new Map([
  [0x01, 12],
  [0xf9, 4],
  [0xff, 11],
]);

const colorTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

export async function gifSize(bytes: ByteWindow): Promise<ImageSize> {
  const screen = await bytes.view(6, 7);
  let size = { width: screen.getUint16(0, true), height: screen.getUint16(2, true) };
  let at = 13 + colorTableBytes(screen.getUint8(4));
  let frames = 0;
  try {
    for (;;) {
      const block = await bytes.byte(at);
      if (block === trailer) return size;
      if (block === extension) {
        const length = blockBytes.get(await bytes.byte(at + 1));
        if (length !== undefined && (await bytes.byte(at + 2)) !== length) throw new MalformedImage('an extension of another length');
        at = await afterSubBlocks(bytes, at + 2);
      } else if (block === frame) {
        const view = await bytes.view(at + 1, 9);
        const [left, top, width, height] = [0, 2, 4, 6].map((offset) => view.getUint16(offset, true)) as [number, number, number, number];
        size = largest([size, { width: left + width, height: top + height }]);
        frames++;
        at = await afterSubBlocks(bytes, at + 11 + colorTableBytes(view.getUint8(8)));
      } else throw new MalformedImage('an unknown block');
    }
  } catch (error) {
    // Many programs leave out the end; nothing can follow it.
    if (error instanceof EndOfBytes && frames > 0) return size;
    throw error;
  }
}

async function afterSubBlocks(bytes: ByteWindow, start: number): Promise<number> {
  for (let at = start; ;) {
    const length = await bytes.byte(at);
    at += length + 1;
    if (length === 0) return at;
  }
}
