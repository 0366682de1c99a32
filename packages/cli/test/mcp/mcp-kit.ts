// Agents of people: real MCP clients whose person answers forms, or has none.

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { servePeer } from '@parley/mcp';
import { onTestFinished } from 'vitest';
import { environment } from '../kit.ts';
import { commands } from '../peer/negotiation-kit.ts';
import type { Person } from '../peer/people-kit.ts';

export interface Form {
  message: string;
  requestedSchema: { properties: Record<string, { default?: string; description?: string }>; required?: string[] };
}
/** Undefined: they close the form. */
type FormContent = Record<string, string> | undefined;
/** What the person does with a form. */
export type Answering = (form: Form) => FormContent | Promise<FormContent>;

export interface AgentOptions {
  /** Absent: the client shows no forms. */
  person?: Answering;
  /** With the opening of the older protocol. */
  isLegacy?: boolean;
}

export interface Agent {
  client: Client;
  /** The result of a tool that must succeed. */
  call<T = Record<string, unknown>>(tool: string, given?: Record<string, unknown>): Promise<T>;
  /** The error of a tool that must be refused. */
  refusal(tool: string, given?: Record<string, unknown>): Promise<{ code: string; message: string }>;
}

/** The agent of somebody whose peer is in this process. */
export async function agentOf(person: Person, options: AgentOptions = {}): Promise<Agent> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  servePeer((act) => act(commands(person)), '0.0.0', far);
  return connected(near, options);
}

/** The agent that runs `parley mcp` as its program. */
export async function agentWithProgram(folder: string, options: AgentOptions = {}): Promise<Agent & { pid: number }> {
  const { command, args } = parleyMcp(folder);
  const transport = new StdioClientTransport({ command, args, env: environment() as Record<string, string>, stderr: 'inherit' });
  return { ...(await connected(transport, options)), pid: transport.pid! };
}

const parleyMcp = (folder: string): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [new URL('../../bin/parley.mjs', import.meta.url).pathname, 'mcp', '--data', folder],
});

type Connection = Parameters<Client['connect']>[0];

async function connected(transport: Connection, { person, isLegacy = false }: AgentOptions): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: person ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: isLegacy ? 'legacy' : 'auto' } },
  );
  if (person)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const content = await person(params as unknown as Form);
      return content ? { action: 'accept' as const, content } : { action: 'cancel' as const };
    });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const ask = async (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
  return {
    client,
    call: async <T>(name: string, given: Record<string, unknown> = {}): Promise<T> => {
      const { isError, structuredContent, content } = await ask(name, given);
      if (isError === true) throw new Error(`${name} was refused: ${JSON.stringify(content)}`);
      return structuredContent as T;
    },
    refusal: async (name, given = {}) => {
      const { isError, structuredContent } = await ask(name, given);
      if (isError !== true) throw new Error(`${name} was not refused: ${JSON.stringify(structuredContent)}`);
      return (structuredContent as { error: { code: string; message: string } }).error;
    },
  };
}

export interface Shown {
  id: string;
  state: string;
  waits_for_your_person: { prompt: string; kind: string; call: string; fields?: Record<string, unknown>[] }[];
  untrusted_words_of_peer: { warning: string; proposal: { summary: string } | null; reasons?: unknown[] };
}

/** They look until nothing comes any more. */
export async function lookAll(...agents: Agent[]): Promise<void> {
  for (let before = '', now = 'none'; now !== before;) {
    before = now;
    now = '';
    for (const agent of agents) now += JSON.stringify(await agent.call('list_negotiations'));
  }
}
