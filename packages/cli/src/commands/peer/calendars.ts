// The calendars that say when a person is busy: files, addresses, and CalDAV servers with a password.

import { resolve } from 'node:path';
import { CliError } from '../../exit.ts';
import { me } from '../../program-name.ts';
import { printable, printableLines } from '../../output.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

const isAddress = (word: string): boolean => /^https?:\/\//.test(word);
const linkOf = (word: string): string => (isAddress(word) ? word : resolve(word));
const shownMs = 28 * 86_400_000;

export async function addCalendar(context: PeerCommandContext, word: string, { username }: { username?: string }): Promise<void> {
  const span = { from: Date.now(), to: Date.now() + shownMs, zone: 'UTC' };
  const added = (calendar: string, events: number, calendars: string[]): void =>
    context.output.result({ calendar, events, calendars }, `Added ${calendar}: ${events} events in the next four weeks.`);
  if (username !== undefined) {
    if (!isAddress(word)) throw new CliError('usage', `--username needs the https:// address of a CalDAV server; this is ${word}.`);
    const password = await passwordFor(context, word);
    const { url, events } = await read(() => readServer({ url: word, username, password }, span));
    const { calendars } = await withPeer(context, (peer) => peer.addCalendarServer({ url, username, password }));
    return added(url, events, calendars);
  }
  const link = linkOf(word);
  const { readCalendar, readLinked } = await import('@parley/peer/calendar');
  const { events } = await read(async () => readCalendar(await readLinked(link), span));
  const { calendars } = await withPeer(context, (peer) => peer.linkCalendar(link));
  added(link, events.length, calendars);
}

async function read<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new CliError('data', `calendar: ${printable((error as Error).message)}`, { cause: error });
  }
}

/** Never as an argument: other users of a machine can see those, and a shell keeps them. */
async function passwordFor({ env }: PeerCommandContext, url: string): Promise<string> {
  const given = env['PARLEY_CALDAV_PASSWORD'];
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) throw new CliError('usage', `${url} needs a password. Set PARLEY_CALDAV_PASSWORD.`);
  const { isCancel, password } = await import('@clack/prompts');
  const typed = await password({ message: `The password for ${url}`, output: process.stderr });
  if (isCancel(typed) || !typed) throw new CliError('usage', 'No calendar was added: there was no password.');
  return typed;
}

interface Server {
  url: string;
  username: string;
  password: string;
}

/** The address of a server leads to its one calendar. */
async function readServer(server: Server, span: { from: number; to: number; zone: string }): Promise<{ url: string; events: number }> {
  const { accessTo, onlyCalendar, readRemoteCalendar } = await import('@parley/peer/calendar');
  const access = accessTo(server, fetch);
  const { url } = await onlyCalendar(access);
  const { events } = await readRemoteCalendar({ ...access, url }, span);
  return { url, events: events.length };
}

export async function listCalendars(context: PeerCommandContext): Promise<void> {
  print(context, (await withPeer(context, (peer) => peer.calendars())).calendars);
}

export async function removeCalendar(context: PeerCommandContext, word: string): Promise<void> {
  print(context, (await withPeer(context, (peer) => peer.removeCalendar(linkOf(word)))).calendars);
}

function print(context: PeerCommandContext, calendars: string[]): void {
  const none = `No calendar yet. Add one with \`${me} peer calendar add <calendar>${inFolder(context)}\`.`;
  context.output.result({ calendars }, calendars.length === 0 ? none : printableLines(calendars));
}
