// Messages of a socket, and its end. Those to a client are written here (RFC 6455, 5.2): whole, unmasked, uncompressed. `ws` writes
// the head and the payload of each message apart, which costs a busy relay more than the message itself.

import type { WebSocket } from 'ws';
import type { z } from 'zod';

const [textOpcode, binaryOpcode] = [1, 2];
const final = 0x80;

/** A message with room for a payload of so many bytes, which begins at `at`. The bytes there are not cleared. */
function messageFor(opcode: number, size: number): { message: Buffer; at: number } {
  const at = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  const message = Buffer.allocUnsafe(at + size);
  message[0] = final | opcode;
  if (at === 2) message[1] = size;
  else {
    message[1] = at === 4 ? 126 : 127;
    message.writeUIntBE(size, at - (at === 4 ? 2 : 6), at === 4 ? 2 : 6);
    if (at === 10) message[2] = message[3] = 0;
  }
  return { message, at };
}

export function textMessage(text: string): Buffer {
  const { message, at } = messageFor(textOpcode, Buffer.byteLength(text));
  message.write(text, at);
  return message;
}

/** `fill` writes every byte of the payload. */
export function binaryMessage(size: number, fill: (payload: Uint8Array) => void): Buffer {
  const { message, at } = messageFor(binaryOpcode, size);
  fill(message.subarray(at));
  return message;
}

/** Undefined if the message does not fit the schema. */
export function messageIn<T extends z.ZodType>(form: T, text: string): z.output<T> | undefined {
  try {
    return form.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Resolves when the other side has closed too, or was cut off. A close frame has room for 123 bytes. */
export function closeSocket(socket: WebSocket, code: number, reason: string): Promise<void> {
  if (socket.readyState === socket.CLOSED) return Promise.resolve();
  socket.close(code, reason.slice(0, 120));
  return new Promise((resolve) => {
    const cut = setTimeout(() => socket.terminate(), 1000);
    socket.once('close', () => {
      clearTimeout(cut);
      resolve();
    });
  });
}
