// A relay process that carries canaries: words in every field of sealed packets, which are then searched for wherever the relay
// could have put them. With the seal switched off the same search must find them, or it would prove nothing.

import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { PacketContent } from '@parley/peer';
import { switchSealOff } from '@parley/peer/open-seal';
import { ask, type RunOptions, running } from '../kit.ts';
import { exchangeCards, newPerson, type Person } from './people-kit.ts';

const mark = 'canary-5b1f';
const canary = (place: string): string => `${place}-${mark}`;

/** A word in each place of a packet that people fill. */
const content: PacketContent = {
  type: canary('type'),
  context: { [canary('field')]: canary('value'), flexibility: canary('flexibility') },
  members: {
    intent: { summary: canary('summary'), category: canary('category') },
    needs: [{ field: canary('need'), reason: canary('reason'), priority: 'helpful' }],
    context_provided: { [canary('provided')]: canary('answer') },
    context_unavailable: [{ field: canary('unavailable'), status: canary('status'), hint: null }],
    escalation: { recommend: canary('recommend'), reason: canary('escalation'), suggested_prompt: canary('prompt') },
    [canary('member')]: canary('unknown'),
  },
};

/** As bytes that a program may keep a word in. */
const needlesFor = (word: string): Buffer[] => [
  Buffer.from(word, 'utf8'),
  Buffer.from(word, 'utf16le'),
  // The middle of its base64, whatever stands before it.
  ...[0, 1, 2].map((shift) =>
    Buffer.from(
      Buffer.from(' '.repeat(shift) + word)
        .toString('base64')
        .slice(4, 16),
    ),
  ),
];

function searchFor(words: readonly string[]): (bytes: Buffer) => string[] {
  const searches = words.map((word) => ({ word, needles: needlesFor(word) }));
  return (bytes) => searches.filter(({ needles }) => needles.some((needle) => bytes.includes(needle))).map(({ word }) => word);
}

export interface CanaryRelay {
  /** Every word that only the two people know: the canaries, and the ids of negotiation and packets. */
  readonly words: readonly string[];
  /** How many packets bob and ann have read. */
  readonly arrived: number;
  /** Which words are in each file of the relay, and in the bytes on its socket. */
  hits(): Promise<Record<string, string[]>>;
  /** The same for the memory of its process, with one word for all canaries: a core dump is large. */
  hitsInMemory(gcore: string): Promise<string[]>;
  /** Ends it; the same for all that it printed. */
  hitsInLog(): Promise<{ log: string; hits: string[] }>;
}

/** Ann and bob each read a packet of the other, then two of ann wait at the relay. `isSealed` false puts the texts into the frames as they are. */
export async function carryCanaries({ isSealed }: { isSealed: boolean }): Promise<CanaryRelay> {
  if (!isSealed) onTestFinished(await switchSealOff());
  const cwd = await mkdtemp(join(tmpdir(), 'parley-canary-'));
  // WebAssembly's guard regions would make a core dump of ten gigabytes.
  const here: RunOptions = { cwd, env: { PARLEY_RELAY_PORT: '0', PARLEY_LOG: 'debug', NODE_OPTIONS: '--disable-wasm-trap-handler' } };
  const relay = await running<{ url: string }>(['relay'], here);
  onTestFinished(async () => {
    await relay.stop('SIGKILL');
    await rm(cwd, { recursive: true });
  });
  const { url, captured } = await recordingProxy(new URL(relay.url));
  const invite = async (): Promise<string> => (await ask<{ code: string }>(['relay', 'invite'], here)).code;
  const at = { served: { url }, invite };
  const [ann, bob] = [await newPerson(at, 'ann'), await newPerson(at, 'bob')];
  await exchangeCards(ann, bob);
  // On the wire a client's messages are masked, as WebSockets do it.
  const toRelay = (data: string | Uint8Array): string | Uint8Array => (captured.push(Buffer.from(data)), data);
  for (const one of [ann, bob]) one.meddler = { toRelay };
  const ids = new Set<string>();
  const send = async (from: Person, to: Person): Promise<void> => {
    const { key, packet } = await from.peer.write(to.address, content);
    ids.add(packet.thread_id).add(packet.packet_id);
    await from.link.exchange(() => from.link.deliver(key));
  };
  await send(ann, bob);
  await bob.exchange();
  await send(bob, ann);
  await ann.exchange();
  for (let n = 0; n < 2; n += 1) await send(ann, bob);

  const words = [...new Set(JSON.stringify(content).match(/\w+-canary-5b1f/g)), ...ids];
  const hitsIn = searchFor(words);
  return {
    words,
    arrived: [...(await bob.contexts()), ...(await ann.contexts())].filter((context) => canary('field') in (context as object)).length,
    hits: async () => {
      const files = await filesIn(join(cwd, '.parley-relay'));
      return Object.fromEntries([...files, ['socket', Buffer.concat(captured)] as const].map(([name, bytes]) => [name, hitsIn(bytes)]));
    },
    hitsInMemory: (gcore) => hitsInCore(gcore, relay.pid, searchFor([mark, ...ids])),
    hitsInLog: async () => {
      const { out, err } = await relay.stop();
      return { log: out + err, hits: hitsIn(Buffer.from(out + err)) };
    },
  };
}

async function filesIn(folder: string): Promise<[string, Buffer][]> {
  return Promise.all((await readdir(folder)).map(async (name): Promise<[string, Buffer]> => [name, await readFile(join(folder, name))]));
}

/** Between the peers and the relay; keeps every byte of both directions. */
async function recordingProxy(target: URL): Promise<{ url: string; captured: Buffer[] }> {
  const captured: Buffer[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      from.on('data', (bytes: Buffer) => void captured.push(bytes));
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, captured };
}

async function hitsInCore(gcore: string, pid: number, hitsIn: (bytes: Buffer) => string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-core-'));
  try {
    const { stdout, stderr } = await promisify(execFile)(gcore, ['-o', join(folder, 'core'), String(pid)], { maxBuffer: 2 ** 26 });
    const [core] = await readdir(folder);
    if (core === undefined) throw new Error(stdout + stderr);
    const found = new Set<string>();
    let rest = Buffer.alloc(0);
    for await (const chunk of createReadStream(join(folder, core), { highWaterMark: 2 ** 24 })) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      for (const word of hitsIn(bytes)) found.add(word);
      rest = bytes.subarray(-128);
    }
    return [...found];
  } finally {
    await rm(folder, { recursive: true });
  }
}
