// The tools of an agent, as `parley agent show` lists them.

import type { ToolServer, Identity } from '@parley/protocol';
import { privateResultsText, workspaceTools } from '@parley/core';

type OfferedTool = ToolServer['tools'][number];

const byAccess = (tools: readonly Pick<OfferedTool, 'calledAs' | 'access'>[]): string[] =>
  (['read', 'write'] as const).flatMap((access) => {
    const names = tools.filter((tool) => tool.access === access).map(({ calledAs }) => calledAs);
    return names.length === 0 ? [] : `  ${access}s: ${names.join(', ')}`;
  });

const ownerLine = ({ owner }: ToolServer): string[] =>
  owner === null ? [] : [`  private data of ${owner}: ${privateResultsText.charAt(0).toLowerCase()}${privateResultsText.slice(1)}`];

/** Lists the tools of the workspace and of the agent's servers. A server lists its tools after the first connection. */
export function toolLines({ brain, tools }: Pick<Identity, 'brain' | 'tools'>, servers: readonly ToolServer[]): string[] {
  if (brain.kind === 'builtin') return ['tools: none (a built-in agent has no model)'];
  const referencesByServer = Map.groupBy(tools, (reference) => reference.replace('mcp://', '').split('/')[0]!);
  const listed = [...referencesByServer].flatMap(([name, references]) => {
    const server = servers.find((one) => one.name === name);
    if (!server) return [];
    const isAllowed = (tool: OfferedTool): boolean =>
      references.some((one) => one === `mcp://${name}` || one === `mcp://${name}/${tool.name}`);
    const offered = server.tools.filter(isAllowed);
    if (offered.length > 0) return [`tools of ${name}:`, ...byAccess(offered), ...ownerLine(server)];
    return server.tools.length > 0 ? [] : [`tools of ${name}: not listed yet. \`npx parley tools test ${name}\` lists them.`];
  });
  return ['tools of the workspace:', ...byAccess(workspaceTools), ...listed];
}

/** Tools that the configuration names and the server does not offer: a name may be misspelt. */
export function unknownTools({ state, tools, config }: Pick<ToolServer, 'state' | 'tools' | 'config'>): string[] {
  if (state !== 'up') return [];
  return Object.keys(config?.tools ?? {}).filter((named) => tools.every(({ name }) => name !== named));
}
