// A clock that moves when told, and a small real hub-like server: sockets, SSE and scripted HTTP answers.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { StreamEvent } from '@parley/protocol';
import { waitFor } from '@parley/testkit/until';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { ClientClock } from '../src/clock.ts';

export class ManualClock implements ClientClock {
  #now = 1_000_000;
  #timers = new Map<number, { at: number; run: () => void }>();
  #next = 0;

  now() {
    return this.#now;
  }

  after(ms: number, run: () => void) {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#now + ms, run });
    return () => void this.#timers.delete(id);
  }

  get waits(): number[] {
    return [...this.#timers.values()].map((timer) => timer.at - this.#now).sort((a, b) => a - b);
  }

  advance(ms: number) {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].run();
    }
    this.#now = end;
  }

  /** As a laptop does: the time has passed, the timers have not run. */
  sleepThrough(ms: number) {
    this.#now += ms;
  }
}

/** Ends with the test that called it, not after a time of its own: a busy machine takes longer than any such guess. */
export function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  return waitFor(() => {
    if (!condition()) throw new Error(`${what} did not come true`);
  }, 2);
}

export interface Seen {
  url: string;
  method: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export class TestServer {
  readonly requests: Seen[] = [];
  readonly sockets: { url: string; authorization: string | undefined; socket: WebSocket; heard: string[] }[] = [];
  readonly streams: { url: string; response: ServerResponse }[] = [];
  answer: (request: Seen, response: ServerResponse) => void = (_, response) => json(response, 200, {});
  /** The first event of a socket or SSE client. */
  greet: (cursor: string) => StreamEvent[] = () => [];
  refuseSockets: number | undefined;
  #http: Server | undefined;
  #connections = new Set<Socket>();
  #port = 0;

  get baseUrl() {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const http = createServer((request, response) => void this.#request(request, response));
    http.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.on('close', () => this.#connections.delete(socket));
    });
    const sockets = new WebSocketServer({ noServer: true });
    http.on('upgrade', (request, socket, head) => {
      if (this.refuseSockets !== undefined) {
        socket.end(`HTTP/1.1 ${this.refuseSockets} No\r\nConnection: close\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (ws) => {
        const entry = { url: request.url ?? '', authorization: request.headers.authorization, socket: ws, heard: [] as string[] };
        ws.on('message', (data) => entry.heard.push((data as Buffer).toString()));
        this.sockets.push(entry);
        for (const event of this.greet(cursorOf(entry.url))) ws.send(JSON.stringify(event));
      });
    });
    http.listen(this.#port, '127.0.0.1');
    await once(http, 'listening');
    this.#port = (http.address() as AddressInfo).port;
    this.#http = http;
  }

  /** As `kill -9` does: every connection breaks without a word. The port stays ours for the next start. */
  async die(): Promise<void> {
    const http = this.#http;
    if (!http) return;
    this.#http = undefined;
    for (const socket of this.#connections) socket.destroy();
    http.close();
    await once(http, 'close');
  }

  broadcast(event: StreamEvent) {
    for (const { socket } of this.sockets) if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
    for (const { response } of this.streams) sendSse(response, event);
  }

  async #request(request: IncomingMessage, response: ServerResponse) {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const seen = { url: request.url ?? '', method: request.method ?? '', headers: request.headers, body };
    if (seen.url.startsWith('/api/v1/stream')) {
      if (this.refuseSockets !== undefined) return json(response, this.refuseSockets, {});
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      this.streams.push({ url: seen.url, response });
      for (const event of this.greet(cursorOf(seen.url))) sendSse(response, event);
      return;
    }
    this.requests.push(seen);
    this.answer(seen, response);
  }
}

const cursorOf = (url: string) => new URL(url, 'http://x').searchParams.get('cursor') ?? '';
const sendSse = (response: ServerResponse, event: StreamEvent) =>
  response.write(`${'cursor' in event ? `id: ${event.cursor}\n` : ''}data: ${JSON.stringify(event)}\n\n`);

export function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

export const fact = (epoch: string, seq: number): StreamEvent => ({
  type: 'read.moved',
  cursor: `${epoch}:${seq}`,
  at: seq,
  actorId: null,
  data: { conversationId: 'con_01', readSeq: seq },
});
