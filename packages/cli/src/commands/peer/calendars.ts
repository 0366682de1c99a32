// `parley peer calendar`: files, addresses and CalDAV servers that show when the person is busy.

import { printableLines } from '../../output.ts';
import { me } from '../../hints.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';
import { resolve } from 'node:path';
import type { PeerProfile } from '@parley/protocol';
import { CliError } from '../../exit.ts';
import { typedSecret } from '../../input.ts';

const isAddress = (word: string): boolean => /^https?:\/\//.test(word);
const linkOf = (word: string): string => (isAddress(word) ? word : resolve(word));

export async function addCalendar(context: PeerCommandContext, word: string, { username }: { username?: string }): Promise<void> {
  if (username !== undefined && !isAddress(word))
    throw new CliError('usage', `--username needs the https:// address of a CalDAV server; this is ${word}.`);
  const secret = username === undefined ? {} : { username, password: await passwordFor(context, word) };
  const { calendars } = await withPeer(context, (peer) =>
    isAddress(word) ? peer.addCalendar({ kind: 'url', url: word, ...secret }) : peer.linkCalendar({ path: linkOf(word) }),
  );
  // The peer has read only the new calendar, so the others have no count.
  const { name, events } = calendars.find((one) => one.events !== null)!;
  const result = { calendar: name, events, calendars: calendars.map((one) => one.name) };
  context.output.result(result, `Added ${name}: ${events} events in the next four weeks.`);
}

async function passwordFor({ env }: PeerCommandContext, url: string): Promise<string> {
  const password = env['PARLEY_CALDAV_PASSWORD'];
  if (password !== undefined && password !== '') return password;
  if (!process.stdin.isTTY) throw new CliError('usage', `${url} needs a password. Set PARLEY_CALDAV_PASSWORD.`);
  const typed = await typedSecret(`The password for ${url}`);
  if (!typed) throw new CliError('usage', 'No calendar was added: there was no password.');
  return typed;
}

export async function listCalendars(context: PeerCommandContext): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.profile()));
}

export async function removeCalendar(context: PeerCommandContext, word: string): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.removeCalendar({ name: linkOf(word) })));
}

function print(context: PeerCommandContext, profile: PeerProfile): void {
  const calendars = profile.calendars.map(({ name }) => name);
  const none = `No calendar yet. Add one with \`${me} peer calendar add <calendar>${inFolder(context)}\`.`;
  context.output.result({ calendars }, calendars.length === 0 ? none : printableLines(calendars));
}
