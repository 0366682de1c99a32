import type { ToolServer, ToolServers } from '@parley/protocol';
import { withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { wholeNumber } from '../input.ts';
import { count, table } from '../output.ts';
import type { CommandContext } from '../settings.ts';
import { unknownTools } from '../agent-tools.ts';

interface ToolOptions {
  http?: string;
  env: string[];
  header: string[];
  cwd?: string;
  read: string[];
  write: string[];
  timeout?: string;
  maxOutput?: string;
  owner?: string;
}

export async function listToolServers({ settings, output }: CommandContext): Promise<void> {
  const all = await withAccess(settings, (access) => access.call('listToolServers'));
  const none = `There are no tool servers yet. \`${me} tools add <name> <command...>\` adds one.`;
  const rows = all.servers.map((server) => [
    server.name,
    server.kind,
    stateOf(server),
    toolsOf(server),
    where(server),
    server.owner ?? '',
    server.problem ?? '',
  ]);
  output.result(all, rows.length === 0 ? none : table(['SERVER', 'KIND', 'STATE', 'TOOLS', 'FROM', 'OWNER', 'PROBLEM'], rows));
  for (const line of mistakes(all)) output.note(line);
}

/** One that never came up was not restarted, only tried. */
export function stateOf({ state, restarts, ran }: Pick<ToolServer, 'state' | 'restarts' | 'ran'>): string {
  if (restarts === 0) return state;
  if (!ran) return `${state}, tried ${restarts + 1} times`;
  return `${state}, ${restarts === 1 ? 'restarted once' : `restarted ${restarts} times`}`;
}
const toolsOf = ({ state, tools }: ToolServer): string => (state === 'idle' ? '-' : String(tools.length));
const where = ({ source }: ToolServer): string => (source === 'file' ? 'tools.yaml' : 'here');

const mistakes = ({ file }: ToolServers): string[] =>
  (file?.problems ?? []).map(
    ({ line, field, message }) => `tools.yaml line ${line}: ${field} ${message}. Its last valid version stays in force.`,
  );

function pairs(option: string, given: string[], sign: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(sign);
      if (at < 1) throw new CliError('usage', `${option} ${text} is not of the form name${sign}value.`);
      return [text.slice(0, at), text.slice(at + 1).trim()] as const;
    }),
  );
}

export async function addToolServer(
  { settings, output }: CommandContext,
  name: string,
  program: string[],
  options: ToolOptions,
): Promise<void> {
  const [command, ...args] = program;
  const tools = Object.fromEntries([
    ...options.read.map((tool) => [tool, 'read'] as const),
    ...options.write.map((tool) => [tool, 'write'] as const),
  ]);
  const some = <T extends object>(key: string, value: T): Record<string, T> => (Object.keys(value).length === 0 ? {} : { [key]: value });
  const body = {
    ...(command === undefined ? {} : { command }),
    ...some('args', args),
    ...some('env', pairs('--env', options.env, '=')),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.http === undefined ? {} : { url: options.http }),
    ...some('headers', pairs('--header', options.header, ':')),
    ...(options.timeout === undefined ? {} : { timeoutMs: wholeNumber('--timeout', options.timeout) * 1000 }),
    ...(options.maxOutput === undefined ? {} : { maxOutput: wholeNumber('--max-output', options.maxOutput) }),
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    ...some('tools', tools),
  };
  const server = await withAccess(settings, (access) => access.call('setToolServer', { params: { name }, body }));
  output.result(server, `${name} is there as mcp://${name}. Its agents have its tools from their next turn on.`);
  output.note(`  Try it with: ${me} tools test ${name}`);
}

export async function removeToolServer({ settings, output }: CommandContext, name: string): Promise<void> {
  await withAccess(settings, (access) => access.call('removeToolServer', { params: { name } }));
  output.result({ name, removed: true }, `Removed ${name}.`);
}

/** Connects now. One that does not answer is a failure of the command, too. */
export async function testToolServer({ settings, output }: CommandContext, name: string): Promise<void> {
  const server = await withAccess(settings, (access) => access.call('testToolServer', { params: { name } }));
  if (server.state !== 'up') throw new CliError('failed', `${name} is ${server.state}: ${server.problem ?? 'it did not answer'}.`);
  const rows = server.tools.map((tool) => [tool.name, tool.access, tool.access === tool.says ? '' : `it says ${tool.says}`, tool.calledAs]);
  output.result(server, `${name} is up with ${count(rows.length, 'tool')}.\n${table(['TOOL', 'ACCESS', 'NOTE', 'CALLED AS'], rows)}`);
  if (server.problem !== null) output.note(server.problem);
  for (const tool of unknownTools(server))
    output.note(`${name} offers no tool ${tool}, which its configuration names. The tools above are all it has.`);
  if (server.tools.some(({ access, says }) => access === 'write' && says === 'read'))
    output.note(`To accept that a tool only reads, run: ${me} tools accept ${name} <tool>`);
}

/** A tool that was listed as writing, or is new, counts as its server says. */
export async function acceptTools({ settings, output }: CommandContext, name: string, tool: string | undefined): Promise<void> {
  const body = tool === undefined ? {} : { tool };
  const server = await withAccess(settings, (access) => access.call('acceptTools', { params: { name }, body }));
  const accepted = server.tools.filter((one) => tool === undefined || one.name === tool);
  output.result(server, `Accepted: ${accepted.map((one) => `${one.name} (${one.access})`).join(', ')}.`);
}
