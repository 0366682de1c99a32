import fc from 'fast-check';
import { expect, test } from 'vitest';
import { animated, canvas, gif, jpeg, lossless, lossy, png, webp } from '../../test/kit/images.ts';
import { imageSize } from './image-size.ts';

const sizeOf = (type: string, bytes: Uint8Array) =>
  imageSize(`image/${type}`, (at, length) => Promise.resolve(bytes.subarray(at, at + length)));
const small = fc.tuple(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 2000 }));

test('an ordinary image has the size that its header says', async () => {
  await fc.assert(
    fc.asyncProperty(small, fc.constantFrom(0xc0, 0xc1, 0xc2), fc.boolean(), async ([width, height], marker, trailer) => {
      const size = { width, height };
      expect(await sizeOf('png', png([width, height]))).toEqual(size);
      expect(await sizeOf('jpeg', jpeg([width, height], { marker }))).toEqual(size);
      expect(await sizeOf('gif', gif([width, height], [[1, 1]], trailer))).toEqual(size);
      expect(await sizeOf('webp', webp(lossy([width, height])))).toEqual(size);
      expect(await sizeOf('webp', webp(lossless([width, height])))).toEqual(size);
      expect(await sizeOf('webp', webp(canvas([width, height]), animated([1, 1], lossy([1, 1]))))).toEqual(size);
    }),
  );
});

const large = [16_000, 9000] as const;
test.each([
  ['gif', 'its second frame', gif([10, 10], [[10, 10], large])],
  ['jpeg', 'a second frame header', jpeg(large, { decoy: [10, 10] })],
  ['webp', 'the bitstream of an extended file', webp(canvas([10, 10]), lossy(large))],
  ['webp', 'a frame', webp(canvas([10, 10]), animated([10, 10], lossy([10, 10])), animated(large, lossy([10, 10])))],
  ['webp', 'the bitstream of a frame', webp(canvas([10, 10]), animated([10, 10], lossless(large)))],
])('[SYS-14] a %s is as large as %s', async (type, _title, bytes) => {
  expect(await sizeOf(type, bytes)).toEqual({ width: large[0], height: large[1] });
});

const control = Buffer.from([0x21, 0xf9, 4]);
const shortened = gif([10, 10], [large]);
shortened[shortened.indexOf(control) + 2] = 1;
test.each([
  ['gif', 'an extension that browsers read past', shortened],
  ['gif', 'an unknown block', Buffer.concat([gif([10, 10], [], false), Buffer.of(1)])],
  ['jpeg', 'bytes between its segments', Buffer.concat([Buffer.of(0xff, 0xd8, 0), jpeg([10, 10]).subarray(2)])],
  ['jpeg', 'no frame header', Buffer.concat([Buffer.of(0xff, 0xd8), jpeg([10, 10]).subarray(-11)])],
  ['png', 'another chunk before its header', Buffer.from(png([10, 10])).fill('CgBI', 12, 16)],
  ['webp', 'no frame', webp()],
])('[SYS-14] a %s with %s says no size', async (type, _title, bytes) => {
  expect(await sizeOf(type, bytes)).toBeUndefined();
});

test('[SYS-14] one of parts without number says no size, after a bounded look', async () => {
  const bytes = Buffer.alloc(2_000_000, Buffer.of(0xff, 0xd0));
  bytes[1] = 0xd8;
  let reads = 0;
  const read = (at: number, length: number) => Promise.resolve((reads++, bytes.subarray(at, at + length)));
  expect(await imageSize('image/jpeg', read)).toBeUndefined();
  expect(reads).toBeLessThan(10);
});

test('whatever the bytes, the reader comes to an end without an error', async () => {
  const whole = fc.constantFrom(
    ['gif', gif([10, 10], [[20, 20]])] as const,
    ['jpeg', jpeg([10, 10])] as const,
    ['webp', webp(canvas([10, 10]), animated([10, 10], lossy([10, 10])))] as const,
    ['png', png([10, 10])] as const,
  );
  const edits = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(whole, edits, fc.nat(250), async ([type, image], changes, length) => {
      const bytes = Buffer.from(image);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      await sizeOf(type, bytes.subarray(0, length));
    }),
    { numRuns: 1000 },
  );
});
