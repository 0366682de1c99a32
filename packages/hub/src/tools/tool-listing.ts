// The tools that a server listed last, each with the checks of its arguments and its result.

import { createHash } from 'node:crypto';
import type { Client, Tool as McpTool } from '@modelcontextprotocol/client';
import type { ToolAccess } from '@parley/protocol';
import { type SchemaCheck, type Compile, compiler } from './tool-schema.ts';

export interface ListedTool {
  /** The server's name for the tool. */
  name: string;
  description: string;
  input: Record<string, unknown>;
  /** The access that the server claims. Anything but a clear statement that the tool only reads is a write. */
  says: ToolAccess;
  check: SchemaCheck;
  checkOutput: SchemaCheck | undefined;
}

export interface ToolListing {
  tools: Map<string, ListedTool>;
  /** The tools that the server offers and the hub cannot use. */
  problems: string[];
}

const mostTools = 200;
const longestDescription = 2000;

export async function listTools(client: Client, timeout: number): Promise<ToolListing> {
  const compile = await compiler();
  const { tools } = await client.listTools(undefined, { timeout, cacheMode: 'refresh' });
  const listing: ToolListing = { tools: new Map(), problems: [] };
  for (const tool of tools.slice(0, mostTools)) {
    try {
      listing.tools.set(tool.name, toListedTool(tool, compile));
    } catch (error) {
      listing.problems.push(`${tool.name}: its schema ${(error as Error).message}`.slice(0, 200));
    }
  }
  if (tools.length > mostTools) listing.problems.push(`it offers ${tools.length} tools; the first ${mostTools} are used`);
  return listing;
}

function toListedTool(tool: McpTool, compile: Compile): ListedTool {
  const input = compile(tool.inputSchema);
  return {
    name: tool.name,
    description: (tool.description ?? tool.title ?? '').slice(0, longestDescription),
    input: input.schema,
    says: tool.annotations?.readOnlyHint === true ? 'read' : 'write',
    check: input.check,
    checkOutput: tool.outputSchema === undefined ? undefined : compile(tool.outputSchema).check,
  };
}

const longestName = 64;

/** The tool's name for models: letters, digits, `_` and `-`. Two underscores keep it apart from the hub's own tools. */
export function calledAs(server: string, tool: string): string {
  const plain = `${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  if (plain === `${server}__${tool}` && plain.length <= longestName) return plain;
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 6);
  return `${plain.slice(0, longestName - 7)}_${mark}`;
}
