// A tool server that is a program on this machine. It gets the environment it was configured with, PATH and HOME, and
// nothing else of the hub's; and it never outlives the hub, however that ends.

import { type ChildProcess, spawn } from 'node:child_process';
import type * as Library from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

type Mcp = typeof Library;

export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
}

export interface StdioEvents {
  /** The most bytes of one answer. */
  bytes: number;
  exceeded: () => void;
  ended: () => void;
}

/**
 * The program runs in a process group of its own, beside one that waits for the end of a pipe only the hub holds: when the
 * hub is gone, killed or not, the whole group is.
 */
const keeper = `exec 4<&0
"$@" <&4 4<&- 3<&- &
program=$!
{ cat <&3 >/dev/null; kill -s KILL -- -$$; } 4<&- >/dev/null 2>&1 &
exec 0<&- 3<&- 4<&-
wait $program`;

const graceMs = 500;
const rememberedErrors = 400;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** The end of its standard error, for the admin who configures it. */
  said = '';
  /** The exit status or signal of the program. */
  exit: string | undefined;
  private readonly mcp: Mcp;
  private readonly program: Program;
  private readonly events: StdioEvents;
  private received = 0;
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(mcp: Mcp, program: Program, events: StdioEvents) {
    this.mcp = mcp;
    this.program = program;
    this.events = events;
  }

  start(): Promise<void> {
    const { command, args, cwd } = this.program;
    const { PATH, HOME } = process.env;
    const env = { ...(PATH === undefined ? {} : { PATH }), ...(HOME === undefined ? {} : { HOME }), ...this.program.env };
    const options = { env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] as const, windowsHide: true, ...(cwd === undefined ? {} : { cwd }) };
    const child =
      process.platform === 'win32'
        ? spawn(command, args, { ...options, stdio: [...options.stdio] })
        : spawn('/bin/sh', ['-c', keeper, 'sh', command, ...args], { ...options, stdio: [...options.stdio], detached: true });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    this.hear(child);
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  private hear(child: ChildProcess): void {
    const messages = new this.mcp.ReadBuffer({ maxBufferSize: this.events.bytes });
    child.stdout!.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      if (this.received > this.events.bytes) {
        child.stdout!.destroy();
        return this.events.exceeded();
      }
      messages.append(chunk);
      for (;;) {
        try {
          const message = messages.readMessage();
          if (message === null) break;
          this.onmessage?.(message);
        } catch (error) {
          // A line that is no message: many programs greet on their standard output.
          this.onerror?.(error as Error);
        }
      }
    });
    child.stderr!.on('data', (chunk: Buffer) => (this.said = (this.said + chunk.toString()).slice(-rememberedErrors)));
    for (const stream of child.stdio) stream?.on('error', (error: Error) => this.onerror?.(error));
    child.once('error', (error) => {
      this.exit = error.message;
      this.onclose?.();
      this.events.ended();
    });
    child.once('exit', (code, signal) => {
      this.exit ??= signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
      this.killGroup('SIGKILL');
      for (const stream of child.stdio) stream?.destroy();
      this.onclose?.();
      this.events.ended();
    });
  }

  /** The limit on what it may send begins again with each request. */
  send(message: JSONRPCMessage): Promise<void> {
    const input = this.child?.stdin;
    if (!input?.writable) return Promise.reject(new this.mcp.SdkError(this.mcp.SdkErrorCode.NotConnected, 'Not connected'));
    this.received = 0;
    return new Promise((resolve, reject) =>
      input.write(this.mcp.serializeMessage(message), (error) => (error ? reject(error) : resolve())),
    );
  }

  async close(): Promise<void> {
    if (!this.child) return;
    this.child.stdin?.end();
    if (await this.gone()) return;
    this.killGroup('SIGTERM');
    if (await this.gone()) return;
    this.killGroup('SIGKILL');
    await this.ended;
  }

  private gone(): Promise<boolean> {
    const graceEnd = new Promise<false>((resolve) => setTimeout(() => resolve(false), graceMs).unref());
    return Promise.race([this.ended.then(() => true), graceEnd]);
  }

  private killGroup(signal: NodeJS.Signals): void {
    const { pid } = this.child!;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.child!.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // Nobody is left of it.
    }
  }
}
