// The body of a frame: MLS messages, then the box. Padded as a whole, so that neither a commit nor a text shows in its size.
//
//   4 bytes  length of all MLS messages, big-endian
//   each     4 bytes length, then the MLS message; the last one carries the box's key
//   rest     nonce and XChaCha20-Poly1305 ciphertext of: 4 bytes length of the text, the text, zeros

import { bodySizes, joinBytes, mostBodyBytes } from '@parley/protocol/relay';
import { boxOverhead } from './sodium.ts';

export class SealError extends Error {}
/** No session can ever carry it. */
export class TooLargeError extends SealError {}

/** A Welcome between the longest addresses, and the message with the box's key, need less. */
const mostMessagesBytes = 3072;
export const mostTextBytes = mostBodyBytes - mostMessagesBytes - boxOverhead - 8;

const lengthOf = (length: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
};

/** The text with as many zeros as the next size has room for, given messages of that length. */
export function padText(text: Uint8Array, messages: number): Uint8Array {
  const bare = 4 + messages + boxOverhead + 4 + text.length;
  const size = bodySizes.find((one) => one >= bare);
  if (size === undefined) throw new TooLargeError(`The packet is ${bare - bodySizes.at(-1)!} bytes too large.`);
  return joinBytes(lengthOf(text.length), text, new Uint8Array(size - bare));
}

export function unpadText(padded: Uint8Array): Uint8Array {
  const [length, rest] = readLength(padded);
  if (rest.subarray(length).some((byte) => byte !== 0)) throw new SealError('The padding is not zero.');
  return rest.subarray(0, length);
}

/** How many bytes messages of these lengths take in a body. */
export const messagesBytes = (lengths: readonly number[]): number => lengths.reduce((sum, length) => sum + 4 + length, 0);

export function writeBody(messages: readonly Uint8Array[], box: Uint8Array): Uint8Array {
  const parts = messages.flatMap((message) => [lengthOf(message.length), message]);
  return joinBytes(lengthOf(messagesBytes(messages.map(({ length }) => length))), ...parts, box);
}

export function readBody(body: Uint8Array): { messages: Uint8Array[]; box: Uint8Array } {
  const [length, rest] = readLength(body);
  const messages: Uint8Array[] = [];
  for (let left = rest.subarray(0, length); left.length > 0;) {
    const [size, after] = readLength(left);
    messages.push(after.subarray(0, size));
    left = after.subarray(size);
  }
  if (messages.length === 0 || messages.length > 2) throw new SealError('The body holds one or two MLS messages.');
  return { messages, box: rest.subarray(length) };
}

function readLength(bytes: Uint8Array): [number, Uint8Array] {
  if (bytes.length < 4) throw new SealError('The body ends too early.');
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  if (length > bytes.length - 4) throw new SealError('The body ends too early.');
  return [length, bytes.subarray(4)];
}
