// The tools an agent really has, as `parley agent show` lists them.

import { privateResultsText, workspaceTools } from '@parley/core';
import type { Identity, ToolServer } from '@parley/protocol';

type Offered = ToolServer['tools'][number];

const byAccess = (tools: readonly Pick<Offered, 'calledAs' | 'access'>[]): string[] =>
  (['read', 'write'] as const).flatMap((access) => {
    const names = tools.filter((tool) => tool.access === access).map(({ calledAs }) => calledAs);
    return names.length === 0 ? [] : `  ${access}s: ${names.join(', ')}`;
  });

const ownerLine = ({ owner }: ToolServer): string[] =>
  owner === null ? [] : [`  private data of ${owner}: ${privateResultsText.charAt(0).toLowerCase()}${privateResultsText.slice(1)}`];

/** Those of the workspace, and of each server that it was given; a server that was not asked yet has not listed any. */
export function toolLines({ brain, tools }: Pick<Identity, 'brain' | 'tools'>, servers: readonly ToolServer[]): string[] {
  if (brain.kind === 'builtin') return ['tools: none (a built-in agent has no model)'];
  const given = Map.groupBy(tools, (reference) => reference.replace('mcp://', '').split('/')[0]!);
  const listed = [...given].flatMap(([name, references]) => {
    const server = servers.find((one) => one.name === name);
    if (!server) return [];
    const isGiven = (tool: Offered): boolean => references.some((one) => one === `mcp://${name}` || one === `mcp://${name}/${tool.name}`);
    const offered = server.tools.filter(isGiven);
    if (offered.length > 0) return [`tools of ${name}:`, ...byAccess(offered), ...ownerLine(server)];
    return server.tools.length > 0 ? [] : [`tools of ${name}: not listed yet. \`npx parley tools test ${name}\` lists them.`];
  });
  return ['tools of the workspace:', ...byAccess(workspaceTools), ...listed];
}

/** Named in its configuration, and not offered: a name may be misspelt. */
export function unknownTools({ state, tools, config }: Pick<ToolServer, 'state' | 'tools' | 'config'>): string[] {
  if (state !== 'up') return [];
  return Object.keys(config?.tools ?? {}).filter((named) => tools.every(({ name }) => name !== named));
}
