// One tool server: connected when it is first needed, started again by itself when it dies, and each way a call to it can
// go wrong has one outcome.

import { createHash } from 'node:crypto';
import { cutText } from '@parley/core';
import type { ToolServerConfig } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import { RetryTimer } from '../engine/background-failures.ts';
import { connect, type McpConnection, type ConnectionSettings, givenTo, type Secrets } from './mcp-connection.ts';
import { type ListedTool, type ToolListing, listTools } from './tool-listing.ts';
import { type ReadResource, readResource, textOf } from './mcp-results.ts';
import type { Shares } from '../concurrency-shares.ts';
import { abandonOnAbort } from '../waiting.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';

export interface ServerParts {
  name: string;
  config: ToolServerConfig;
  clock: Clock;
  secret: Secrets;
  callable: Outbound;
  /** Calls to this server, and to all of them together. */
  room: Shares;
  changed: (state: 'up' | 'down') => void;
}

/** `foreign`: words of the server's are in it. */
export interface McpCallResult {
  text: string;
  isError?: true;
  foreign: boolean;
}

const defaultTimeoutMs = 60_000;
const defaultMaxOutput = 20_000;
const relistAfterMs = 300_000;
/** Down, and asked for by nobody for so long, it is left alone until somebody does. */
const neededMs = 300_000;
/** Nothing is kept in clear for longer than it is needed. */
const digestOf = (given: ConnectionSettings): string => createHash('sha256').update(JSON.stringify(given)).digest('base64url');
const nothing: ToolListing = { tools: new Map(), problems: [] };

const failed = (text: string, foreign = false): McpCallResult => ({ text: `Error: ${text}`, isError: true, foreign });

export class McpClient {
  readonly config: ToolServerConfig;
  state: 'idle' | 'connecting' | 'up' | 'down' = 'idle';
  since: number | null = null;
  restarts = 0;
  /** It was up at least once. */
  ran = false;
  listing: ToolListing = nothing;
  private readonly parts: ServerParts;
  private readonly retries: RetryTimer;
  private connection: McpConnection | undefined;
  private connecting: Promise<McpConnection> | undefined;
  private listedAt = 0;
  private stale = false;
  private why = '';
  /** What the connection was made with: other secrets need another. */
  private madeWith = '';
  private neededAt = 0;
  private resting = false;
  /** Calls under way. One that is no longer used is let go of when it has none. */
  private readonly busy = new Map<McpConnection, number>();
  private readonly stopping = new AbortController();

  constructor(parts: ServerParts) {
    this.parts = parts;
    this.config = parts.config;
    this.retries = new RetryTimer(parts.clock);
  }

  /** For people, a server that failed is down until it is up again: it is tried again and again meanwhile. */
  get shownState(): McpClient['state'] {
    return this.state !== 'up' && this.why !== '' ? 'down' : this.state;
  }

  /** Why it is down, and what of it cannot be used. */
  get problem(): string | null {
    const all = [...(this.shownState === 'down' ? [this.why] : []), ...this.listing.problems];
    return all.length === 0 ? null : cutText(all.join('; '), 1000);
  }

  private get timeoutMs(): number {
    return this.config.timeoutMs ?? defaultTimeoutMs;
  }

  private enter(state: McpClient['state']): void {
    this.state = state;
    this.since = this.parts.clock.now();
  }

  /** What it offers now. Rejects while it is down. */
  async tools(): Promise<ToolListing> {
    this.neededAt = this.parts.clock.now();
    const { client } = await this.ready();
    if (this.stale || this.parts.clock.now() - this.listedAt > relistAfterMs) await this.list(client);
    return this.listing;
  }

  /** As `tools`, and at once: what is down is not left to its pause. */
  async test(): Promise<ToolListing> {
    if (this.state === 'down') this.enter('idle');
    await this.tools();
    await this.list((await this.ready()).client);
    return this.listing;
  }

  private async list(client: McpConnection['client']): Promise<void> {
    this.stale = false;
    this.listing = await listTools(client, this.timeoutMs);
    this.listedAt = this.parts.clock.now();
  }

  private async ready(): Promise<McpConnection> {
    if (this.connection && !(await this.hasOldSecrets()) && this.connection) return this.connection;
    if (this.stopping.signal.aborted) throw new Error('it was taken away');
    if (this.state === 'down' && !this.resting) throw new Error('it is down; the hub retries it');
    this.resting = false;
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  /** Then it is used no more. */
  private async hasOldSecrets(): Promise<boolean> {
    const { connection } = this;
    const now = await givenTo(this.config, this.parts.secret).then(digestOf, () => undefined);
    if (now === this.madeWith) return false;
    if (connection && this.connection === connection) {
      this.connection = undefined;
      this.letGo(connection);
    }
    return true;
  }

  private letGo(connection: McpConnection): void {
    if ((this.busy.get(connection) ?? 0) === 0) void connection.close().catch(() => {});
  }

  /** Until what is returned is called. */
  private use(connection: McpConnection): () => void {
    this.busy.set(connection, (this.busy.get(connection) ?? 0) + 1);
    return () => {
      const left = this.busy.get(connection)! - 1;
      if (left > 0) return void this.busy.set(connection, left);
      this.busy.delete(connection);
      if (this.connection !== connection) this.letGo(connection);
    };
  }

  private async open(): Promise<McpConnection> {
    const wasDown = this.restarts > 0 || this.why !== '';
    this.enter('connecting');
    let opened: McpConnection | undefined;
    try {
      const given = await givenTo(this.config, this.parts.secret);
      this.madeWith = digestOf(given);
      opened = await connect(this.config, given, this.parts.callable, this.stopping.signal, {
        lost: (why) => this.lost(opened, why),
        toolsChanged: () => (this.stale = true),
      });
      this.connection = opened;
      await this.list(opened.client);
      if (this.connection !== opened) throw new Error(this.why || 'it was taken away');
    } catch (error) {
      if (this.connection === opened) this.connection = undefined;
      await opened?.close().catch(() => {});
      this.down((error as Error).message);
      throw error;
    }
    this.enter('up');
    this.why = '';
    this.ran = true;
    if (wasDown) this.parts.changed('up');
    return opened;
  }

  private lost(connection: McpConnection | undefined, why: string): void {
    if (!connection || this.connection !== connection) return;
    this.connection = undefined;
    void connection.close().catch(() => {});
    this.down(why);
  }

  /** Started again after a pause, which grows while it goes on failing. */
  private down(why: string): void {
    if (this.stopping.signal.aborted || this.state === 'down') return;
    this.why = why;
    this.enter('down');
    this.parts.changed('down');
    this.retries.retry(() => {
      if (this.state !== 'down') return;
      if (this.parts.clock.now() - this.neededAt > neededMs) return this.rest();
      this.enter('idle');
      this.restarts++;
      this.ready().catch(() => {});
    });
  }

  private rest(): void {
    this.resting = true;
    this.retries.succeed();
  }

  async call(name: string, input: unknown, signal: AbortSignal): Promise<McpCallResult> {
    const { name: server, room } = this.parts;
    const late = AbortSignal.timeout(this.timeoutMs);
    const either = AbortSignal.any([signal, late]);
    let leave: (() => void) | undefined;
    try {
      leave = await room.enter(server, 1, either);
      await abandonOnAbort(this.tools(), either);
      const tool = this.listing.tools.get(name);
      if (!tool) return failed(`${server} has no tool ${name} any more.`);
      const wrong = tool.check(input ?? {});
      if (wrong !== undefined) return failed(`${name} does not take these arguments: ${cutText(wrong, 500)}`);
      return await this.ask(tool, input, either);
    } catch {
      signal.throwIfAborted();
      if (late.aborted)
        return failed(`${name} of ${server} did not answer within ${this.timeoutMs / 1000} seconds. Whether it did anything is not known.`);
      return failed(`The tool server ${server} cannot be reached: ${this.state === 'down' ? 'it is down' : 'it failed'}.`);
    } finally {
      leave?.();
    }
  }

  private async ask(tool: ListedTool, input: unknown, signal: AbortSignal): Promise<McpCallResult> {
    const connection = await this.ready();
    const done = this.use(connection);
    const { name: server } = this.parts;
    const most = this.config.maxOutput ?? defaultMaxOutput;
    const { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
    try {
      const result = await connection.client.callTool(
        { name: tool.name, arguments: (input ?? {}) as Record<string, unknown> },
        // Its results are checked here, against a schema without expressions.
        { signal, timeout: this.timeoutMs * 2, toolDefinition: { name: tool.name, inputSchema: { type: 'object' } } },
      );
      this.retries.succeed();
      const lie = result.isError ? undefined : tool.checkOutput?.(result.structuredContent);
      if (lie !== undefined)
        return failed(`${tool.name} of ${server} answered something else than its schema says; its answer was dropped.`);
      return { text: textOf(result, most), foreign: true, ...(result.isError ? { isError: true as const } : {}) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ProtocolError)
        return error.code === (ProtocolErrorCode.InvalidParams as number)
          ? await this.refused(tool, connection, cutText(error.message, most))
          : failed(cutText(error.message, most), true);
      if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
        return failed(`${tool.name} of ${server} answered with something that is no result; it was dropped.`);
      // Everything else is the way there: it is opened again.
      this.lost(connection, connection.why() || (error as Error).message);
      return failed(
        `The tool server ${server} was lost in the middle of the call, and is started again. Whether ${tool.name} did anything is not known.`,
      );
    } finally {
      done();
    }
  }

  /** A resource that the person wants to see. A server of no use for it goes on as it is. */
  async read(uri: string): Promise<ReadResource | { problem: string }> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const { name: server } = this.parts;
    try {
      await abandonOnAbort(this.tools(), signal);
      const connection = await this.ready();
      const done = this.use(connection);
      try {
        return await readResource(connection.client, uri, this.config.maxOutput ?? defaultMaxOutput, { signal, timeout: this.timeoutMs });
      } finally {
        done();
      }
    } catch (error) {
      if (signal.aborted) return { problem: `${server} did not answer within ${this.timeoutMs / 1000} seconds.` };
      return { problem: `${server} could not read it: ${cutText((error as Error).message, 300)}` };
    }
  }

  /** What fits the schema and is refused all the same: the schema may be another by now. */
  private async refused(tool: ListedTool, { client }: McpConnection, said: string): Promise<McpCallResult> {
    await this.list(client).catch(() => {});
    const now = this.listing.tools.get(tool.name);
    if (now && JSON.stringify(now.input) !== JSON.stringify(tool.input))
      return failed(`${tool.name} takes other arguments now: ${cutText(JSON.stringify(now.input), 4000)}`, true);
    return failed(said, true);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.retries.stop();
    const opening = this.connecting?.catch(() => undefined);
    const connection = this.connection ?? (await opening);
    this.connection = undefined;
    const open = new Set([...this.busy.keys(), ...(connection ? [connection] : [])]);
    await Promise.all([...open].map((one) => one.close().catch(() => {})));
  }
}
