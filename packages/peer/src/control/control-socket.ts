// A running peer answers commands of its own folder over a socket there, so that a command never displaces it.

import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { CardError } from '../identity/contact-cards.ts';
import { PeerError, type PeerErrorCode } from '../packets/errors.ts';
import type { PeerCommands } from './commands.ts';

const mostPathBytes = 100;

/** The name is relative where that is shorter: a socket's path has at most 107 bytes. */
function socketPath(folder: string): string {
  const absolute = join(folder, 'peer.sock');
  const path = [absolute, relative(process.cwd(), absolute)].toSorted((a, b) => a.length - b.length)[0]!;
  if (Buffer.byteLength(path) > mostPathBytes)
    throw new PeerError('bad_input', `The folder's path is too long for a socket: ${folder}. Choose a shorter one.`);
  return process.platform === 'win32' ? `\\\\.\\pipe\\parley-${Buffer.from(absolute).toString('base64url').slice(-60)}` : path;
}

interface Question {
  command: keyof PeerCommands;
  argument?: unknown;
}
type Answer = { result: unknown } | { error: { code: PeerErrorCode | 'bad_card' | 'failed'; message: string } };

/** Only who holds the folder's lock may listen. Returns what ends it. */
export async function listenForCommands(folder: string, commands: PeerCommands): Promise<() => Promise<void>> {
  const path = socketPath(folder);
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
    createInterface({ input: socket }).on('line', (line) => {
      void answer(commands, line).then((text) => socket.writable && socket.end(`${JSON.stringify(text)}\n`));
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

async function answer(commands: PeerCommands, line: string): Promise<Answer> {
  try {
    const { command, argument } = JSON.parse(line) as Question;
    if (!Object.hasOwn(commands, command)) throw new Error(`The peer has no command ${command.slice(0, 100)}.`);
    const act = commands[command] as (argument: unknown) => Promise<unknown>;
    return { result: await act(argument) };
  } catch (error) {
    const code = error instanceof PeerError ? error.code : error instanceof CardError ? 'bad_card' : 'failed';
    return { error: { code, message: (error as Error).message } };
  }
}

/** The commands of the peer that runs in the folder; undefined when none does. */
export async function runningPeer(folder: string): Promise<PeerCommands | undefined> {
  const path = socketPath(folder);
  const probe = await dial(path);
  probe?.destroy();
  if (!probe) return undefined;
  return new Proxy({} as PeerCommands, {
    get: (_, command) =>
      typeof command === 'string' && command !== 'then'
        ? (argument: unknown) => ask(path, { command: command as keyof PeerCommands, argument })
        : undefined,
  });
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
  if (!socket) throw new PeerError('relay_away', 'The peer that ran in this folder has stopped. Try again.');
  socket.write(`${JSON.stringify(question)}\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  if (text === '') throw new PeerError('relay_away', 'The peer that runs in this folder stopped before it answered. Try again.');
  const said = JSON.parse(text) as Answer;
  if (!('error' in said)) return said.result;
  const { code, message } = said.error;
  throw code === 'bad_card' ? new CardError(message) : code === 'failed' ? new Error(message) : new PeerError(code, message);
}
