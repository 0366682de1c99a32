// A person opens a link of a space: one of the person's own tool servers reads it, and only the person gets the text (A2C-33).

import { type OpenedLink, type OpenSpaceLink, ParleyError } from '@parley/protocol';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import type { Peers } from './peers.ts';

export interface LinkHub {
  engine: Engine;
  peers: Peers;
  tools: McpClients;
}

export async function openSpaceLink(
  { engine, peers, tools }: LinkHub,
  memberId: string,
  { id, field, at, server }: OpenSpaceLink & { id: string },
): Promise<OpenedLink> {
  const space = await peers.call(memberId, 'space', { id });
  const link = space.fields.find((candidate) => candidate.field === field)?.links[at];
  if (!link) throw new ParleyError('not_found', `${field} holds no such link.`);
  const own = await tools.ownedBy(memberId);
  const serverName = server ?? link.server ?? own[0];
  if (serverName === undefined || !own.includes(serverName))
    throw new ParleyError(
      'peer_refused',
      own.length === 0
        ? 'No tool server of this hub is yours, so nothing was read. Ask an admin to add one with you as its owner.'
        : `${serverName} is no tool server of yours, so nothing was read. Yours are: ${own.join(', ')}.`,
    );
  await engine.submit({ type: 'peer.tool', by: platform, memberId, server: serverName, tool: 'resources/read' });
  const read = await tools.read(serverName, link.uri);
  if ('problem' in read) throw new ParleyError('peer_unavailable', read.problem);
  return { name: link.name, uri: link.uri, server: serverName, ...read };
}
