// A confirmed proposal lets a person's peer call tools, but only of tool servers that the person owns (ADR 0024).

import { PeerCallError } from '@parley/protocol';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import type { FoundTool, McpClients } from '../tools/mcp-clients.ts';

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
