import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { relayCloses } from '@parley/protocol/relay';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Connection } from './connection.ts';
import type { Relay } from './relay.ts';

test('[A2C-6] a relay that shuts down closes a client with too much unread, once', async () => {
  const closed: number[] = [];
  const written: unknown[] = [];
  const socket = Object.assign(new EventEmitter(), { OPEN: 1, CLOSED: 3, readyState: 1, bufferedAmount: 9 * 2 ** 20 });
  Object.assign(socket, {
    close(code: number) {
      closed.push(code);
      setImmediate(() => socket.emit('close'));
    },
  });
  const stream = { write: (message: unknown) => written.push(message), cork: () => {}, uncork: () => {} };
  const relay = { draining: true, log: { debug: () => {} } } as unknown as Relay;
  const connection = new Connection(relay, socket as unknown as WebSocket, stream as unknown as Duplex);
  await connection.close(relayCloses.draining, 'The relay is shutting down');
  expect([closed, written.length]).toEqual([[relayCloses.slow], 1]);
  connection.end();
});
