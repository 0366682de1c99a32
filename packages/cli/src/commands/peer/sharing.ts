// What a peer knows about its person, and who gets it, as lists.

import { defaultSharing, fieldKey, type SharingRules, type SharingTier, tierOf } from '@parley/core/consent';
import { printable, table, printableLines } from '../../output.ts';
import { me } from '../../hints.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';
import { resolve } from 'node:path';
import type { PeerProfile } from '@parley/protocol';
import { CliError } from '../../exit.ts';
import { typedSecret } from '../../input.ts';

const tierNames: Readonly<Record<SharingTier, string>> = { always_share: 'always', ask_first: 'ask', never_share: 'never' };

export async function listProfile(context: PeerCommandContext): Promise<void> {
  const { fields } = await withPeer(context, (peer) => peer.profile());
  const rows = Object.entries(fields).map(([field, value]) => [field, printable(JSON.stringify(value))]);
  const none = `Nothing yet. Set a value with \`${me} peer profile set dietary vegan${inFolder(context)}\`.`;
  context.output.result({ fields }, rows.length === 0 ? none : table(['FIELD', 'VALUE'], rows));
}

export async function listTiers(context: PeerCommandContext): Promise<void> {
  const { fields, tiers: base, overrides } = await withPeer(context, (peer) => peer.profile());
  const known = Object.keys(fields);
  const rows = tierRows({ base, overrides, known });
  context.output.result({ known, tiers: base, overrides }, table(['FIELD', 'EVERYBODY', 'EXCEPT'], rows));
  context.output.note('  Any other field: you are asked first.');
}

/** One row for free time, under the name that peers ask for. */
const rowOf = (field: string): string => (fieldKey(field) === 'general_availability' ? 'time_windows' : fieldKey(field));

export function tierRows({ known, base, overrides }: SharingRules & { known: readonly string[] }): string[][] {
  const named = [defaultSharing.base, base, ...Object.values(overrides)].flatMap((tiers) => Object.keys(tiers));
  const everybody: SharingRules = { base, overrides: {} };
  return [...new Set([...named, ...known].map(rowOf))].map((field) => {
    const exceptions = Object.entries(overrides)
      .filter(([, tiers]) => Object.keys(tiers).some((name) => rowOf(name) === field))
      .map(([address]) => `${address} ${tierNames[tierOf({ base, overrides }, field, address)]}`);
    return [printable(field), tierNames[tierOf(everybody, field, '')], printable(exceptions.join(', '))];
  });
}

// The calendars that say when a person is busy: files, addresses, and CalDAV servers with a password.

const isAddress = (word: string): boolean => /^https?:\/\//.test(word);
const linkOf = (word: string): string => (isAddress(word) ? word : resolve(word));

export async function addCalendar(context: PeerCommandContext, word: string, { username }: { username?: string }): Promise<void> {
  if (username !== undefined && !isAddress(word))
    throw new CliError('usage', `--username needs the https:// address of a CalDAV server; this is ${word}.`);
  const secret = username === undefined ? {} : { username, password: await passwordFor(context, word) };
  const { calendars } = await withPeer(context, (peer) =>
    isAddress(word) ? peer.addCalendar({ kind: 'url', url: word, ...secret }) : peer.linkCalendar({ path: linkOf(word) }),
  );
  // Only the new one was read now.
  const { name, events } = calendars.find((one) => one.events !== null)!;
  const result = { calendar: name, events, calendars: calendars.map((one) => one.name) };
  context.output.result(result, `Added ${name}: ${events} events in the next four weeks.`);
}

async function passwordFor({ env }: PeerCommandContext, url: string): Promise<string> {
  const given = env['PARLEY_CALDAV_PASSWORD'];
  if (given !== undefined && given !== '') return given;
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
