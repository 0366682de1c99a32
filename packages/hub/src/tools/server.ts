// One tool server: connected when it is first needed, started again by itself when it dies, and each way a call to it can
// go wrong has one outcome.

import type { ToolServerConfig } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import { Again } from '../turns/again.ts';
import { connect, type Connected } from './connect.ts';
import { type ListedTool, type Listing, listTools } from './listing.ts';
import { cut, textOf } from './result.ts';
import { Room } from './room.ts';
import { within } from './within.ts';

export interface ServerParts {
  name: string;
  config: ToolServerConfig;
  clock: Clock;
  secret: (name: string) => Promise<string | undefined>;
  /** Calls to all servers together. */
  room: Room;
  changed: (state: 'up' | 'down') => void;
}

/** `foreign`: words of the server's are in it. */
export interface Called {
  text: string;
  isError?: true;
  foreign: boolean;
}

const defaultTimeoutMs = 60_000;
const defaultMaxOutput = 20_000;
const callsAtOnce = 8;
const relistAfterMs = 300_000;
const nothing: Listing = { tools: new Map(), problems: [] };

const failed = (text: string, foreign = false): Called => ({ text: `Error: ${text}`, isError: true, foreign });

export class ToolServer {
  readonly config: ToolServerConfig;
  state: 'idle' | 'connecting' | 'up' | 'down' = 'idle';
  since: number | null = null;
  restarts = 0;
  listing: Listing = nothing;
  private readonly parts: ServerParts;
  private readonly room = new Room(callsAtOnce);
  private readonly again: Again;
  private connection: Connected | undefined;
  private connecting: Promise<Connected> | undefined;
  private listedAt = 0;
  private stale = false;
  private why = '';
  private readonly stopping = new AbortController();

  constructor(parts: ServerParts) {
    this.parts = parts;
    this.config = parts.config;
    this.again = new Again(parts.clock);
  }

  /** Why it is down, and what of it cannot be used. */
  get problem(): string | null {
    const all = [...(this.state === 'down' ? [this.why] : []), ...this.listing.problems];
    return all.length === 0 ? null : cut(all.join('; '), 1000);
  }

  private get timeoutMs(): number {
    return this.config.timeoutMs ?? defaultTimeoutMs;
  }

  private enter(state: ToolServer['state']): void {
    this.state = state;
    this.since = this.parts.clock.now();
  }

  /** What it offers now. Rejects while it is down. */
  async tools(): Promise<Listing> {
    const { client } = await this.ready();
    if (this.stale || this.parts.clock.now() - this.listedAt > relistAfterMs) await this.list(client);
    return this.listing;
  }

  /** As `tools`, and at once: what is down is not left to its pause. */
  async test(): Promise<Listing> {
    if (this.state === 'down') this.enter('idle');
    await this.tools();
    await this.list((await this.ready()).client);
    return this.listing;
  }

  private async list(client: Connected['client']): Promise<void> {
    this.stale = false;
    this.listing = await listTools(client, this.timeoutMs);
    this.listedAt = this.parts.clock.now();
  }

  private ready(): Promise<Connected> {
    if (this.connection) return Promise.resolve(this.connection);
    if (this.stopping.signal.aborted) return Promise.reject(new Error('it was taken away'));
    if (this.state === 'down') return Promise.reject(new Error(`it is down, and is tried again by itself`));
    this.connecting ??= this.open().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  private async open(): Promise<Connected> {
    const wasDown = this.restarts > 0 || this.why !== '';
    this.enter('connecting');
    let opened: Connected | undefined;
    try {
      opened = await connect(this.config, this.parts.secret, this.stopping.signal, {
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
    if (wasDown) this.parts.changed('up');
    return opened;
  }

  private lost(connection: Connected | undefined, why: string): void {
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
    this.again.later(() => {
      if (this.state !== 'down') return;
      this.enter('idle');
      this.restarts++;
      this.ready().catch(() => {});
    });
  }

  async call(name: string, input: unknown, signal: AbortSignal): Promise<Called> {
    const { name: server, room } = this.parts;
    const late = AbortSignal.timeout(this.timeoutMs);
    const either = AbortSignal.any([signal, late]);
    const leave: (() => void)[] = [];
    try {
      // Its own first: who waits for a server that is full does not keep a place from the others.
      leave.push(await this.room.enter(either));
      leave.push(await room.enter(either));
      await within(this.tools(), either);
      const tool = this.listing.tools.get(name);
      if (!tool) return failed(`${server} has no tool ${name} any more.`);
      const wrong = tool.check(input ?? {});
      if (wrong !== undefined) return failed(`${name} does not take these arguments: ${cut(wrong, 500)}`);
      return await this.ask(tool, input, either);
    } catch {
      signal.throwIfAborted();
      if (late.aborted)
        return failed(`${name} of ${server} did not answer within ${this.timeoutMs / 1000} seconds. Whether it did anything is not known.`);
      return failed(`The tool server ${server} cannot be reached: ${this.state === 'down' ? 'it is down' : 'it failed'}.`);
    } finally {
      for (const one of leave) one();
    }
  }

  private async ask(tool: ListedTool, input: unknown, signal: AbortSignal): Promise<Called> {
    const connection = await this.ready();
    const { name: server } = this.parts;
    const most = this.config.maxOutput ?? defaultMaxOutput;
    const { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
    try {
      const result = await connection.client.callTool(
        { name: tool.name, arguments: (input ?? {}) as Record<string, unknown> },
        // Its results are checked here, against a schema without expressions.
        { signal, timeout: this.timeoutMs * 2, toolDefinition: { name: tool.name, inputSchema: { type: 'object' } } },
      );
      this.again.worked();
      const lie = result.isError ? undefined : tool.checkOutput?.(result.structuredContent);
      if (lie !== undefined)
        return failed(`${tool.name} of ${server} answered something else than its schema says; its answer was dropped.`);
      return { text: textOf(result, most), foreign: true, ...(result.isError ? { isError: true as const } : {}) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ProtocolError)
        return error.code === (ProtocolErrorCode.InvalidParams as number)
          ? await this.refused(tool, connection, cut(error.message, most))
          : failed(cut(error.message, most), true);
      if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
        return failed(`${tool.name} of ${server} answered with something that is no result; it was dropped.`);
      // Everything else is the way there: it is opened anew.
      this.lost(connection, connection.why() || (error as Error).message);
      return failed(
        `The tool server ${server} was lost in the middle of the call, and is started again. Whether ${tool.name} did anything is not known.`,
      );
    }
  }

  /** What fits the schema and is refused all the same: the schema may be another by now. */
  private async refused(tool: ListedTool, { client }: Connected, said: string): Promise<Called> {
    await this.list(client).catch(() => {});
    const now = this.listing.tools.get(tool.name);
    if (now && JSON.stringify(now.input) !== JSON.stringify(tool.input))
      return failed(`${tool.name} takes other arguments now: ${cut(JSON.stringify(now.input), 4000)}`, true);
    return failed(said, true);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.again.stop();
    const opening = this.connecting?.catch(() => undefined);
    const connection = this.connection ?? (await opening);
    this.connection = undefined;
    await connection?.close().catch(() => {});
  }
}
