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
import {
  join as joinSession,
  offer,
  open,
  type OwnIdentity,
  type Parties,
  RelayConnection,
  seal,
  type SealedSession,
  signFrame,
  start,
  tagFor,
} from '@parley/a2acp';
import { openNodeSocket } from '@parley/a2acp/node';
import { bodySizes, canonicalJson, type FrameHeader, fromUtf8, readFrame, toBase64Url, utf8 } from '@parley/protocol/relay';
import { parley, type RunOptions, running } from '../kit.ts';
import { device, headerOf, person } from './header-kit.ts';

/** One word for each place in a packet. */
const canaries = { text: 'canary-text-5b1f', negotiation: 'thr_canary5b2f', field: 'canary_field_5b3f', value: 'canary-value-5b4f' };
const packetText = canonicalJson({
  thread_id: canaries.negotiation,
  text: canaries.text,
  fields: { [canaries.field]: canaries.value },
});

/** As bytes that a program may keep a text in. */
const needles = Object.values(canaries).flatMap((word) => [
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
]);
export const hasCanary = (bytes: Buffer): boolean => needles.some((needle) => bytes.includes(needle));

export interface CanaryRelay {
  /** What each place holds where a canary could be. */
  places(): Promise<Map<string, Buffer>>;
  /** The texts that bob read. */
  readonly texts: string[];
  readonly pid: number;
  stopped(): Promise<string>;
}

type Seal = (text: Uint8Array, header: FrameHeader) => Promise<Uint8Array>;

/** Ann sends three packets: bob reads one, two wait at the relay. `isSealed` false puts the text itself into the frames. */
export async function carryCanaries({ isSealed }: { isSealed: boolean }): Promise<CanaryRelay> {
  const cwd = await mkdtemp(join(tmpdir(), 'parley-canary-'));
  // WebAssembly's guard regions would make a core dump of ten gigabytes.
  const here: RunOptions = { cwd, env: { PARLEY_RELAY_PORT: '0', PARLEY_LOG: 'debug', NODE_OPTIONS: '--disable-wasm-trap-handler' } };
  const relay = await running<{ url: string }>(['relay'], here);
  const { url, captured } = await recordingProxy(new URL(relay.url));
  onTestFinished(async () => {
    await relay.stop('SIGKILL');
    await rm(cwd, { recursive: true });
  });
  const [ann, bob] = [person('ann'), person('bob')];
  const texts: string[] = [];
  const secrets = await offer(bob, Date.now(), 30);
  const opened = isSealed ? openerOf(bob, ann, secrets) : async (body: Uint8Array) => body.subarray(0, utf8(packetText).length);
  const connected = async (own: OwnIdentity): Promise<RelayConnection> => {
    const invited = await parley(['relay', 'invite'], here);
    const registration = { name: own.address.slice(6).split('@')[0]!, code: invited.out.trim().split(' ').at(-1)! };
    const onDelivery = async ({ frame }: { frame: Uint8Array }): Promise<void> => {
      const { header, body } = readFrame(frame);
      texts.push(fromUtf8(await opened(body, header)));
    };
    const connection = await RelayConnection.open({ url, openSocket: openNodeSocket, own, relay: undefined, registration, onDelivery });
    onTestFinished(() => connection.close());
    return connection;
  };
  const [annsLine, bobsLine] = [await connected(ann), await connected(bob)];
  const sealed: Seal = isSealed ? await sealerOf(ann, bob, secrets.package) : async (text) => padded(text);
  for (let n = 0; n < 3; n += 1) {
    const header = headerOf(ann, bob, n, tag);
    await annsLine.send(header.packet_id, signFrame(ann, header, await sealed(utf8(packetText), header)));
    while (texts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    bobsLine.close();
    await bobsLine.closed;
  }
  return {
    texts,
    pid: relay.pid,
    places: async () => new Map([...(await filesIn(join(cwd, '.parley-relay'))), ['socket', Buffer.concat(captured)]]),
    stopped: async () => relay.stop().then(({ out, err }) => out + err),
  };
}

const partiesOf = (own: OwnIdentity, { address, key, epoch }: OwnIdentity): Parties => ({ own, peer: { address, key: key.public, epoch } });

const bytesOf = (header: FrameHeader): Uint8Array => utf8(canonicalJson(header));

let tag = device;

async function sealerOf(ann: OwnIdentity, bob: OwnIdentity, keyPackage: Uint8Array): Promise<Seal> {
  const parties = partiesOf(ann, bob);
  let session = await start(parties, keyPackage, Date.now());
  tag = toBase64Url(tagFor(session.tagSecrets.sending, canaries.negotiation));
  return async (text, header) => {
    const result = await seal(session, parties, { headerBytes: bytesOf(header), text }, Date.now());
    session = result.session;
    return result.body;
  };
}

function openerOf(bob: OwnIdentity, ann: OwnIdentity, secrets: Awaited<ReturnType<typeof offer>>): Seal {
  const parties = partiesOf(bob, ann);
  let session: SealedSession | undefined;
  return async (body, header) => {
    session ??= await joinSession(parties, secrets, body);
    const result = await open(session, parties, { headerBytes: bytesOf(header), body }, Date.now());
    session = result.session;
    return result.text;
  };
}

function padded(text: Uint8Array): Uint8Array {
  const body = new Uint8Array(bodySizes[0]!);
  body.set(text);
  return body;
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

/** Whether a canary is in the memory of a process. */
export async function canaryInMemory(gcore: string, pid: number): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-core-'));
  try {
    const { stdout, stderr } = await promisify(execFile)(gcore, ['-o', join(folder, 'core'), String(pid)], { maxBuffer: 2 ** 26 });
    const [core] = await readdir(folder);
    if (core === undefined) throw new Error(stdout + stderr);
    return await fileHasCanary(join(folder, core));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fileHasCanary(path: string): Promise<boolean> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 24 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    if (hasCanary(bytes)) return true;
    rest = bytes.subarray(-128);
  }
  return false;
}
