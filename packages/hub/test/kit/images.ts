// Images written by hand: no more than their headers, which say how large they are.

type Size = readonly [width: number, height: number];

const le16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value & 255, value >> 8]));
const be16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
const le24 = (value: number): Buffer => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);

/** `screen`, then a frame of each size, the first after a comment; both have color tables. */
export function gif(screen: Size, frames: readonly Size[], trailer = true): Buffer {
  const colors = Buffer.alloc(6);
  const comment = Buffer.from([0x21, 0xfe, 3, 0x2c, 0, 0, 0]);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]);
  const drawn = frames.map((size) =>
    Buffer.concat([control, Buffer.of(0x2c), le16(0, 0, ...size), Buffer.of(0x80), colors, Buffer.from([2, 2, 0x4c, 0x01, 0])]),
  );
  return Buffer.concat([
    Buffer.from('GIF89a'),
    le16(...screen),
    Buffer.from([0x80, 0, 0]),
    colors,
    comment,
    ...drawn,
    ...(trailer ? [Buffer.of(0x3b)] : []),
  ]);
}

const segment = (marker: number, data: Buffer): Buffer => Buffer.concat([Buffer.of(0xff, marker), be16(data.length + 2), data]);
const frameHeader = ([width, height]: Size, marker = 0xc0): Buffer =>
  segment(marker, Buffer.concat([Buffer.of(8), be16(height, width), Buffer.of(1, 1, 0x11, 0)]));

/** `decoy`: a size inside a segment, where a reader finds it that takes the fill byte before it for a marker. */
export function jpeg(size: Size, { decoy, marker }: { decoy?: Size; marker?: number } = {}): Buffer {
  const app = segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1'));
  const hidden = Buffer.alloc(65_000);
  if (decoy) frameHeader(decoy).copy(hidden, (0xe0 << 8) + ((hidden.length + 2) >> 8) - 3);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    app,
    ...(decoy ? [Buffer.of(0xff), segment(0xe0, hidden)] : []),
    frameHeader(size, marker),
    segment(0xda, Buffer.of(1, 1, 0, 0, 0x3f, 0)),
    Buffer.from([0, 0xff, 0xd9]),
  ]);
}

export function png([width, height]: Size): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000000806000000', 'hex');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return Buffer.concat([header, Buffer.alloc(8)]);
}

const chunk = (name: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(name), length, data, Buffer.alloc(data.length % 2)]);
};
export const lossy = (size: Size): Buffer => chunk('VP8 ', Buffer.concat([Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a]), le16(...size)]));
export const canvas = ([width, height]: Size): Buffer => chunk('VP8X', Buffer.concat([Buffer.alloc(4), le24(width - 1), le24(height - 1)]));
export const animated = ([width, height]: Size, inside: Buffer): Buffer =>
  chunk('ANMF', Buffer.concat([Buffer.alloc(6), le24(width - 1), le24(height - 1), Buffer.alloc(4), inside]));
export function lossless([width, height]: Size): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14);
  return chunk('VP8L', Buffer.concat([Buffer.of(0x2f), bits]));
}
export function webp(...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), length, body]);
}
