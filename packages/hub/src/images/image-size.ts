// How large an image unpacks, by every place in it that says so: decoders differ in which of them they believe.

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

// Bytes of a file by their place, a part of it in memory at a time: what says how large an image is may stand anywhere.

export type ReadBytes = (at: number, length: number) => Promise<Uint8Array>;

/** The file ends before what it promises. */
class EndOfBytes extends Error {
  constructor() {
    super('The file ends early.');
    this.name = 'EndOfBytes';
  }
}

const windowBytes = 65_536;
/** A GIF of the largest size has 100,000 blocks; a file with more to look at is made to keep the hub busy. */
const mostLooks = 300_000;

class ByteWindow {
  private readonly read: ReadBytes;
  private held = new Uint8Array();
  private start = 0;
  private looks = 0;

  constructor(read: ReadBytes) {
    this.read = read;
  }

  async view(at: number, length: number): Promise<DataView> {
    if (++this.looks > mostLooks) throw new MalformedImage('too many parts');
    if (at < this.start || at + length > this.start + this.held.length) {
      this.held = new Uint8Array(await this.read(at, Math.max(length, windowBytes)));
      this.start = at;
    }
    if (this.held.length < at - this.start + length) throw new EndOfBytes();
    return new DataView(this.held.buffer, this.held.byteOffset + at - this.start, length);
  }

  async byte(at: number): Promise<number> {
    return (await this.view(at, 1)).getUint8(0);
  }

  async text(at: number, length: number): Promise<string> {
    const view = await this.view(at, length);
    return String.fromCodePoint(...new Uint8Array(view.buffer, view.byteOffset, length));
  }
}

// The size that counts where an image names several.

export interface ImageSize {
  width: number;
  height: number;
}

/** The file breaks its format, so nobody knows what a browser would make of it. */
class MalformedImage extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'MalformedImage';
  }
}

const largestOf = (sizes: readonly ImageSize[]): ImageSize =>
  sizes.reduce((most, { width, height }) => ({ width: Math.max(most.width, width), height: Math.max(most.height, height) }), {
    width: 0,
    height: 0,
  });

// GIF89a: a browser enlarges the screen to the frames, so each frame counts, and frames stand anywhere in the file.

const [extension, frame, trailer] = [0x21, 0x2c, 0x3b];
/** Sections 23, 25 and 26. Browsers read so many bytes whatever length is written, and would find other frames than we do. */
const blockBytes = new Map([
  [0x01, 12],
  [0xf9, 4],
  [0xff, 11],
]);

const colorTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

async function gifSize(bytes: ByteWindow): Promise<ImageSize> {
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
        size = largestOf([size, { width: left + width, height: top + height }]);
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

// ITU-T T.81, annex B: segments up to the first scan. Decoders take one frame header and refuse another; we count them all.

const startOfScan = 0xda;
/** C0 to CF but for the tables DHT, JPG and DAC. */
const isFrameHeader = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** TEM, and the restarts. */
const hasNoLength = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
const isOutOfPlace = (marker: number): boolean => marker === 0x00 || marker === 0xd8 || marker === 0xd9;

async function jpegSize(bytes: ByteWindow): Promise<ImageSize> {
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
    if (marker === startOfScan) return largestOf(sizes);
    if (isFrameHeader(marker)) {
      const header = await bytes.view(at + 2, 5);
      sizes.push({ width: header.getUint16(3), height: header.getUint16(1) });
    }
    at += length;
  }
}

// RFC 9649: the canvas of an extended file, each frame of an animation, and the bitstream of each.

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

async function webpSize(bytes: ByteWindow): Promise<ImageSize> {
  let size: ImageSize = { width: 0, height: 0 };
  try {
    for (let at = 12; ;) {
      const name = await bytes.text(at, 4);
      const length = (await bytes.view(at + 4, 4)).getUint32(0, true);
      const found = await sizeIn[name]?.(bytes, at + 8);
      if (found) size = largestOf([size, found]);
      at += 8 + (name === 'ANMF' ? frameFields : length + (length % 2));
    }
  } catch (error) {
    // A WebP file marks no other end: it may stop after any chunk.
    if (error instanceof EndOfBytes) return size;
    throw error;
  }
}
