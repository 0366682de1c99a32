// How fast one connection may send: frames are counted in bytes before anybody reads them, and one that sends faster is
// not read from for a while. Nothing is lost; the sender waits.

import type { WebSocket } from 'ws';

export interface Rate {
  bytesPerSecond: number;
  /** The bytes that a connection may send at once. */
  burst: number;
}

/** Even an empty frame costs something. */
const least = 256;

/** Says how long to wait after so many bytes, in milliseconds. */
export class ReceiveRate {
  private readonly rate: Rate;
  private left: number;
  private since: number;

  constructor(rate: Rate, now: number) {
    this.rate = rate;
    this.left = rate.burst;
    this.since = now;
  }

  spend(bytes: number, now: number): number {
    this.left = Math.min(this.rate.burst, this.left + ((now - this.since) * this.rate.bytesPerSecond) / 1000);
    this.since = now;
    this.left -= Math.max(bytes, least);
    return this.left >= 0 ? 0 : Math.ceil((-this.left * 1000) / this.rate.bytesPerSecond);
  }
}

/** `silent`: a ping of ours was not answered yet. */
export type PingedClient = WebSocket & { silent?: boolean };

/** Hands over each frame that comes, at this rate at most. */
export function takeFrames(client: PingedClient, rate: Rate, take: (data: Buffer, isBinary: boolean) => void): void {
  const pace = new ReceiveRate(rate, performance.now());
  client.on('error', () => client.terminate());
  client.on('pong', () => (client.silent = false));
  client.on('message', (data: Buffer, isBinary: boolean) => {
    client.silent = false;
    const wait = pace.spend(data.length, performance.now());
    if (wait > 0) {
      client.pause();
      setTimeout(() => client.resume(), wait).unref();
    }
    take(data, isBinary);
  });
}
