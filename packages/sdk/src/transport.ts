import { closeCodes } from '@parley/protocol';

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

/** Collects `data:` lines into events, as the HTML standard reads an event stream; ids and comments are not needed. */
export function createSseParser(onEvent: (data: string, name: string) => void): (chunk: string) => void {
  let rest = '';
  let name = '';
  let data: string[] = [];
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (data.length > 0) onEvent(data.join('\n'), name);
        [data, name] = [[], ''];
      } else if (line.startsWith('event:')) {
        name = line.slice(6).trim();
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
  };
}

/** Server-sent events, where WebSockets are blocked. Unlike EventSource, fetch sends a token and shows the refusal. */
export function sseConnect(fetchStream: typeof fetch): Connect {
  return ({ url, token }, handlers) => {
    const abort = new AbortController();
    const headers = { accept: 'text/event-stream', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    const run = async (): Promise<{ code?: number; reason: string }> => {
      const response = await fetchStream(url, { headers, signal: abort.signal, cache: 'no-store' });
      if (response.status === 401) return { code: closeCodes.unauthenticated, reason: 'refused with 401' };
      if (!response.ok || response.body === null) return { reason: `refused with ${response.status}` };
      handlers.onOpen();
      let code: number | undefined;
      const feed = createSseParser((data, name) => {
        // A response cannot end with a close code, so the hub says it as its last event.
        if (name === 'close') code = (JSON.parse(data) as { code?: number }).code;
        else handlers.onText(data);
      });
      const decoder = new TextDecoder();
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return { reason: 'the hub ended the stream', ...(code === undefined ? {} : { code }) };
        feed(decoder.decode(value, { stream: true }));
      }
    };
    run()
      .catch((error: unknown) => ({ reason: error instanceof Error ? error.message : 'the connection failed' }))
      .then((close) => handlers.onClose(close))
      .catch(() => {});
    return { close: () => abort.abort() };
  };
}
