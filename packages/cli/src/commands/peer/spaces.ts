// Shared spaces in the terminal.

import { join as joinPaths } from 'node:path';
import type { PeerCalls } from '@parley/protocol';
import { linksIn } from '@parley/core/space';
import { CliError } from '../../exit.ts';
import { count, printable, printableLines, table } from '../../output.ts';
import { valueIn } from './negotiate.ts';
import { type PeerCommandContext, peerFolder, withPeer } from './peer-access.ts';

type Space = PeerCalls['space']['out'];
type Permission = Space['people'][number]['may'];

export async function create(context: PeerCommandContext, name: string, { with: people }: { with: string[] }): Promise<void> {
  const others = people.map((word) => {
    const [address, may = 'full-write'] = word.split('=') as [string, Permission?];
    return { with: { address }, may };
  });
  const made = await withPeer(context, async (peer) => {
    const { id, line } = await peer.createSpace({ name, people: others });
    return { ...(await peer.space({ id, isStored: true })), line };
  });
  print(context, made);
}

export async function list(context: PeerCommandContext): Promise<void> {
  const spaces = await withPeer(context, (peer) => peer.spaces());
  const rows = spaces.map(({ id, name, people, unseen }) => [
    id,
    printable(name),
    count(people.length, 'person', 'people'),
    unseen === 0 ? '' : count(unseen, 'change'),
  ]);
  context.output.result({ spaces }, rows.length === 0 ? 'You share no space yet.' : table(['ID', 'NAME', 'WITH', 'NEW'], rows));
}

export async function show(context: PeerCommandContext, id: string, options: { history?: true }): Promise<void> {
  const shown = await withPeer(context, async (peer) => {
    const space = await peer.space({ id });
    await peer.seeSpace({ id });
    return space;
  });
  print(context, shown, options.history ?? false);
}

export async function set(context: PeerCommandContext, id: string, field: string, text: string): Promise<void> {
  const value = valueIn(text);
  if (value === null) throw new CliError('usage', 'null is no value. Remove a field with `unset`.');
  await write(context, id, field, value);
}

export const unset = (context: PeerCommandContext, id: string, field: string): Promise<void> => write(context, id, field, null);

async function write(context: PeerCommandContext, id: string, field: string, value: ReturnType<typeof valueIn> | null): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.writeSpace({ id, writes: [{ field, value }] })));
}

export async function join(context: PeerCommandContext, id: string): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.joinSpace({ id })));
}

export async function leave(context: PeerCommandContext, id: string): Promise<void> {
  const { line } = await withPeer(context, (peer) => peer.leaveSpace({ id }));
  context.output.result({ left: id, line }, [`You left ${id}. The others keep what you wrote.`, line ?? []].flat().join('\n'));
}

export async function watch(context: PeerCommandContext, id: string, fields: readonly string[]): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.watchSpace({ id, fields: [...fields] })));
}

export async function link(
  context: PeerCommandContext,
  id: string,
  field: string,
  uri: string,
  { name = uri, server }: { name?: string; server?: string },
): Promise<void> {
  const value = { name, uri, ...(server === undefined ? {} : { server }) };
  if (linksIn(value).length === 0) throw new CliError('usage', `uri: ${JSON.stringify(uri)} is no address such as file:///plan.md.`);
  await write(context, id, field, value);
}

/** By a command of the person, with a tool server of their own file, and for them alone. */
export async function open(
  context: PeerCommandContext,
  id: string,
  field: string,
  { server, number }: { server?: string; number: string },
): Promise<void> {
  const space = await withPeer(context, (peer) => peer.space({ id }));
  const link = space.fields.find((one) => one.field === field)?.links[Number(number) - 1];
  if (!link) throw new CliError('not_found', `${printable(field)} holds no link ${printable(number)}.`);
  const file = joinPaths(peerFolder(context), 'tools.yaml');
  const { readToolResource } = await import('@parley/hub/resources');
  const read = await readToolResource({ file, server: server ?? link.server ?? undefined, uri: link.uri, env: context.env });
  if ('problem' in read) throw new CliError('unavailable', read.problem);
  const opened = { name: link.name, uri: link.uri, ...read };
  const lines = [`${link.name} (${link.uri}), read with ${read.server}. The words are not yours:`, ...read.text.split('\n')];
  context.output.result(opened, printableLines([...lines, ...(read.isCut ? ['… it is longer.'] : [])]));
}

const why = { assigned: 'assigned to you', decision: 'a decision', yours: 'you wrote it', watched: 'you watch it' };

const changeWords = (before: unknown, value: unknown): string =>
  before === null
    ? JSON.stringify(value)
    : value === null
      ? `removed (${JSON.stringify(before)})`
      : `${JSON.stringify(before)} → ${JSON.stringify(value)}`;

/** Names and values are words of other people. */
function print(context: PeerCommandContext, space: Space, hasHistory = false): void {
  const { id, name, people, isJoined, fields, changes, refused, watches, line } = space;
  const rows = fields.flatMap(({ field, value, by, version, earlier }) => [
    [printable(field), printable(JSON.stringify(value)), by, String(version)],
    ...(hasHistory ? earlier : []).map((one) => ['', printable(JSON.stringify(one.value)), one.by, String(one.version)]),
  ]);
  const lines = [
    `${name} (${id})`,
    ...people.map(({ address, may, isGone }) => `  ${address}: ${isGone ? 'left' : may}`),
    ...changes.map(
      ({ field, by, before, value, reason }) =>
        `New from ${by}${reason === null ? '' : ` (${why[reason]})`}: ${field}, ${changeWords(before, value)}`,
    ),
    ...fields.flatMap(({ field, links }) => links.map(({ name: title, uri }) => `${field} links to ${title}: ${uri}`)),
    ...(watches.length === 0 ? [] : [`You watch ${watches.includes('*') ? 'every field' : watches.join(', ')}.`]),
    ...refused.map(({ address, times }) => `${address} tried ${count(times, 'write')} that this space does not take.`),
    ...(isJoined ? [] : ['Somebody in it is unverified. `peer space join` lets you write.']),
    ...(line ? [line] : []),
  ];
  const values = rows.length === 0 ? 'It has no fields yet.' : table(['FIELD', 'VALUE', 'BY', 'VERSION'], rows);
  context.output.result(space, `${printableLines(lines)}\n${values}`);
}
