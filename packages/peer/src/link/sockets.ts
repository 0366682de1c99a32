// How a link reaches a relay: one WebSocket, behind a port, so that the same code runs in a browser.

export interface LinkSocket {
  send(data: string | Uint8Array): void;
  close(): void;
}

export interface SocketEvents {
  onOpen(): void;
  onText(text: string): void;
  onBytes(bytes: Uint8Array): void;
  /** Once, whatever happened. */
  onClose(reason: string): void;
}

export type OpenSocket = (url: string, events: SocketEvents) => LinkSocket;
