// The stream as server-sent events, for where sockets cannot go.

import { closeCodes, Cursor, ParleyError } from '@parley/protocol';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { invalidField, require } from '../../engine/command.ts';
import type { Caller } from '../http/route-context.ts';
import { admit, apiPrefix, type HttpDoor } from '../http/server.ts';
import type { Follower, Outlet } from './live-streams.ts';

/** A proxy cuts off what says nothing, and a dead peer is only noticed by writing to it. */
const pingMs = 20_000;

export function serveSse(app: FastifyInstance, door: HttpDoor): void {
  app.get(`${apiPrefix}/stream`, async (request, reply) => {
    const principal = principalOf(await admit(door, request));
    require('stream.follow', principal.actor);
    const cursorText = (request.headers['last-event-id'] as string | undefined) ?? (request.query as { cursor?: string }).cursor;
    if (cursorText !== undefined && !Cursor.safeParse(cursorText).success) throw invalidField('cursor', 'must be epoch:seq');
    door.hub.live.mustHaveRoom(principal.memberId);
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    response.write(': welcome\n\n');
    const pings = setInterval(() => response.write(': ping\n\n'), pingMs);
    response.on('close', () => clearInterval(pings));
    try {
      const close = await door.hub.live.open(principal, sseOutlet(response), cursorText);
      if (response.closed) close();
      else response.on('close', close);
    } catch (error) {
      // Too late for a status: clients retry a stream that breaks off, and would wait on one that hangs.
      request.log.error({ err: error }, 'stream');
      response.destroy();
    }
  });
}

function sseOutlet(response: ServerResponse): Outlet {
  const newline = Buffer.from('\n\n');
  return {
    send: (frame, cursor) => {
      if (response.writableEnded) return;
      response.write(Buffer.concat([Buffer.from(cursor === undefined ? 'data: ' : `id: ${cursor}\ndata: `), frame, newline]));
    },
    backlog: () => response.writableLength,
    close: (why) => {
      if (!response.writableEnded) response.end(`event: close\ndata: ${JSON.stringify({ code: closeCodes[why] })}\n\n`);
      if (why === 'slow') response.destroy();
    },
  };
}

/** Only members have a stream; the operator follows no conversations. */
export function principalOf(caller: Caller | undefined): Follower {
  if (!caller || caller.actor.type !== 'member' || caller.memberId === null || caller.tokenId === null) {
    throw new ParleyError('forbidden', 'Only a member has a stream.', { reason: 'stream:not_a_member' });
  }
  const { by, actor, memberId, tokenId } = caller;
  return { by, actor, memberId, tokenId };
}
