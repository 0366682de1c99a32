// A confirmed proposal lets a person's peer call tools, but only of tool servers that the person owns (ADR 0024).

import { PeerCallError, type ChannelPost, ParleyError, type OpenedLink, type OpenSpaceLink } from '@parley/protocol';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import type { FoundTool, McpClients } from '../tools/mcp-clients.ts';
import type { Peers } from './peers.ts';

interface ToolParts {
  store: Store;
  engine: Engine;
  servers: McpClients;
}

const pathOf = ({ server, tool }: FoundTool): string => `${server}/${tool.name}`;

async function ownTools({ store, servers }: ToolParts, memberId: string): Promise<FoundTool[]> {
  const [member] = await store.rows('members', { id: memberId });
  if (member?.status !== 'active') return [];
  const names = (await servers.ownedBy(member.id)).map((name) => `mcp://${name}`);
  return (await servers.tools(names)).filter(({ owner }) => owner === member.id);
}

export const toolsOf = async (parts: ToolParts, memberId: string): Promise<string[]> =>
  (await ownTools(parts, memberId)).map(pathOf).toSorted();

/** The fact is on disk before the call, so that no call goes unrecorded. The peer's store has the arguments. */
export async function callOwnTool(
  parts: ToolParts,
  memberId: string,
  path: string,
  argument: Readonly<Record<string, unknown>>,
): Promise<void> {
  const found = (await ownTools(parts, memberId)).find((tool) => pathOf(tool) === path);
  if (!found) throw new PeerCallError('refused', `${path} is no tool of a server of yours, or the server does not answer.`);
  await parts.engine.submit({ type: 'peer.tool', by: platform, memberId, server: found.server, tool: found.tool.name });
  // No signal is needed: the server's time limit ends the call.
  const { isError } = await parts.servers.call(found.server, found.tool.name, argument, new AbortController().signal);
  if (isError) throw new PeerCallError('unavailable', `${path} failed.`);
}

// The action "post to a channel": the hub posts for a person's peer.

const keyOf = (memberId: string, key: string): string => `peer-post ${memberId} ${key}`;

/** Rejects with `refused` if nothing was posted. Repeats with the same key post once. */
export async function postToChannel(engine: Engine, memberId: string, { key, conversationId, audience, text }: ChannelPost): Promise<void> {
  const command = { type: 'peer.post', by: platform, key: keyOf(memberId, key), memberId, conversationId, audience, text } as const;
  await engine.submit(command).catch((error: unknown) => {
    throw error instanceof ParleyError ? new PeerCallError('refused', error.message) : error;
  });
}

/** Does nothing if nothing was posted. */
export const takeBackPost = async (engine: Engine, memberId: string, key: string): Promise<void> =>
  void (await engine.submit({ type: 'peer.unpost', by: platform, postKey: keyOf(memberId, key) }));

// A person opens a link of a space: one of the person's own tool servers reads it, and only the person gets the text (A2C-33).

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
