// A link of a space, opened in the terminal: by a command of the person, with a tool server of their own file, and for them alone.

import { join } from 'node:path';
import { readToolResource } from '@parley/hub/resources';
import { CliError } from '../../exit.ts';
import { printable, printableLines } from '../../output.ts';
import { type PeerCommandContext, peerFolder, withPeer } from './peer-access.ts';

export async function open(
  context: PeerCommandContext,
  id: string,
  field: string,
  { server, number }: { server?: string; number: string },
): Promise<void> {
  const space = await withPeer(context, (peer) => peer.space({ id }));
  const link = space.fields.find((one) => one.field === field)?.links[Number(number) - 1];
  if (!link) throw new CliError('not_found', `${printable(field)} holds no link ${printable(number)}.`);
  const file = join(peerFolder(context), 'tools.yaml');
  const read = await readToolResource({ file, server: server ?? link.server ?? undefined, uri: link.uri, env: context.env });
  if ('problem' in read) throw new CliError('unavailable', read.problem);
  const opened = { name: link.name, uri: link.uri, ...read };
  const lines = [`${link.name} (${link.uri}), read with ${read.server}. The words are not yours:`, ...read.text.split('\n')];
  context.output.result(opened, printableLines([...lines, ...(read.isCut ? ['… it is longer.'] : [])]));
}
