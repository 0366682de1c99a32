// One tool server. The client connects on first use and reconnects after a failure; every way a call can fail has one result.

import { createHash } from 'node:crypto';
import { cutText } from '@parley/core';
import type { ToolServerConfig } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import { RetryTimer } from '../engine/background-failures.ts';
import { connect, type McpConnection, type ConnectionSettings, readSettings, type SecretReader } from './mcp-connection.ts';
import { type ListedTool, type ToolListing, listTools } from './tool-listing.ts';
import { type ReadResource, readResource, textOf } from './mcp-results.ts';
import type { Shares } from '../concurrency-shares.ts';
import { abandonOnAbort } from '../waiting.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';

export interface ServerParts {
  name: string;
  config: ToolServerConfig;
  clock: Clock;
  readSecret: SecretReader;
  outbound: Outbound;
  /** Limits the calls at once, of each server and of all together. */
  callSlots: Shares;
  onChange: (state: 'up' | 'down') => void;
}

/** `foreign`: the text contains words of the server. */
export interface McpCallResult {
  text: string;
  isError?: true;
  foreign: boolean;
}

const defaultTimeoutMs = 60_000;
const defaultMaxOutput = 20_000;
const relistAfterMs = 300_000;
/** The hub stops retrying a server that nobody has used for this long; the next use connects again. */
const retryWhileNeededMs = 300_000;
/** Kept instead of the secrets themselves, to notice when they change. */
const digestOf = (settings: ConnectionSettings): string => createHash('sha256').update(JSON.stringify(settings)).digest('base64url');
const noTools: ToolListing = { tools: new Map(), problems: [] };

const failed = (text: string, foreign = false): McpCallResult => ({ text: `Error: ${text}`, isError: true, foreign });

export class McpClient {
  readonly config: ToolServerConfig;
  state: 'idle' | 'connecting' | 'up' | 'down' = 'idle';
  since: number | null = null;
  restarts = 0;
  /** Whether the server was up at least once. */
  ran = false;
  listing: ToolListing = noTools;
  private readonly parts: ServerParts;
  private readonly retries: RetryTimer;
  private connection: McpConnection | undefined;
  private connecting: Promise<McpConnection> | undefined;
  private listedAt = 0;
  private stale = false;
  private why = '';
  /** The digest of the connection's settings. A changed secret needs a new connection. */
  private settingsDigest = '';
  private neededAt = 0;
  private isResting = false;
  /** Calls in progress on each connection. A replaced connection closes after its last call. */
  private readonly callCounts = new Map<McpConnection, number>();
  private readonly stopping = new AbortController();

  constructor(parts: ServerParts) {
    this.parts = parts;
    this.config = parts.config;
    this.retries = new RetryTimer(parts.clock);
  }

  /** People see a failed server as down until it is up again, although it is `connecting` at each retry. */
  get shownState(): McpClient['state'] {
    return this.state !== 'up' && this.why !== '' ? 'down' : this.state;
  }

  /** Why the server is down, and which of its tools cannot be used. */
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

  /** The tools that the server offers now. Rejects while it is down. */
  async tools(): Promise<ToolListing> {
    this.neededAt = this.parts.clock.now();
    const { client } = await this.connected();
    if (this.stale || this.parts.clock.now() - this.listedAt > relistAfterMs) await this.list(client);
    return this.listing;
  }

  /** Lists the tools now; a server that is down is retried at once. */
  async test(): Promise<ToolListing> {
    if (this.state === 'down') this.enter('idle');
    this.stale = true;
    return this.tools();
  }

  private async list(client: McpConnection['client']): Promise<void> {
    this.stale = false;
    this.listing = await listTools(client, this.timeoutMs);
    this.listedAt = this.parts.clock.now();
  }

  private async connected(): Promise<McpConnection> {
    // The connection may have closed while the secrets were read.
    if (this.connection && !(await this.dropIfSecretsChanged()) && this.connection) return this.connection;
    if (this.stopping.signal.aborted) throw new Error('it was taken away');
    if (this.state === 'down' && !this.isResting) throw new Error('it is down; the hub retries it');
    this.isResting = false;
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  /** True if the secrets changed. The old connection then closes after its last call. */
  private async dropIfSecretsChanged(): Promise<boolean> {
    const { connection } = this;
    const digest = await readSettings(this.config, this.parts.readSecret).then(digestOf, () => undefined);
    if (digest === this.settingsDigest) return false;
    if (connection && this.connection === connection) {
      this.connection = undefined;
      this.closeIfIdle(connection);
    }
    return true;
  }

  private closeIfIdle(connection: McpConnection): void {
    if ((this.callCounts.get(connection) ?? 0) === 0) void connection.close().catch(() => {});
  }

  /** Keeps the connection open until the returned function is called. */
  private holdOpen(connection: McpConnection): () => void {
    this.callCounts.set(connection, (this.callCounts.get(connection) ?? 0) + 1);
    return () => {
      const left = this.callCounts.get(connection)! - 1;
      if (left > 0) return void this.callCounts.set(connection, left);
      this.callCounts.delete(connection);
      if (this.connection !== connection) this.closeIfIdle(connection);
    };
  }

  private async open(): Promise<McpConnection> {
    const wasDown = this.restarts > 0 || this.why !== '';
    this.enter('connecting');
    let opened: McpConnection | undefined;
    try {
      const settings = await readSettings(this.config, this.parts.readSecret);
      this.settingsDigest = digestOf(settings);
      opened = await connect(this.config, settings, this.parts.outbound, this.stopping.signal, {
        onLoss: (why) => this.handleLoss(opened, why),
        onToolsChange: () => (this.stale = true),
      });
      this.connection = opened;
      await this.list(opened.client);
      if (this.connection !== opened) throw new Error(this.why || 'it was taken away');
    } catch (error) {
      if (this.connection === opened) this.connection = undefined;
      await opened?.close().catch(() => {});
      this.enterDown((error as Error).message);
      throw error;
    }
    this.enter('up');
    this.why = '';
    this.ran = true;
    if (wasDown) this.parts.onChange('up');
    return opened;
  }

  private handleLoss(connection: McpConnection | undefined, why: string): void {
    if (!connection || this.connection !== connection) return;
    this.connection = undefined;
    void connection.close().catch(() => {});
    this.enterDown(why);
  }

  /** Retries after a pause that grows with each failure. */
  private enterDown(why: string): void {
    if (this.stopping.signal.aborted || this.state === 'down') return;
    this.why = why;
    this.enter('down');
    this.parts.onChange('down');
    this.retries.retry(() => {
      if (this.state !== 'down') return;
      if (this.parts.clock.now() - this.neededAt > retryWhileNeededMs) return this.stopRetrying();
      this.enter('idle');
      this.restarts++;
      this.connected().catch(() => {});
    });
  }

  private stopRetrying(): void {
    this.isResting = true;
    this.retries.succeed();
  }

  async call(name: string, input: unknown, signal: AbortSignal): Promise<McpCallResult> {
    const { name: server, callSlots } = this.parts;
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    let freeSlot: (() => void) | undefined;
    try {
      freeSlot = await callSlots.enter(server, 1, either);
      await abandonOnAbort(this.tools(), either);
      const tool = this.listing.tools.get(name);
      if (!tool) return failed(`${server} has no tool ${name} any more.`);
      const mismatch = tool.check(input ?? {});
      if (mismatch !== undefined) return failed(`${name} does not take these arguments: ${cutText(mismatch, 500)}`);
      return await this.callTool(tool, input, either);
    } catch {
      signal.throwIfAborted();
      if (timeout.aborted)
        return failed(`${name} of ${server} did not answer within ${this.timeoutMs / 1000} seconds. Whether it did anything is not known.`);
      return failed(`The tool server ${server} cannot be reached: ${this.state === 'down' ? 'it is down' : 'it failed'}.`);
    } finally {
      freeSlot?.();
    }
  }

  private async callTool(tool: ListedTool, input: unknown, signal: AbortSignal): Promise<McpCallResult> {
    const connection = await this.connected();
    const release = this.holdOpen(connection);
    const { name: server } = this.parts;
    const maxOutput = this.config.maxOutput ?? defaultMaxOutput;
    const { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
    try {
      const result = await connection.client.callTool(
        { name: tool.name, arguments: (input ?? {}) as Record<string, unknown> },
        // The library would check results with the server's own schema; `checkOutput` uses a schema without regular expressions.
        { signal, timeout: this.timeoutMs * 2, toolDefinition: { name: tool.name, inputSchema: { type: 'object' } } },
      );
      this.retries.succeed();
      const mismatch = result.isError ? undefined : tool.checkOutput?.(result.structuredContent);
      if (mismatch !== undefined)
        return failed(`${tool.name} of ${server} answered something else than its schema says; its answer was dropped.`);
      return { text: textOf(result, maxOutput), foreign: true, ...(result.isError ? { isError: true as const } : {}) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ProtocolError)
        return error.code === (ProtocolErrorCode.InvalidParams as number)
          ? await this.explainRefusal(tool, connection, cutText(error.message, maxOutput))
          : failed(cutText(error.message, maxOutput), true);
      if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
        return failed(`${tool.name} of ${server} answered with something that is no result; it was dropped.`);
      // Any other error is a failure of the connection, so the client opens a new one.
      this.handleLoss(connection, connection.why() || (error as Error).message);
      return failed(
        `The tool server ${server} was lost in the middle of the call, and is started again. Whether ${tool.name} did anything is not known.`,
      );
    } finally {
      release();
    }
  }

  /** Reads a resource for a person. A failure does not count against the server, because not every server has resources. */
  async read(uri: string): Promise<ReadResource | { problem: string }> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const { name: server } = this.parts;
    try {
      await abandonOnAbort(this.tools(), signal);
      const connection = await this.connected();
      const release = this.holdOpen(connection);
      try {
        return await readResource(connection.client, uri, this.config.maxOutput ?? defaultMaxOutput, { signal, timeout: this.timeoutMs });
      } finally {
        release();
      }
    } catch (error) {
      if (signal.aborted) return { problem: `${server} did not answer within ${this.timeoutMs / 1000} seconds.` };
      return { problem: `${server} could not read it: ${cutText((error as Error).message, 300)}` };
    }
  }

  /** The server refused arguments that fit the listed schema, so the schema may have changed. */
  private async explainRefusal(tool: ListedTool, { client }: McpConnection, refusal: string): Promise<McpCallResult> {
    await this.list(client).catch(() => {});
    const listed = this.listing.tools.get(tool.name);
    if (listed && JSON.stringify(listed.input) !== JSON.stringify(tool.input))
      return failed(`${tool.name} takes other arguments now: ${cutText(JSON.stringify(listed.input), 4000)}`, true);
    return failed(refusal, true);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.retries.stop();
    const opening = this.connecting?.catch(() => undefined);
    const connection = this.connection ?? (await opening);
    this.connection = undefined;
    const open = new Set([...this.callCounts.keys(), ...(connection ? [connection] : [])]);
    await Promise.all([...open].map((each) => each.close().catch(() => {})));
  }
}
