// Sockets with a token, for Node programs. They have their own entry, so that a page never bundles `ws`.

import { closeCodes } from '@parley/protocol';
import { WebSocket } from 'ws';
import type { Connect } from './transport.ts';

/** Pass as `connect` to `createClient`. */
export const connectWithToken: Connect = ({ url, token }, handlers) => {
  const socket = new WebSocket(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    handshakeTimeout: 15_000,
    maxPayload: 16 * 1024 * 1024,
  });
  let closed = false;
  const close = (code: number | undefined, reason: string, status?: number) => {
    if (closed) return;
    closed = true;
    handlers.onClose({ reason, ...(code === undefined ? {} : { code }), ...(status === undefined ? {} : { status }) });
  };
  socket.on('open', () => handlers.onOpen());
  socket.on('message', (data, isBinary) => {
    if (!isBinary) handlers.onText((data as Buffer).toString('utf8'));
  });
  // `ws` answers the hub's pings by itself.
  socket.on('ping', () => handlers.onAlive?.());
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    close(response.statusCode === 401 ? closeCodes.unauthenticated : undefined, `refused with ${response.statusCode}`, response.statusCode);
  });
  socket.on('error', (error) => close(undefined, error.message));
  socket.on('close', (code, reason) => close(code, reason.toString('utf8') || `closed with ${code}`));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(1000),
  };
};
