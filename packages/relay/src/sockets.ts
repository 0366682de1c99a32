// Accepts the sockets of clients. The caller has checked the path; a relay may share a server with a hub.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { addressKey } from '@parley/protocol';
import { lineProtocol, mostBundleBytes, mostFrameBytes } from '@parley/protocol/relay';
import { type WebSocket, WebSocketServer } from 'ws';
import { Connection } from './connection.ts';
import { IncomingLine } from './federation/incoming-line.ts';
import type { ConnectedClient, Relay } from './relay.ts';

export interface SocketOptions {
  /** Pages that may open a socket; others with an Origin are refused. */
  origins: readonly string[];
  /** The number of proxies that name the client's address. */
  trustProxy: number;
}

export type SocketUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export function upgradesFor(relay: Relay, { origins, trustProxy }: SocketOptions): SocketUpgrade {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: mostFrameBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => false,
  });
  const lines = new WebSocketServer({
    noServer: true,
    maxPayload: mostBundleBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => lineProtocol,
  });
  return (request, socket, head) => {
    const refuse = (status: string): void => endWith(socket, status);
    const { origin } = request.headers;
    if (relay.draining) return refuse('503 Service Unavailable');
    if (origin !== undefined && !origins.includes(origin)) return refuse('403 Forbidden');
    if (relay.rates.connections.take(addressKey(clientOf(request, trustProxy))) > 0) return refuse('429 Too Many Requests');
    const admit = (webSocket: WebSocket, connection: ConnectedClient): void => {
      relay.connect(connection);
      webSocket.on('close', () => relay.disconnect(connection));
    };
    const { federation } = relay;
    if (request.headers['sec-websocket-protocol'] !== lineProtocol)
      return server.handleUpgrade(request, socket, head, (webSocket) => admit(webSocket, new Connection(relay, webSocket, socket)));
    if (!federation) return refuse('403 Forbidden');
    lines.handleUpgrade(request, socket, head, (webSocket) => admit(webSocket, new IncomingLine(relay, federation, webSocket)));
  };
}

export const endWith = (socket: Duplex, status: string): void =>
  void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);

/** The client's address, as the nearest trusted proxy names it. */
export function clientOf(request: IncomingMessage, proxies: number): string {
  const direct = request.socket.remoteAddress ?? '';
  if (proxies === 0) return direct;
  const named = String(request.headers['x-forwarded-for'] ?? '').split(',');
  return named.at(-proxies)?.trim() || direct;
}
