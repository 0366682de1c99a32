// A transport carries text frames from the hub; what they mean is decided once, in stream.ts, for all of them.

export interface TransportRequest {
  url: string;
  token: string | undefined;
}

export interface TransportHandlers {
  onOpen(): void;
  onText(text: string): void;
  /** The other side showed that it is there, without saying anything. */
  onAlive?(): void;
  /** Called exactly once. `code` as in the protocol's `closeCodes`, `status` of a refusal, where the transport can tell. */
  onClose(close: { code?: number; status?: number; reason: string }): void;
}

export interface Transport {
  /** Absent where the transport only listens (SSE). */
  send?: (text: string) => void;
  close(): void;
}

export type Connect = (request: TransportRequest, handlers: TransportHandlers) => Transport;

/** The platform's WebSocket, which cannot carry a token, only the page's session cookie. */
export const connectWebSocket: Connect = ({ url }, handlers) => {
  const socket = new WebSocket(url);
  socket.addEventListener('open', () => handlers.onOpen());
  socket.addEventListener('message', (event: MessageEvent) => {
    if (typeof event.data === 'string') handlers.onText(event.data);
  });
  // An `error` event says nothing, and a `close` always follows it.
  socket.addEventListener('close', (event) => handlers.onClose({ code: event.code, reason: event.reason || `closed with ${event.code}` }));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(1000),
  };
};
