// The sockets' front door, and the people's one behind it: facts go out, typing comes in. Everything that is kept goes over HTTP.

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { agentSocketPath, closeCodes, Cursor, ParleyError, SocketCommand, wholeJson } from '@parley/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { require } from '../../engine/command.ts';
import type { AgentSockets } from '../agent-socket/sockets.ts';
import type { Caller } from '../http/route-context.ts';
import { checkOrigin, hostOf, originRefusal, type OriginPolicy } from '../http/origin.ts';
import type { MountedService } from '../mounted-service.ts';
import { type PingedClient, takeFrames } from '../receive-rate.ts';
import type { Follower, Live, Outlet } from './live-streams.ts';
import { principalOf } from './sse.ts';

/** A person's socket takes signs of typing and nothing else; a frame that is longer is refused by its length, unread. */
const maxFrame = 4096;
const maxAgentFrame = 1_000_000;
/** Typing is a few frames a second on a busy day. */
const peoplesRate = { bytesPerSecond: 8192, burst: 32_768 };
const pingMs = 30_000;

export interface SocketDoor {
  live: Live;
  agents: Pick<AgentSockets, 'serve'>;
  /** Judges origins and callers by itself. */
  mounted?: MountedService | undefined;
  origin: OriginPolicy;
  authenticate(headers: IncomingMessage['headers']): Promise<Caller | undefined>;
  /** Counts a stranger's attempt; throws when there were too many. */
  stranger(request: IncomingMessage): Promise<void>;
  /** Counts a member's connection as a read; throws when there were too many. */
  limit(memberId: string): Promise<void>;
  typing(principal: Follower, conversationId: string): Promise<void>;
  onError(error: unknown): void;
}

export function serveSockets(server: Server, door: SocketDoor): { close: () => void } {
  const sockets = {
    people: new WebSocketServer({ noServer: true, maxPayload: maxFrame }),
    agents: new WebSocketServer({ noServer: true, maxPayload: maxAgentFrame }),
  };
  const clients = (): PingedClient[] => [...sockets.people.clients, ...sockets.agents.clients];
  server.on(
    'upgrade',
    (request, socket, head) =>
      void upgrade(sockets, door, request, socket, head).catch((error: unknown) => {
        door.onError(error);
        socket.destroy();
      }),
  );
  // A laptop that closed its lid says nothing: who does not answer two pings is gone.
  const pings = setInterval(() => {
    for (const socket of clients()) {
      if (socket.silent) socket.terminate();
      else {
        socket.silent = true;
        socket.ping();
      }
    }
  }, pingMs);
  pings.unref();
  return {
    close: () => {
      clearInterval(pings);
      for (const socket of clients()) socket.close(closeCodes.goingAway);
      // Clients that do not close in time are cut off.
      setTimeout(() => clients().forEach((socket) => socket.terminate()), 500).unref();
      sockets.people.close();
      sockets.agents.close();
    },
  };
}

async function upgrade(
  sockets: Record<'people' | 'agents', WebSocketServer>,
  door: SocketDoor,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const url = URL.parse(request.url ?? '/', 'http://hub');
  if (!url) return refuse(socket, 400, 'Bad Request');
  if (door.mounted && url.pathname === door.mounted.path) return door.mounted.upgrade(request, socket, head);
  const forAgents = url.pathname === agentSocketPath;
  if (url.pathname !== '/api/v1/socket' && !forAgents) return refuse(socket, 404, 'Not Found');
  const { headers } = request;
  const verdict = checkOrigin(door.origin, {
    method: 'GET',
    socket: true,
    host: hostOf(request),
    origin: headers.origin,
    site: headers['sec-fetch-site'],
  });
  if (!verdict.ok) return refuse(socket, 403, 'Forbidden', originRefusal(verdict.reason, headers));
  const cursor = url.searchParams.get('cursor') ?? undefined;
  if (cursor !== undefined && !Cursor.safeParse(cursor).success) return refuse(socket, 400, 'Bad Request');
  const caller = await door.authenticate(request.headers);
  if (!caller) {
    await door.stranger(request).catch(() => refuse(socket, 429, 'Too Many Requests'));
    return refuse(socket, 401, 'Unauthorized');
  }
  const principal = admitted(caller, door.live, forAgents);
  if (principal instanceof ParleyError) return refuse(socket, principal.status, principal.code);
  try {
    await door.limit(principal.memberId);
  } catch {
    return refuse(socket, 429, 'Too Many Requests');
  }
  sockets[forAgents ? 'agents' : 'people'].handleUpgrade(request, socket, head, (client) => {
    if (forAgents) {
      door.agents.serve(client, principal);
      return;
    }
    void serve(client, principal, cursor, door).catch((error: unknown) => {
      door.onError(error);
      client.close(1011);
    });
  });
}

/** People follow the stream; agents get their own events, and nothing else. */
function admitted(caller: Caller, live: Live, forAgents: boolean): Follower | ParleyError {
  try {
    require('workspace.enter', caller.actor);
    if (!forAgents) require('stream.follow', caller.actor);
    const principal = principalOf(caller);
    if (forAgents && principal.actor.kind !== 'agent')
      return new ParleyError('forbidden', 'This socket is for agents.', { reason: 'agent.connect:not_an_agent' });
    if (!forAgents) live.mustHaveRoom(principal.memberId);
    return principal;
  } catch (error) {
    if (error instanceof ParleyError) return error;
    throw error;
  }
}

function refuse(socket: Duplex, status: number, text: string, why = ''): void {
  const headers = `Connection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(why)}`;
  if (socket.writable) socket.end(`HTTP/1.1 ${status} ${text}\r\n${headers}\r\n\r\n${why}`);
}

async function serve(client: PingedClient, principal: Follower, cursor: string | undefined, door: SocketDoor): Promise<void> {
  const opened: { close?: () => void } = {};
  let closed = false;
  const mayType = bucket(5, 1000);
  client.on('close', () => {
    closed = true;
    opened.close?.();
  });
  takeFrames(client, peoplesRate, (data, isBinary) => {
    // Over the limit it is dropped as it is: reading it would be the work that the limit is to spare.
    if (!mayType()) return;
    const command = isBinary ? undefined : read(data);
    if (!command) client.close(closeCodes.badCommand);
    else if (command.type === 'typing') door.typing(principal, command.conversationId).catch(() => {});
  });
  opened.close = await door.live.open(principal, socketOutlet(client), cursor);
  // The client may have left while the past was read.
  if (closed) opened.close();
}

function socketOutlet(socket: WebSocket): Outlet {
  return {
    send: (frame) => {
      if (socket.readyState === socket.OPEN) socket.send(frame, { binary: false });
    },
    backlog: () => socket.bufferedAmount,
    close: (why) => {
      socket.close(closeCodes[why]);
      // A peer that does not answer the close gets no more of our memory.
      if (why === 'slow') socket.terminate();
    },
  };
}

/** Allows `size` signs at once and one more each `ms`. The excess is dropped, because a lost sign of typing does no harm. */
function bucket(size: number, ms: number): () => boolean {
  let left = size;
  let since = performance.now();
  return () => {
    const now = performance.now();
    const refill = Math.floor((now - since) / ms);
    left = Math.min(size, left + refill);
    since += refill * ms;
    return left > 0 && left-- > 0;
  };
}

function read(data: Buffer): SocketCommand | undefined {
  try {
    return SocketCommand.safeParse(wholeJson(data.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
