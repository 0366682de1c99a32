import type { Writable } from 'node:stream';
import * as ws from 'ws';
import { expect, test } from 'vitest';
import { binaryMessage, textMessage } from './socket-messages.ts';

/** The types of ws leave it out. */
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

function received(...messages: Buffer[]): { bytes: Buffer; isBinary: boolean }[] {
  const seen: { bytes: Buffer; isBinary: boolean }[] = [];
  const receiver = new Receiver({ isServer: false });
  receiver.on('message', (bytes: Buffer, isBinary: boolean) => seen.push({ bytes, isBinary }));
  for (const message of messages) receiver.write(message);
  return seen;
}

test('[A2C-6] a client reads messages of any length as they were written', () => {
  const sizes = [1, 125, 126, 127, 65_535, 65_536, 75_000];
  const payloads = sizes.map((size) => Buffer.alloc(size, size % 251));
  const messages = payloads.map((payload) => binaryMessage(payload.length, (room) => room.set(payload)));
  // One at a time: a receiver passes several of one write on in later turns.
  const seen = messages.flatMap((message) => received(message));
  expect(seen.map(({ bytes }) => bytes.length)).toEqual(sizes);
  expect(seen.every(({ bytes, isBinary }, i) => isBinary && bytes.equals(payloads[i]!))).toBe(true);
});

test('[A2C-6] a text arrives as a text, whatever its letters', () => {
  const texts = ['{}', `{"message":"${'ü€😀'.repeat(20)}"}`];
  expect(texts.map((text) => received(textMessage(text))[0])).toEqual(texts.map((text) => ({ bytes: Buffer.from(text), isBinary: false })));
});
