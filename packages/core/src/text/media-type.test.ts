import { expect, test } from 'vitest';
import { isShownType, mediaType } from './media-type.ts';

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
const page = new TextEncoder().encode('<html>');

test.each([
  ['bytes of an image, whatever it is called', 'text/html', png, 'image/png'],
  ['a page that calls itself an image', 'image/png', page, 'application/octet-stream'],
  ['another type is kept, without its parameters', 'Text/HTML; charset=utf-8', page, 'text/html'],
  ['no type, or none that can be read', 'x', page, 'application/octet-stream'],
])('%s', (_title, declared, head, expected) => {
  expect(mediaType(declared, head)).toBe(expected);
});

test('only images are shown', () => {
  expect([isShownType('image/webp'), isShownType('image/svg+xml'), isShownType('text/html')]).toEqual([true, false, false]);
});
