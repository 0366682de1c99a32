// A running peer answers calls of its own folder over a socket there, so that a command never displaces it.

import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { badInput, type OwnPeerCalls, type PeerCall, PeerCallError, type PeerCallErrorCode } from '@parley/protocol';
import { CalendarError, type CalendarErrorCode } from '../calendar/problems.ts';
import { callsBy } from '../calls/own-host.ts';
import { CardError } from '../identity/cards-and-safety-numbers.ts';

const mostPathBytes = 100;
/** The first line of each question and of each answer: another version may mean something else by the same call. */
const version = 'parley-peer/2';

/** The name is relative where that is shorter: a socket's path has at most 107 bytes. */
function socketPath(folder: string): string {
  const absolute = join(folder, 'peer.sock');
  const path = [absolute, relative(process.cwd(), absolute)].toSorted((a, b) => a.length - b.length)[0]!;
  if (Buffer.byteLength(path) > mostPathBytes)
    throw badInput(`The folder's path is too long for a socket: ${folder}. Choose a shorter one.`);
  return process.platform === 'win32' ? `\\\\.\\pipe\\parley-${Buffer.from(absolute).toString('base64url').slice(-60)}` : path;
}

interface Question {
  call: PeerCall;
  argument: unknown;
}
type Answer = { result: unknown } | { error: { kind: string; code: string; message: string } };

/** Only who holds the folder's lock may listen. Returns what ends it. */
export async function listenForCalls(folder: string, calls: OwnPeerCalls): Promise<() => Promise<void>> {
  const path = socketPath(folder);
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
    const lines = createInterface({ input: socket });
    lines.once('line', (theirs) => {
      socket.write(`${version}\n`);
      if (theirs !== version) return void socket.end();
      lines.once('line', (line) => void answer(calls, line).then((text) => socket.writable && socket.end(`${JSON.stringify(text)}\n`)));
    });
  });
  server.listen(path);
  await once(server, 'listening');
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
}

async function answer(calls: OwnPeerCalls, line: string): Promise<Answer> {
  try {
    const { call, argument } = JSON.parse(line) as Question;
    return { result: (await (calls[call] as (argument: unknown) => Promise<unknown>)(argument)) ?? null };
  } catch (error) {
    const { name, code = '', message } = error as Error & { code?: string };
    return { error: { kind: error instanceof CardError ? 'CardError' : name, code, message } };
  }
}

/** The error that the peer threw, here. */
function revived(kind: string, code: string, message: string): Error {
  if (kind === 'PeerCallError') return new PeerCallError(code as PeerCallErrorCode, message);
  if (kind === 'CalendarError') return new CalendarError(code as CalendarErrorCode, message);
  return kind === 'CardError' ? new CardError(message) : new Error(message);
}

/** The calls of the peer that runs in the folder; undefined when none does. */
export async function runningPeer(folder: string): Promise<OwnPeerCalls | undefined> {
  const path = socketPath(folder);
  const probe = await dial(path);
  probe?.destroy();
  return probe && callsBy((call, argument) => ask(path, { call, argument }));
}

async function dial(path: string): Promise<Socket | undefined> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    // No socket, or one that a killed process left behind.
    return undefined;
  }
}

async function ask(path: string, question: Question): Promise<unknown> {
  const socket = await dial(path);
  if (!socket) throw new PeerCallError('relay_away', 'The peer that ran in this folder has stopped. Try again.');
  socket.write(`${version}\n${JSON.stringify(question)}\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const [theirs, line = ''] = text.split('\n');
  if (text !== '' && theirs !== version)
    throw new PeerCallError('occupied', 'Another version of Parley runs the peer of this folder. Restart it.');
  if (line === '') throw new PeerCallError('relay_away', 'The peer that runs in this folder stopped before it answered. Try again.');
  const said = JSON.parse(line) as Answer;
  if (!('error' in said)) return said.result;
  throw revived(said.error.kind, said.error.code, said.error.message);
}
