// A socket by `ws`. It pings, so that a connection that died without a word is noticed within a minute (A2C-7).

import { mostFrameBytes } from '@parley/protocol/relay';
import { WebSocket } from 'ws';
import type { OpenSocket } from './relay-connection.ts';

const heartbeatMs = 30_000;
/** A delivery is a frame and 17 bytes. */
const maxPayload = mostFrameBytes + 64;

export const openNodeSocket: OpenSocket = (url, events) => {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload, handshakeTimeout: 10_000 });
  let [isAlive, why] = [true, ''];
  const heartbeat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, heartbeatMs);
  socket.on('open', () => events.onOpen());
  socket.on('pong', () => (isAlive = true));
  socket.on('message', (data: Buffer, isBinary) => {
    isAlive = true;
    if (isBinary) events.onBytes(data);
    else events.onText(data.toString());
  });
  socket.on('error', (error) => (why = error.message));
  socket.on('close', (code, reason) => {
    clearInterval(heartbeat);
    events.onClose(reason.toString() || why || `closed with ${code}`);
  });
  return { send: (data) => socket.send(data), close: () => socket.close() };
};
