// One end of an agent's socket, frame by frame: what is sent is sent as it is, what comes is remembered.

import {
  AgentEvent,
  type AgentMethod,
  type AgentParams,
  type AgentResult,
  agentSocketPath,
  DigestEvent,
  LeaveEvent,
} from '@parley/protocol';
import type { Person } from '@parley/testkit';
import { afterEach } from 'vitest';
import { WebSocket } from 'ws';

interface Frame {
  id?: number | string | null;
  method?: string;
  params?: { cursor: number; event: AgentEvent; halted?: boolean };
  result?: unknown;
  error?: { code: number; message: string; data?: { code?: string; reason?: string; problems?: { field: string; message: string }[] } };
}

/** What came of a call. `unsent`: the line was dead before; `closed`: it died before there was an answer. */
export type Said<T> = { ok: true; result: T } | { ok: false; code: string; message: string };

const hungUp = (): Error => new Error('The hub hung up');

export class Wire {
  readonly frames: Frame[] = [];
  readonly events: { cursor: number; event: AgentEvent }[] = [];
  closeCode: number | undefined;
  onEvent: ((event: AgentEvent) => void) | undefined;
  private readonly socket: WebSocket;
  private readonly answers = new Map<number | string, { resolve: (frame: Frame) => void; reject: (error: Error) => void }>();
  private waiting: (() => void)[] = [];
  private id = 0;

  constructor({ url, token }: Pick<Person, 'url' | 'token'>) {
    this.socket = new WebSocket(new URL(agentSocketPath, url.replace('http', 'ws')), { headers: { authorization: `Bearer ${token}` } });
    this.socket.on('message', (data: Buffer) => this.hear(JSON.parse(data.toString()) as Frame));
    this.socket.on('unexpected-response', (request, response) => {
      request.destroy();
      this.closeCode = response.statusCode;
      this.stir();
    });
    this.socket.on('open', () => this.stir());
    this.socket.on('error', () => {});
    this.socket.on('close', (code) => {
      this.closeCode ??= code;
      for (const { reject } of this.answers.values()) reject(hungUp());
      this.stir();
    });
  }

  private hear(frame: Frame): void {
    this.frames.push(frame);
    if (frame.id !== undefined && frame.id !== null && frame.method === undefined) this.answers.get(frame.id)?.resolve(frame);
    if (frame.method === 'deliver') {
      this.events.push(frame.params!);
      this.onEvent?.(frame.params!.event);
    }
    this.stir();
  }

  /** Connected and known. */
  static async hello(agent: Pick<Person, 'url' | 'token'>, params: AgentParams<'initialize'> = {}): Promise<Wire> {
    const wire = new Wire(agent);
    await wire.opened();
    await wire.call('initialize', params);
    return wire;
  }

  opened(): Promise<true> {
    return this.until(() => this.socket.readyState === WebSocket.OPEN);
  }

  private stir(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** The test's own timeout is the limit. */
  private async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (this.closeCode !== undefined) throw hungUp();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  send(data: string | Buffer): void {
    this.socket.send(data);
  }

  /** As a text frame, whatever the bytes are. */
  sendText(bytes: Buffer): void {
    this.socket.send(bytes, { binary: false });
  }

  /** The answer to one request, be it a refusal. */
  async ask(method: string, params?: unknown, id: number | string = ++this.id): Promise<Frame> {
    const answer = new Promise<Frame>((resolve, reject) => this.answers.set(id, { resolve, reject }));
    this.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answer.finally(() => this.answers.delete(id));
  }

  async call<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<AgentResult<M>> {
    const { result, error } = await this.ask(method, params);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as AgentResult<M>;
  }

  /** As `call`, where a refusal, or a line that dies, is one of the things that may come of it. */
  async tried<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<Said<AgentResult<M>>> {
    if (this.socket.readyState !== WebSocket.OPEN) return { ok: false, code: 'unsent', message: 'not sent' };
    try {
      const { result, error } = await this.ask(method, params);
      if (!error) return { ok: true, result: result as AgentResult<M> };
      return { ok: false, code: error.data?.code ?? String(error.code), message: error.message };
    } catch {
      return { ok: false, code: 'closed', message: 'closed' };
    }
  }

  /** The code by which it is refused. */
  async refusal<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<string | undefined> {
    return (await this.ask(method, params)).error?.data?.code;
  }

  /** The first event of a kind that fits, held to its schema. */
  async event(kind: AgentEvent['kind'], fits: (event: AgentEvent) => boolean = () => true): Promise<{ cursor: number; event: AgentEvent }> {
    // What was looked at once is not looked at again: there may be many who wait, and much that comes.
    let looked = 0;
    const found = await this.until(() => {
      for (; looked < this.events.length; looked++) {
        const one = this.events[looked]!;
        if (one.event.kind === kind && fits(one.event)) return one;
      }
      return undefined;
    });
    AgentEvent.parse(found.event);
    return found;
  }

  /** It was asked to leave somewhere: the one event that has no task. */
  async leave(): Promise<LeaveEvent> {
    const { params } = await this.frame(({ params: told }) => (told?.event.kind as string | undefined) === 'leave');
    return LeaveEvent.parse(params!.event);
  }

  /** The roll-ups that came, once there are so many. */
  async digests(count: number): Promise<DigestEvent[]> {
    const came = () => this.events.map(({ event }) => event as unknown as DigestEvent).filter(({ kind }) => kind === 'digest');
    return (await this.until(() => (came().length >= count ? came() : undefined))).map((event) => DigestEvent.parse(event));
  }

  frame(fits: (frame: Frame) => boolean): Promise<Frame> {
    return this.until(() => this.frames.find(fits));
  }

  closed(): Promise<number> {
    return this.until(() => this.closeCode);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed();
  }

  /** Gone without a goodbye. */
  async cut(): Promise<void> {
    this.socket.terminate();
    await this.closed();
  }
}

/** Opens lines of agents; those of a test are closed after it. */
export function linesForEach(): (agent: Person) => Promise<Wire> {
  const lines: Wire[] = [];
  afterEach(async () => {
    for (const line of lines.splice(0)) await line.close().catch(() => {});
  });
  return async (agent) => {
    const line = await Wire.hello(agent);
    lines.push(line);
    return line;
  };
}
