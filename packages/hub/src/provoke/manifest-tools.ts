// The tools a manifest lists, from the servers it names, and no others (PRV-12). As a model calls them: by the name the
// manifest has for them, where a provider takes it.

import { createHash } from 'node:crypto';
import type { Manifest } from '@parley/protocol';
import type { Tool } from '../brains/tools.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { AttemptError } from './model-loop.ts';

export const serverOf = (source: string): string => source.slice('mcp://'.length);

/** Providers take no other names than these. */
function callable(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain === name && plain.length <= 64) return plain;
  return `${plain.slice(0, 57)}_${createHash('sha256').update(name).digest('hex').slice(0, 6)}`;
}

/** One that is not there fails the attempt: without it the agent is another than the one somebody wrote down. */
export async function toolsOf({ tools }: Manifest, servers: Pick<McpClients, 'tools' | 'call'>): Promise<Tool[]> {
  const found = await servers.tools(tools.map(({ source, name }) => `${source}/${name}`));
  return tools.map(({ name, source, risk_override }): Tool => {
    const server = serverOf(source);
    const one = found.find((offered) => offered.server === server && offered.tool.name === name);
    if (!one) throw new AttemptError('failed', `The tool ${name} of ${source} cannot be reached.`);
    // The output goes to an event, a webhook or a record, whose readers nobody knows beforehand (SYS-6).
    if (one.owner !== undefined)
      throw new AttemptError('failed', `The tool ${name} of ${source} returns one person’s own data, which triggers do not get.`);
    return {
      name: callable(name),
      description: one.tool.description,
      input: one.tool.input,
      // The author of the manifest, or of the server's config, has said that it changes nothing.
      readOnly: one.access === 'read' || risk_override === 'read_only',
      keyed: false,
      run: async (input, { signal }) => {
        const { text, isError } = await servers.call(server, name, input, signal);
        return { text, ...(isError ? { isError } : {}) };
      },
    };
  });
}
