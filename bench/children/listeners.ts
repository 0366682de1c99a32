// Members who listen on sockets and now and then say something: counts what arrives and how long it took.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serve.ts';
import { listen } from './socket.ts';

export interface OpenInput {
  port: number;
  tokens: string[];
}
export interface TalkInput {
  port: number;
  /** The speakers, each with a channel: each speaks in turn. */
  posts: { token: string; channel: string }[];
  everyMs: number;
  body: string;
  /** How many sockets hear each message. */
  audience: number;
}
export interface TalkResult {
  delivered: number;
  /** Milliseconds from the request to the frame at the listener. */
  median: number;
}

const sockets: Socket[] = [];
let slow: Socket[] = [];
let delivered = 0;
let times: number[] = [];
const posted = Buffer.from('{"type":"message.posted"');
const stamp = Buffer.from('"body":"@');
const now = (): number => performance.timeOrigin + performance.now();

function hear(text: Buffer): void {
  if (!text.subarray(0, posted.length).equals(posted)) return;
  delivered++;
  const at = text.indexOf(stamp) + stamp.length;
  times.push(now() - Number(text.toString('latin1', at, text.indexOf(0x20, at))));
}

async function open({ port, tokens }: OpenInput): Promise<void> {
  // A few at a time: the hub is to be measured while they listen, not while they knock.
  for (let i = 0; i < tokens.length; i += 50) {
    sockets.push(...(await Promise.all(tokens.slice(i, i + 50).map((token) => listen(port, token, hear)))));
  }
}

/** Sockets that take nothing from the moment they are open. */
async function openSlow({ port, tokens }: OpenInput): Promise<void> {
  slow = await Promise.all(tokens.map((token) => listen(port, token, () => {})));
  for (const socket of slow) socket.pause();
}

/** Lets the slow ones go; answers how many of them the hub had cut off by then, which shows once they read on. */
async function closeSlow(): Promise<number> {
  let cut = 0;
  for (const socket of slow) {
    socket.on('error', () => {});
    socket.on('close', () => cut++);
    socket.resume();
  }
  await sleep(1000);
  const found = cut;
  for (const socket of slow) socket.destroy();
  return found;
}

/** All but the first `keep` go. */
async function close({ keep }: { keep: number }): Promise<void> {
  const going = sockets.splice(keep);
  await Promise.all(going.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())));
}

async function talk({ port, posts, everyMs, body, audience }: TalkInput): Promise<TalkResult> {
  delivered = 0;
  times = [];
  const began = performance.now();
  const say = async ({ token, channel }: TalkInput['posts'][number], i: number): Promise<void> => {
    await sleep(Math.max(0, i * everyMs - (performance.now() - began)));
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/conversations/${channel}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ body: `@${now()} ${body}` }),
    });
    if (!answer.ok) throw new Error(`A post was answered with ${answer.status}`);
    await answer.arrayBuffer();
  };
  await Promise.all(posts.map(say));
  const missing = (): number => posts.length * audience - delivered;
  const until = performance.now() + 20_000;
  while (missing() > 0) {
    if (performance.now() > until) throw new Error(`${missing()} deliveries did not arrive`);
    await sleep(5);
  }
  times.sort((a, b) => a - b);
  return { delivered, median: times[times.length >> 1]! };
}

serve({}, { open, openSlow, close, closeSlow, talk }, () => Promise.resolve());
