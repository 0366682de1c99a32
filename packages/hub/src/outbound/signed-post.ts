// One signed POST. The signature covers the time and the body, so that a recorded request cannot be replayed later.

import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { mustBePublic, publicOnly } from './guarded-fetch.ts';

export interface Post {
  url: string;
  /** Without it, the request is not signed. */
  secret?: string | undefined;
  /** The same at every attempt. */
  deliveryId: string;
  body: string;
  now: number;
  signal: AbortSignal;
  allowPrivate: boolean;
}

const largestAnswer = 256_000;

const signatureOf = (secret: string, time: number, body: string): string =>
  createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');

/** Its answer, if the endpoint took it. */
export async function post(what: Post): Promise<string> {
  return read(await send(what));
}

/** Comes back when the endpoint has said that it took it. Whatever follows that is let come: some stop what they do when the line is cut. */
export async function postSigned(what: Post): Promise<void> {
  const answer = await send(what);
  let size = 0;
  // Not without end; how long it may take, the signal says, and of many the oldest goes. Nor does it keep the hub from stopping.
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > largestAnswer) answer.destroy();
  });
  answer.on('error', () => {});
  answer.on('close', () => ending.delete(answer));
  answer.socket.unref();
  ending.add(answer);
  if (ending.size > mostEnding) ending.values().next().value!.destroy();
}
const ending = new Set<IncomingMessage>();
const mostEnding = 20;

/** A redirect is no answer: it could lead anywhere. */
async function send({ url, secret, deliveryId, body, now, signal, allowPrivate }: Post): Promise<IncomingMessage> {
  const target = new URL(url);
  if (!allowPrivate) mustBePublic(target);
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      target,
      {
        method: 'POST',
        agent: false,
        signal,
        ...(allowPrivate ? {} : { lookup: publicOnly }),
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'parley-webhook/1',
          'parley-delivery': deliveryId,
          ...(secret === undefined ? {} : { 'parley-signature': `t=${now},v1=${signatureOf(secret, now, body)}` }),
        },
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body);
  });
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) {
    answer.destroy();
    throw new Error(`The webhook answered ${status}`);
  }
  return answer;
}

async function read(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestAnswer) {
      answer.destroy();
      throw new Error(`The webhook’s answer is longer than ${largestAnswer} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
