// A WebSocket client of the barest kind (RFC 6455), so that thousands of listeners cost the machine little beside the hub.

import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const pingCode = 9;
const textCode = 1;

/** The frame at the beginning of `bytes` (section 5.2; a server does not mask), once it is complete. */
function frameIn(bytes: Buffer): { code: number; payload: Buffer; rest: Buffer } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const head = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < head) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < head + length) return undefined;
  return { code: bytes[0]! & 0x0f, payload: bytes.subarray(head, head + length), rest: bytes.subarray(head + length) };
}

/** An empty pong; a client masks even nothing (section 5.3). */
const pong = (): Buffer => Buffer.concat([Buffer.from([0x8a, 0x80]), randomBytes(4)]);

/** Resolves when the hub has said its first word; `hear` gets the texts from then on. */
export function listen(port: number, token: string, hear: (text: Buffer) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let bytes: Buffer = Buffer.alloc(0);
    let open = false;
    let ready = false;
    const take = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      if (!open) {
        const end = bytes.indexOf(headEnd);
        if (end === -1) return;
        if (!bytes.toString('latin1', 0, end).startsWith('HTTP/1.1 101')) reject(new Error('The socket was refused'));
        open = true;
        bytes = bytes.subarray(end + headEnd.length);
      }
      for (let frame = frameIn(bytes); frame; frame = frameIn(bytes)) {
        bytes = frame.rest;
        if (frame.code === pingCode) socket.write(pong());
        if (frame.code !== textCode) continue;
        if (ready) hear(frame.payload);
        else {
          ready = true;
          resolve(socket);
        }
      }
    };
    socket.on('data', take);
    socket.on('error', reject);
    socket.write(
      `GET /api/v1/socket HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
  });
}
