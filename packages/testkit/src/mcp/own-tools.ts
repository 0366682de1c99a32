// Tools of one's own as a real tool server, in a few lines. It needs no test runner: examples use it as well.

import { McpServer } from '@modelcontextprotocol/server';
import { type McpDoor, openMcpDoor } from './http-door.ts';

export interface OwnTool {
  about: string;
  /** The arguments, all required: names and their JSON types. */
  takes?: Record<string, string>;
  /** The tool changes something; without this field it only reads. */
  changes?: true;
  /** A result that is no text is given as JSON. */
  does: (given: Record<string, unknown>) => unknown;
}

/** `resources`: texts by URI. */
export function startOwnTools(
  name: string,
  tools: Readonly<Record<string, OwnTool>>,
  resources: Readonly<Record<string, () => string>> = {},
): Promise<McpDoor> {
  return openMcpDoor(() => {
    const mcp = new McpServer({ name, version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } });
    mcp.server.setRequestHandler('tools/list', () => ({
      tools: Object.entries(tools).map(([tool, { about, takes = {}, changes }]) => ({
        name: tool,
        description: about,
        inputSchema: {
          type: 'object' as const,
          properties: Object.fromEntries(Object.entries(takes).map(([field, type]) => [field, { type }])),
          required: Object.keys(takes),
        },
        annotations: { readOnlyHint: changes !== true },
      })),
    }));
    mcp.server.setRequestHandler('tools/call', async ({ params }) => {
      const result = await tools[params.name]?.does(params.arguments ?? {});
      return { content: [{ type: 'text' as const, text: typeof result === 'string' ? result : JSON.stringify(result ?? null) }] };
    });
    mcp.server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      const text = resources[uri]?.();
      if (text === undefined) throw new Error(`There is no ${uri}.`);
      return { contents: [{ uri, mimeType: 'text/plain', text }] };
    });
    return mcp;
  });
}
