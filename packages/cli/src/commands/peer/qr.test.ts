import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { qrOf } from './qr.ts';

const stream = (properties: object): NodeJS.WriteStream => Object.assign(new PassThrough(), properties) as unknown as NodeJS.WriteStream;
const card = 'a2acp1.'.padEnd(190, 'x');

test('[A2C-4] a QR code is shown in a terminal that is wide enough, or where somebody asks for it', () => {
  const shown = qrOf(card, {}, stream({ isTTY: true, columns: 80 }));
  const lines = stripVTControlCharacters(shown).split('\n');
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.at(-1)).toBe('');
  expect(new Set(lines.slice(0, -1).map((line) => line.length)).size).toBe(1);
  expect(qrOf(card, {}, stream({ isTTY: true, columns: 40 }))).toBe('');
  expect(qrOf(card, {}, stream({ isTTY: true, columns: 0 })), 'of unknown width').toBe(shown);
  expect(qrOf(card, {}, stream({}))).toBe('');
  expect(qrOf(card, { qr: true }, stream({}))).toBe(stripVTControlCharacters(shown));
});
