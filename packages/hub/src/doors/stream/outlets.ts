// The two ways a stream leaves the hub: a WebSocket, or server-sent events where sockets cannot go.

import type { ServerResponse } from 'node:http';
import { closeCodes } from '@parley/protocol';
import type { WebSocket } from 'ws';
import type { Outlet } from './live-streams.ts';

export function socketOutlet(socket: WebSocket): Outlet {
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

export function sseOutlet(response: ServerResponse): Outlet {
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
