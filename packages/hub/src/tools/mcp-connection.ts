// A connection to a tool server. The first connection loads the library, which is large.

import type { Client, Transport } from '@modelcontextprotocol/client';
import { secretReference, type ToolServerConfig } from '@parley/protocol';
import { countBytes, type Outbound } from '../outbound/guarded-fetch.ts';
import { StdioTransport } from './mcp-stdio.ts';

export interface McpConnection {
  client: Client;
  /** Why the connection ended, as far as the server's program told. */
  why(): string;
  close(): Promise<void>;
}

/** A server that sends more than this for one answer is disconnected. */
const mostBytes = 8_000_000;
const connectMs = 30_000;

interface ConnectionListener {
  /** The connection ended or must be closed. */
  onLoss(why: string): void;
  onToolsChange(): void;
}

/** `host` is the host that gets the secret; undefined means a program on this machine. */
export type SecretReader = (name: string, host?: string) => Promise<string | undefined>;

/** The environment and headers of a connection, with the secrets filled in. */
export interface ConnectionSettings {
  env: Record<string, string>;
  headers: Record<string, string>;
}

export const readSettings = async (config: ToolServerConfig, readSecret: SecretReader): Promise<ConnectionSettings> => ({
  env: await fillIn(config.env, readSecret),
  headers: await fillIn(config.headers, (name) => readSecret(name, new URL(config.url!).host)),
});

export async function connect(
  config: ToolServerConfig,
  { env, headers }: ConnectionSettings,
  outbound: Outbound,
  stopped: AbortSignal,
  listener: ConnectionListener,
): Promise<McpConnection> {
  const mcp = await import('@modelcontextprotocol/client');
  const flood = (): void => listener.onLoss(`it sent more than ${mostBytes} bytes for one answer`);
  const why = (): string => [stdio?.exit, stdio?.said.trim()].filter(Boolean).join(': ');
  const stdio: StdioTransport | undefined =
    config.command === undefined
      ? undefined
      : new StdioTransport(
          mcp,
          { command: config.command, args: config.args ?? [], env, cwd: config.cwd },
          { bytes: mostBytes, exceeded: flood, ended: () => listener.onLoss(why() || 'it ended') },
        );
  const transport: Transport =
    stdio ??
    new mcp.StreamableHTTPClientTransport(new URL(config.url!), {
      requestInit: { headers, redirect: 'error' },
      fetch: limitBytes(flood, outbound),
    });
  const client = new mcp.Client(
    { name: 'parley', version: '0.1.0' },
    {
      // A program that does not know the newer handshake may exit; a server over HTTP only refuses it.
      versionNegotiation: { mode: stdio ? 'legacy' : 'auto' },
      listChanged: { tools: { autoRefresh: false, onChanged: () => listener.onToolsChange() } },
    },
  );
  // A hub that stops does not wait for a server that is slow to answer.
  const closeTransport = (): void => void transport.close().catch(() => {});
  stopped.addEventListener('abort', closeTransport, { once: true });
  try {
    stopped.throwIfAborted();
    await client.connect(transport, { timeout: connectMs });
  } catch (error) {
    await transport.close().catch(() => {});
    throw new Error(why() || reasonOf(error), { cause: error });
  } finally {
    stopped.removeEventListener('abort', closeTransport);
  }
  return { client, why, close: () => client.close() };
}

/** The deepest cause says the most about the failure. */
function reasonOf(error: unknown): string {
  let deepest = error as Error & { data?: { cause?: unknown } };
  for (let next: unknown = deepest; next instanceof Error; next = deepest.cause ?? deepest.data?.cause) deepest = next;
  return deepest.message || (error as Error).message;
}

async function fillIn(template: Record<string, string> | undefined, readSecret: SecretReader): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [key, value] of Object.entries(template ?? {})) {
    const secrets = new Map<string, string>();
    for (const [, name] of value.matchAll(secretReference)) {
      const secret = await readSecret(name!);
      if (secret === undefined)
        throw new Error(`there is no secret ${name}; set it under Keys, or with npx parley secrets set ${name!.toLowerCase()}`);
      secrets.set(name!, secret);
    }
    result[key] = value.replaceAll(secretReference, (_, name: string) => secrets.get(name)!);
  }
  return result;
}

/** Counts the bytes that arrive after each request, so that an endless answer ends the connection. */
function limitBytes(flood: () => void, outbound: Outbound): typeof fetch {
  let bytes = 0;
  return async (input, init) => {
    if (init?.method === 'POST') bytes = 0;
    return countBytes(await outbound(input, init), (count) => {
      bytes += count;
      if (bytes <= mostBytes) return;
      flood();
      throw new Error('too much');
    });
  };
}
