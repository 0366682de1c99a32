// One member who asks for more than a fair share, in a process of its own, until it is asked to stop.

import { Agent, request } from 'node:http';
import { serve } from './serve.ts';
import { listen } from './socket.ts';

export interface Flood {
  port: number;
  token: string;
  /** Requests in flight at once. */
  at: number;
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  /** JSON, where it is left out. */
  contentType?: string;
  /** Between two requests of one client. */
  pauseMs?: number;
}
export interface Frames {
  port: number;
  token: string;
  sockets: number;
  conversationId: string;
  bytes: number;
}
export interface Attacked {
  answered: number;
  refused: number;
  megabytes: number;
}

let attacked: Attacked = { answered: 0, refused: 0, megabytes: 0 };
const state = { running: false };
let ended: Promise<unknown> = Promise.resolve();

function once({ port, token, method, path, body, contentType = 'application/json' }: Flood, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': contentType }) };
    const sending = request({ port, host: '127.0.0.1', method, path, headers, agent }, (response) => {
      response.on('data', (chunk: Buffer) => (attacked.megabytes += chunk.length / 1e6));
      response.on('close', () => {
        if (response.statusCode === 200) attacked.answered++;
        else attacked.refused++;
        resolve();
      });
    });
    sending.on('error', () => {
      attacked.refused++;
      resolve();
    });
    sending.end(body);
  });
}

function begin(): void {
  attacked = { answered: 0, refused: 0, megabytes: 0 };
  state.running = true;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

serve(
  {},
  {
    flood: (flood: Flood) => {
      begin();
      const agent = new Agent({ keepAlive: true, maxSockets: flood.at });
      const client = async (): Promise<void> => {
        while (state.running) {
          const before = attacked.refused;
          await once(flood, agent);
          if (attacked.refused > before) await pause(20);
          if (flood.pauseMs !== undefined) await pause(flood.pauseMs);
        }
      };
      ended = Promise.all(Array.from({ length: flood.at }, client)).then(() => agent.destroy());
    },
    frames: ({ port, token, sockets, conversationId, bytes }: Frames) => {
      begin();
      const text = Buffer.from(JSON.stringify({ type: 'typing', conversationId }) + ' '.repeat(bytes));
      const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
      head.writeUInt32BE(text.length, 6);
      const frame = Buffer.concat([head, text]);
      const client = async (): Promise<void> => {
        while (state.running) {
          const socket = await listen(port, token, () => {}).catch(() => undefined);
          const isOpen = (): boolean => socket?.destroyed === false;
          while (state.running && isOpen()) {
            attacked.answered++;
            await new Promise((resolve) => {
              socket!.once('close', resolve);
              socket!.write(frame, resolve);
            });
          }
          socket?.destroy();
          // A program that was cut off comes back at once, but not faster than a socket opens.
          await pause(20);
        }
      };
      ended = Promise.all(Array.from({ length: sockets }, client));
    },
    end: async (): Promise<Attacked> => {
      state.running = false;
      await ended;
      return attacked;
    },
  },
  () => Promise.resolve(),
);
