// Clients of a relay, or of the bare forwarder: frames are signed before the time runs, and at most a window of them is under way.

import { createHash } from 'node:crypto';
import { WebSocket } from 'ws';
import { toBase64Url } from '../../packages/protocol/src/relay/index.ts';
import { frameFrom, newIdentity, RelayClient, type RelayIdentity } from '../../packages/testkit/src/relay/client.ts';
import { cpuNow } from '../machine.ts';
import { serve } from './serve.ts';
import type { RelayPerson } from './relay.ts';

export interface LetterInput {
  pairs: number;
  /** Frames in all. */
  count: number;
  window: number;
  frameBytes: number;
}
export interface LetterResult {
  ms: number;
}

const people: RelayIdentity[] = [];
/** Writers first, then readers; the bare forwarder's have no login. */
let sockets: WebSocket[] = [];
let batch: { writer: number; bytes: Uint8Array }[] = [];

const publicOf = ({ address, key, epoch }: RelayIdentity): RelayPerson => ({ address, key, epoch });

function makePeople({ prefix, count, relay }: { prefix: string; count: number; relay?: string }): RelayPerson[] {
  const made = Array.from({ length: count }, (_, n) => newIdentity(`${prefix}${n}`, relay));
  people.push(...made);
  return made.map(publicOf);
}

/** In turns of a few, so that no login waits for long. */
async function logIn({ url, from, count }: { url: string; from: number; count: number }): Promise<void> {
  for (let i = 0; i < count; i += 50) {
    const group = people.slice(from + i, from + Math.min(count, i + 50));
    const clients = await Promise.all(
      group.map(async (who) => {
        const client = await RelayClient.connect(url, { perMessageDeflate: false });
        const answer = await client.login(who);
        if (answer.type !== 'ready') throw new Error(JSON.stringify(answer));
        client.socket.removeAllListeners('message');
        return client.socket;
      }),
    );
    sockets.push(...clients);
  }
}

const opened = (url: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });

async function connectBare({ url, pairs }: { url: string; pairs: number }): Promise<void> {
  const readers: WebSocket[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    readers.push(await opened(`${url}?pair=${pair}`));
    sockets.push(await opened(`${url}?pair=${pair}&key=${people[pair]!.key}`));
  }
  sockets.push(...readers);
}

function leave(): void {
  for (const socket of sockets) socket.terminate();
  sockets = [];
}

let signed = 0;
let sentAt = 0;
/** Person n writes to person n + pairs. */
function sign({ pairs, count, frameBytes }: LetterInput): void {
  const bare = frameFrom(people[0]!, people[pairs]!, '').length;
  batch = Array.from({ length: count }, (_, n) => {
    const writer = n % pairs;
    signed += 1;
    // The number grows with every frame of a client.
    sentAt = Math.max(sentAt + 1, Date.now());
    const tag = toBase64Url(createHash('md5').update(String(writer)).digest());
    return {
      writer,
      bytes: frameFrom(people[writer]!, people[writer + pairs]!, 'x'.repeat(Math.max(1, frameBytes - bare)), {
        tag,
        packet_id: `pkt_bench${String(signed).padStart(12, '0')}`,
        sent_at: sentAt,
      }),
    };
  });
}

/** From the first frame until the last one is stored, delivered and acknowledged. */
function carry({ pairs, window, answers }: LetterInput & { answers: boolean }): Promise<LetterResult> {
  const writers = sockets.slice(0, pairs);
  const readers = sockets.slice(pairs, 2 * pairs);
  const { promise, resolve, reject } = Promise.withResolvers<LetterResult>();
  const began = performance.now();
  let [sent, stored, delivered] = [0, 0, 0];
  const step = (): void => {
    for (; sent < batch.length && sent - delivered < window; sent += 1) writers[batch[sent]!.writer]!.send(batch[sent]!.bytes);
    if (delivered === batch.length && (stored === batch.length || !answers)) resolve({ ms: performance.now() - began });
  };
  for (const writer of writers)
    writer.on('message', (data: Buffer) => {
      if (!data.includes('"stored"')) return reject(new Error(data.toString()));
      stored += 1;
      if (stored === batch.length) step();
    });
  for (const reader of readers) {
    let [last, isWaiting] = [0n, false];
    const acknowledge = (): void => {
      isWaiting = false;
      reader.send(`{"type":"ack","through":${last}}`);
    };
    reader.on('message', (data: Buffer) => {
      delivered += 1;
      if (answers) {
        last = data.readBigUInt64BE(1);
        if (!isWaiting) {
          isWaiting = true;
          setImmediate(acknowledge);
        }
      }
      step();
    });
  }
  step();
  return promise.finally(() => {
    for (const socket of sockets) socket.removeAllListeners('message');
  });
}

/** Milliseconds since 1970 at the first delivery to anybody who is logged in from `from` on. */
async function firstDelivery({ url, person }: { url: string; person: number }): Promise<number> {
  const client = await RelayClient.connect(url, { perMessageDeflate: false });
  const arrived = new Promise<number>((resolve) =>
    client.socket.prependListener('message', (_data: Buffer, isBinary: boolean) => {
      if (isBinary) resolve(Date.now());
    }),
  );
  await client.login(people[person]!);
  const at = await arrived;
  client.socket.terminate();
  return at;
}

/** One frame that anybody can read, for a queue that is filled by the back door. */
const sample = (frameBytes: number): string =>
  Buffer.from(frameFrom(people[0]!, people[1]!, 'x'.repeat(frameBytes - 600))).toString('base64');

serve({}, { people: makePeople, logIn, connectBare, leave, sample, sign, carry, firstDelivery, cpu: cpuNow }, async () => leave());
