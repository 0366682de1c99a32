// All tool servers: those of the database and those of tools.yaml, which win. Each is connected when an agent first needs it.

import { unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import { ParleyError, type ToolAccess, type ToolServer as View, type ToolServerConfig, type ToolServers as Views } from '@parley/protocol';
import type { SecretStore } from '../agents/secrets.ts';
import type { Clock } from '../clock.ts';
import { type By, platform } from '../engine/command.ts';
import { readRows } from '../engine/decision-reads.ts';
import type { Engine } from '../engine/engine.ts';
import { type Meant, memberMeant, toolsPlace } from '../engine/steps/people/meant-members.ts';
import type { Tail } from '../engine/tail.ts';
import { factData } from '../store/fact-data.ts';
import type { Store } from '../store/port.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { type ToolsFileProblem, readToolsFile } from './tools-file.ts';
import { calledAs, type ListedTool } from './tool-listing.ts';
import { Shares } from '../concurrency-shares.ts';
import { McpClient } from './mcp-client.ts';
import type { ReadResource } from './mcp-results.ts';
import { abandonOnAbort } from '../waiting.ts';

export interface ToolServersParts {
  store: Store;
  engine: Engine;
  tail: Tail;
  clock: Clock;
  keys: SecretStore;
  outbound: Outbound;
  /** The folder that may contain tools.yaml. */
  folder: string;
  onError: (error: unknown) => void;
}

interface Configured {
  config: ToolServerConfig;
  source: 'api' | 'file';
  setBy: string | null;
}

export interface FoundTool {
  server: string;
  calledAs: string;
  tool: ListedTool;
  access: ToolAccess;
  /** The ID of the person whose data the tool returns; undefined means the workspace. */
  owner?: string | undefined;
}

/** The owner if the configuration names a person who is not in the workspace: nobody gets the results. */
const nobody = 'nobody';
const [callsPerServer, callsOfAll] = [8, 64];
const fileCheckMs = 2000;
/** A turn waits no longer for a server's list of tools, and then goes on without them. */
const listTimeoutMs = 10_000;
const noServerError = (): ParleyError => new ParleyError('not_found', 'There is no such tool server.');

export class McpClients {
  private readonly parts: ToolServersParts;
  private readonly path: string;
  private readonly running = new Map<string, { key: string; server: McpClient }>();
  private readonly callSlots = new Shares({ own: callsPerServer, most: callsOfAll });
  private fileServers: Map<string, ToolServerConfig> = new Map();
  private fileProblems: ToolsFileProblem[] | undefined;
  private readonly reloadFile = (): void => void this.reload().catch((error: unknown) => this.parts.onError(error));

  constructor(parts: ToolServersParts) {
    this.parts = parts;
    this.path = join(parts.folder, 'tools.yaml');
  }

  async start(): Promise<void> {
    this.parts.tail.listen((facts) => {
      for (const fact of facts) {
        const data = factData(fact, 'tool_server.changed');
        if (data && 'change' in data) void this.stopIfChanged(fact.subject_id!).catch((error: unknown) => this.parts.onError(error));
      }
    });
    await this.reload();
    watchFile(this.path, { interval: fileCheckMs, persistent: false }, this.reloadFile);
  }

  /** Reads tools.yaml again. Servers with the same configuration keep their connections. */
  async reload(): Promise<void> {
    const read = await readToolsFile(this.path);
    this.fileProblems = read && ('problems' in read ? read.problems : []);
    if (read && 'problems' in read) {
      const text = read.problems.map(({ line, field, message }) => `line ${line}: ${field} ${message}`).join('; ');
      return this.parts.onError(new Error(`tools.yaml: ${text}`));
    }
    const before = new Set([...this.fileServers.keys(), ...(read?.servers.keys() ?? [])]);
    this.fileServers = read?.servers ?? new Map<string, ToolServerConfig>();
    for (const name of before) await this.stopIfChanged(name);
    for (const [name, config] of await this.all()) {
      const problem = (await this.ownerOf(name, config))?.problem;
      if (problem !== undefined) this.parts.onError(new Error(`Tool server ${name}: ${problem}`));
    }
  }

  /** Stops a server whose configuration changed. The next use starts it with the new one. */
  async stopIfChanged(name: string): Promise<void> {
    const running = this.running.get(name);
    if (!running) return;
    const current = await this.configured(name);
    if (current && JSON.stringify(current.config) === running.key) return;
    if (this.running.get(name) === running) this.running.delete(name);
    await running.server.stop();
  }

  private async configured(name: string): Promise<Configured | undefined> {
    const config = this.fileServers.get(name);
    if (config) return { config, source: 'file', setBy: null };
    const [row] = await this.parts.store.rows('tool_servers', { name });
    return row && { config: JSON.parse(row.config) as ToolServerConfig, source: 'api', setBy: row.set_by };
  }

  private async all(): Promise<Map<string, ToolServerConfig>> {
    const rows = await this.parts.store.rows('tool_servers', {});
    return new Map([...rows.map(({ name, config }) => [name, JSON.parse(config) as ToolServerConfig] as const), ...this.fileServers]);
  }

  /** The servers that belong to one person. */
  async ownedServers(): Promise<Set<string>> {
    return new Set([...(await this.all())].flatMap(([name, { owner }]) => (owner === undefined ? [] : [name])));
  }

  /** The servers of the member. */
  async ownedBy(memberId: string): Promise<string[]> {
    const names = await Promise.all(
      [...(await this.all())].map(async ([name, config]) => ((await this.ownerOf(name, config))?.id === memberId ? [name] : [])),
    );
    return names.flat();
  }

  /** Undefined means the workspace. A handle means the person who had it when the configuration was first read. */
  private async ownerOf(name: string, { owner }: ToolServerConfig): Promise<Meant | undefined> {
    if (owner === undefined) return undefined;
    const { store, engine } = this.parts;
    const meaning = await readRows(store, [], (set) => memberMeant(toolsPlace(name), owner, '@', set));
    if (meaning.isNew) await engine.submit({ type: 'tool_server.pin_owner', by: platform, name, owner });
    return meaning;
  }

  /** Whether a server of this name is configured, up or not. */
  async has(name: string): Promise<boolean> {
    return (await this.configured(name)) !== undefined;
  }

  private async serverOf(name: string): Promise<McpClient | undefined> {
    const configured = await this.configured(name);
    if (!configured) return undefined;
    const key = JSON.stringify(configured.config);
    const running = this.running.get(name);
    if (running?.key === key) return running.server;
    void running?.server.stop();
    const { clock, keys, outbound, engine, onError } = this.parts;
    const server = new McpClient({
      name,
      config: configured.config,
      clock,
      callSlots: this.callSlots,
      // Secrets have small names; a reference may be in capitals like an environment variable.
      readSecret: (secretName, host) => keys.keyFor(secretName.toLowerCase(), host),
      outbound,
      onChange: (state) => void engine.submit({ type: 'tool_server.report', by: platform, name, state }).catch(onError),
    });
    this.running.set(name, { key, server });
    return server;
  }

  /** The tools that the references name: `mcp://name` names all of a server, `mcp://name/tool` one. A server that is down has none. */
  async tools(references: readonly string[]): Promise<FoundTool[]> {
    const names = new Set(references.flatMap((reference) => /^mcp:\/\/([^/]+)/.exec(reference)?.[1] ?? []));
    const tools = await Promise.all(
      [...names].map((name) => abandonOnAbort(this.toolsOf(name), AbortSignal.timeout(listTimeoutMs)).catch(() => [])),
    );
    const isNamed = ({ server, tool }: FoundTool): boolean =>
      references.includes(`mcp://${server}`) || references.includes(`mcp://${server}/${tool.name}`);
    return tools.flat().filter(isNamed);
  }

  private async toolsOf(name: string): Promise<FoundTool[]> {
    const server = await this.serverOf(name);
    if (!server) return [];
    const owner = await this.ownerOf(name, server.config);
    if (owner?.problem !== undefined) return [];
    const { tools } = await server.tools();
    const pins = await this.pinTools(name, tools);
    return [...tools.values()].map((tool) => ({
      server: name,
      calledAs: calledAs(name, tool.name),
      tool,
      access: accessOf(server.config, tool, pins),
      owner: owner && (owner.id ?? nobody),
    }));
  }

  /** The access of each tool when it was first listed. It is stored before the tool is used, so that a later claim changes nothing. */
  private async pinTools(name: string, tools: ReadonlyMap<string, ListedTool>): Promise<Pins> {
    const pins = await this.pinsOf(name);
    if ([...tools.keys()].every((tool) => pins.has(tool))) return pins;
    await this.parts.engine.submit({ type: 'tool_server.pin', by: platform, name, tools: claimedAccess(tools) });
    return this.pinsOf(name);
  }

  private async pinsOf(name: string): Promise<Pins> {
    const rows = await this.parts.store.rows('tool_pins', { server: name });
    return new Map(rows.map(({ tool, access }) => [tool, access]));
  }

  /** An admin accepts the access that the server now claims for one tool, or for all. */
  async accept(by: By, name: string, only: string | undefined): Promise<View> {
    const server = await this.serverOf(name);
    if (!server) throw noServerError();
    const { tools } = await server.test();
    if (only !== undefined && !tools.has(only)) throw new ParleyError('not_found', `${name} offers no tool ${only}.`);
    const claims = claimedAccess(tools);
    const accepted = only === undefined ? claims : { [only]: claims[only]! };
    await this.parts.engine.submit({ type: 'tool_server.accept', by, name, tools: accepted });
    return this.view(name, true);
  }

  async call(name: string, tool: string, input: unknown, signal: AbortSignal) {
    const server = await this.serverOf(name);
    return server
      ? server.call(tool, input, signal)
      : { text: `Error: There is no tool server ${name} any more.`, isError: true as const, foreign: false };
  }

  /** Reads a resource for the owner of the server. */
  async read(name: string, uri: string): Promise<ReadResource | { problem: string }> {
    const server = await this.serverOf(name);
    return server ? server.read(uri) : { problem: `There is no tool server ${name} any more.` };
  }

  /** Connects now and returns the new state. */
  async test(name: string, mayChange: boolean): Promise<View> {
    const server = await this.serverOf(name);
    if (!server) throw noServerError();
    // The view contains the failure.
    await server
      .test()
      .then(({ tools }) => this.pinTools(name, tools))
      .catch(() => {});
    return this.view(name, mayChange);
  }

  /** The API cannot change a server of tools.yaml, because the file wins. */
  mustNotBeInFile(name: string): void {
    if (this.fileServers.has(name))
      throw new ParleyError('forbidden', 'It is in tools.yaml, and is changed there.', { reason: 'tool.manage:in_file' });
  }

  async view(name: string, mayChange: boolean): Promise<View> {
    const configured = await this.configured(name);
    if (!configured) throw noServerError();
    const { config, source, setBy } = configured;
    const server = this.running.get(name)?.server;
    const pins = await this.pinsOf(name);
    const owner = await this.ownerOf(name, config);
    return {
      name,
      kind: config.command === undefined ? 'http' : 'stdio',
      source,
      state: server?.shownState ?? 'idle',
      since: server?.since ?? null,
      restarts: server?.restarts ?? 0,
      ran: server?.ran ?? false,
      tools: [...(server?.listing.tools.values() ?? [])].map((tool) => ({
        name: tool.name,
        calledAs: calledAs(name, tool.name),
        access: accessOf(config, tool, pins),
        says: tool.says,
      })),
      config: mayChange ? config : null,
      problem: mayChange ? (owner?.problem ?? server?.problem ?? null) : null,
      setBy,
      owner: owner ? await this.shownOwner(owner, config.owner!) : null,
    };
  }

  private async shownOwner({ id }: Meant, written: string): Promise<string> {
    const [member] = id === undefined ? [] : await this.parts.store.rows('members', { id });
    return member ? `@${member.handle}` : `@${written.replace(/^@/, '')}`;
  }

  async views(mayChange: boolean): Promise<Views> {
    const rows = await this.parts.store.rows('tool_servers', {}, { order: 'name' });
    const names = [...new Set([...this.fileServers.keys(), ...rows.map(({ name }) => name)])].toSorted();
    const servers = await Promise.all(names.map((name) => this.view(name, mayChange)));
    return { servers, file: this.fileProblems === undefined ? null : { problems: mayChange ? this.fileProblems : [] } };
  }

  async stop(): Promise<void> {
    unwatchFile(this.path, this.reloadFile);
    await Promise.all([...this.running.values()].map(({ server }) => server.stop()));
    this.running.clear();
  }
}

/** The configuration decides; without it, a tool that was first listed as writing stays so whatever the server claims later. */
function accessOf({ tools }: ToolServerConfig, { name, says }: ListedTool, pins: Pins): ToolAccess {
  if (tools !== undefined && Object.hasOwn(tools, name)) return tools[name]!;
  return pins.get(name) === 'write' ? 'write' : says;
}

type Pins = ReadonlyMap<string, ToolAccess>;
const claimedAccess = (tools: ReadonlyMap<string, ListedTool>): Record<string, ToolAccess> =>
  Object.fromEntries([...tools].map(([name, { says }]) => [name, says]));
