// A connection to a tool server. The library is loaded with the first one.

import type { Client, Transport } from '@modelcontextprotocol/client';
import { secretReference, type ToolServerConfig } from '@parley/protocol';
import { countBytes, type Outbound } from '../outbound/guarded-fetch.ts';
import { StdioTransport } from './mcp-stdio.ts';

export interface McpConnection {
  client: Client;
  /** What is known of its end, besides that it came. */
  why(): string;
  close(): Promise<void>;
}

/** The most bytes of one answer before it is cut: more than that is no answer. */
const mostBytes = 8_000_000;
const connectMs = 30_000;

interface Events {
  /** It is gone, or is to be let go of. */
  lost(why: string): void;
  toolsChanged(): void;
}

/** `host`: where it is sent; undefined: to a program of this machine. */
export type Secrets = (name: string, host?: string) => Promise<string | undefined>;

/** What it is reached with, secrets filled in. */
export interface ConnectionSettings {
  env: Record<string, string>;
  headers: Record<string, string>;
}

export const givenTo = async (config: ToolServerConfig, secret: Secrets): Promise<ConnectionSettings> => ({
  env: await filled(config.env, secret),
  headers: await filled(config.headers, (name) => secret(name, new URL(config.url!).host)),
});

export async function connect(
  config: ToolServerConfig,
  { env, headers }: ConnectionSettings,
  callable: Outbound,
  stopped: AbortSignal,
  events: Events,
): Promise<McpConnection> {
  const mcp = await import('@modelcontextprotocol/client');
  const flood = (): void => events.lost(`it sent more than ${mostBytes} bytes for one answer`);
  const why = (): string => [stdio?.exit, stdio?.said.trim()].filter(Boolean).join(': ');
  const stdio: StdioTransport | undefined =
    config.command === undefined
      ? undefined
      : new StdioTransport(
          mcp,
          { command: config.command, args: config.args ?? [], env, cwd: config.cwd },
          { bytes: mostBytes, exceeded: flood, ended: () => events.lost(why() || 'it ended') },
        );
  const transport: Transport =
    stdio ??
    new mcp.StreamableHTTPClientTransport(new URL(config.url!), {
      requestInit: { headers, redirect: 'error' },
      fetch: limited(flood, callable),
    });
  const client = new mcp.Client(
    { name: 'parley', version: '0.1.0' },
    {
      // A program that does not know the newer opening may end on it; over HTTP it only says no.
      versionNegotiation: { mode: stdio ? 'legacy' : 'auto' },
      listChanged: { tools: { autoRefresh: false, onChanged: () => events.toolsChanged() } },
    },
  );
  // Nobody waits for one that is still thinking about it.
  const letGo = (): void => void transport.close().catch(() => {});
  stopped.addEventListener('abort', letGo, { once: true });
  try {
    stopped.throwIfAborted();
    await client.connect(transport, { timeout: connectMs });
  } catch (error) {
    await transport.close().catch(() => {});
    throw new Error(why() || reason(error), { cause: error });
  } finally {
    stopped.removeEventListener('abort', letGo);
  }
  return { client, why, close: () => client.close() };
}

/** What failed below says more than that something did. */
function reason(error: unknown): string {
  let deepest = error as Error & { data?: { cause?: unknown } };
  for (let next: unknown = deepest; next instanceof Error; next = deepest.cause ?? deepest.data?.cause) deepest = next;
  return deepest.message || (error as Error).message;
}

async function filled(given: Record<string, string> | undefined, secret: Secrets): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [key, value] of Object.entries(given ?? {})) {
    const known = new Map<string, string>();
    for (const [, name] of value.matchAll(secretReference)) {
      const found = await secret(name!);
      if (found === undefined)
        throw new Error(`there is no secret ${name}; set it under Keys, or with npx parley secrets set ${name!.toLowerCase()}`);
      known.set(name!, found);
    }
    result[key] = value.replaceAll(secretReference, (_, name: string) => known.get(name)!);
  }
  return result;
}

/** Counts what comes, again with each thing it is asked: an answer without end is not read to its end. */
function limited(flood: () => void, callable: Outbound): typeof fetch {
  let bytes = 0;
  return async (input, init) => {
    if (init?.method === 'POST') bytes = 0;
    return countBytes(await callable(input, init), (count) => {
      bytes += count;
      if (bytes <= mostBytes) return;
      flood();
      throw new Error('too much');
    });
  };
}
