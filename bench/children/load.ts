// Clients that cost next to nothing: bytes prepared beforehand on a kept-alive connection, the answer only counted.
// A client library would be most of what is measured.

import { connect, type Socket } from 'node:net';
import { numbered, serve } from './serve.ts';

export interface LoadInput {
  port: number;
  /** One client each, at work in all of its paths in turn. */
  clients: { token: string; paths: string[] }[];
  /** The bodies that each of them posts in turn, as JSON. Where a body has `numbered`, each request has a number of its own. */
  bodies: string[];
  /** Stops after so many milliseconds, or after so many requests per client. */
  ms?: number;
  each?: number;
}
export interface LoadResult {
  accepted: number;
  refused: number;
  perSecond: number;
  /** Milliseconds from the first byte out to the last byte in. */
  median: number;
  p99: number;
}

let lastNumber = 0;

const headEnd = Buffer.from('\r\n\r\n');
const lengthName = Buffer.from('content-length: ');

/** The status of the answer at the beginning of `bytes`, once it is complete. */
function complete(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return undefined;
  const at = bytes.indexOf(lengthName) + lengthName.length;
  const length = Number.parseInt(bytes.toString('latin1', at, at + 8), 10);
  return bytes.length >= end + headEnd.length + length ? Number(bytes.toString('latin1', 9, 12)) : undefined;
}

interface Prepared {
  bytes: Buffer;
  /** Where its number goes; -1: it has none. */
  at: number;
}
function prepared(path: string, port: number, token: string, body: string): Prepared {
  const bytes = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return { bytes, at: bytes.indexOf(numbered) };
}

async function run(input: LoadInput): Promise<LoadResult> {
  const samples: number[] = [];
  let refused = 0;
  let until = Infinity;
  const client = (socket: Socket, requests: Prepared[]): Promise<void> =>
    new Promise((resolve, reject) => {
      let sent = 0;
      let began = 0;
      let received: Buffer | undefined;
      const next = (): void => {
        began = performance.now();
        if (began >= until || sent === input.each) {
          socket.destroy();
          resolve();
          return;
        }
        const { bytes, at } = requests[sent++ % requests.length]!;
        // Requests that were sent before are answered, so nobody reads the buffer any more.
        if (at !== -1) bytes.write(String(lastNumber++).padStart(numbered.length, '0'), at, 'latin1');
        socket.write(bytes);
      };
      socket.on('data', (chunk) => {
        received = received ? Buffer.concat([received, chunk]) : chunk;
        const status = complete(received);
        if (status === undefined) return;
        received = undefined;
        if (status === 200) samples.push(performance.now() - began);
        else refused++;
        next();
      });
      socket.on('error', reject);
      next();
    });
  const sockets = await Promise.all(input.clients.map(() => open(input.port)));
  const began = performance.now();
  if (input.ms !== undefined) until = began + input.ms;
  await Promise.all(
    input.clients.map(({ token, paths }, i) => {
      const requests = paths.flatMap((path) => input.bodies.map((body) => prepared(path, input.port, token, body)));
      return client(sockets[i]!, requests);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  samples.sort((a, b) => a - b);
  const at = (share: number): number => samples[Math.floor((samples.length - 1) * share)] ?? Number.NaN;
  return { accepted: samples.length, refused, perSecond: samples.length / seconds, median: at(0.5), p99: at(0.99) };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

serve({}, { run }, () => Promise.resolve());
