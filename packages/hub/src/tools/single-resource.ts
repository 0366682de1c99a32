// One resource of one tool server of a tools.yaml, for programs without a hub: connect, read, close.

import type { Outbound } from '../outbound/guarded-fetch.ts';
import { connect, readSettings, type McpConnection } from './mcp-connection.ts';
import { type ReadResource, readResource } from './mcp-results.ts';
import { readToolsFile } from './tools-file.ts';

export interface ResourceRequest {
  /** tools.yaml; what it names is the person's own. */
  file: string;
  /** Undefined: the only one in the file. */
  server: string | undefined;
  uri: string;
  /** Secrets that the file names are looked up here. */
  env: Readonly<Record<string, string | undefined>>;
}

const mostLetters = 20_000;
const timeoutMs = 60_000;

export async function readToolResource(request: ResourceRequest): Promise<(ReadResource & { server: string }) | { problem: string }> {
  const { file, server, uri, env } = request;
  const content = await readToolsFile(file);
  if (!content) return { problem: `${file} is not there. Name your tool servers in it; nothing was read.` };
  if ('problems' in content) {
    const [first] = content.problems;
    return { problem: `${file}, line ${first!.line}: ${first!.field} ${first!.message}. Nothing was read.` };
  }
  const name = server ?? (content.servers.size === 1 ? [...content.servers.keys()][0] : undefined);
  const config = name === undefined ? undefined : content.servers.get(name);
  if (name === undefined || !config) {
    const serverNames = [...content.servers.keys()].join(', ') || 'none';
    return {
      problem: `${server === undefined ? 'Name a server with --server' : `${server} is no server of ${file}`}. There are: ${serverNames}. Nothing was read.`,
    };
  }
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(timeoutMs)]);
  let connection: McpConnection | undefined;
  try {
    const settings = await readSettings(config, async (secret) => env[secret.toUpperCase()] ?? env[secret]);
    const outbound: Outbound = (input, init) => fetch(input, init);
    connection = await connect(config, settings, outbound, signal, { onLoss: () => ending.abort(), onToolsChange: () => {} });
    const most = config.maxOutput ?? mostLetters;
    return { server: name, ...(await readResource(connection.client, uri, most, { signal, timeout: config.timeoutMs ?? timeoutMs })) };
  } catch (error) {
    return { problem: `${name} could not read it: ${(error as Error).message.slice(0, 300)}` };
  } finally {
    await connection?.close().catch(() => {});
  }
}
