// An agent's end of its socket, as bare as can be: what it sends is sent, however wrong; what it is told it remembers.

import { type AgentEvent, type AgentMethod, type AgentParams, type AgentResult, agentSocketPath } from '@parley/protocol';
import type { Person } from '@parley/testkit';
import { WebSocket } from 'ws';

export type Said<T> = { ok: true; result: T } | { ok: false; code: string; message: string };

interface Frame {
  id?: number;
  method?: string;
  params?: { cursor: number; event: AgentEvent };
  result?: unknown;
  error?: { code: number; message: string; data?: { code?: string } };
}

export class AgentLine {
  readonly events: { cursor: number; event: AgentEvent }[] = [];
  /** Every frame, as it came. */
  readonly frames: string[] = [];
  onEvent: ((event: AgentEvent, cursor: number) => void) | undefined;
  private readonly socket: WebSocket;
  private readonly answers = new Map<number, (frame: Frame) => void>();
  private waiting: (() => void)[] = [];
  private next = 1;
  private over = false;

  private constructor(agent: Pick<Person, 'url' | 'token'>) {
    this.socket = new WebSocket(new URL(agentSocketPath, agent.url.replace('http', 'ws')), {
      headers: { authorization: `Bearer ${agent.token}` },
    });
    this.socket.on('message', (data: Buffer) => this.hear(data.toString()));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.over = true;
      for (const answer of this.answers.values()) answer({ error: { code: 0, message: 'closed', data: { code: 'closed' } } });
      this.answers.clear();
      this.stir();
    });
  }

  static async connect(agent: Pick<Person, 'url' | 'token'>): Promise<AgentLine> {
    const line = new AgentLine(agent);
    await new Promise<void>((resolve, reject) => {
      line.socket.once('open', () => resolve());
      line.socket.once('error', reject);
    });
    const hello = await line.call('initialize', {});
    if (!hello.ok) throw new Error(`initialize: ${hello.code} ${hello.message}`);
    return line;
  }

  private hear(text: string): void {
    this.frames.push(text);
    const frame = JSON.parse(text) as Frame;
    if (frame.id !== undefined && frame.id !== null) {
      this.answers.get(frame.id)?.(frame);
      this.answers.delete(frame.id);
    } else if (frame.method === 'deliver') {
      this.events.push(frame.params!);
      this.onEvent?.(frame.params!.event, frame.params!.cursor);
      this.stir();
    }
  }

  private stir(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  call<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<Said<AgentResult<M>>> {
    return this.raw(method, params) as Promise<Said<AgentResult<M>>>;
  }

  /** Whatever it is called with. */
  raw(method: string, params: unknown): Promise<Said<unknown>> {
    const id = this.next++;
    if (this.over) return Promise.resolve({ ok: false, code: 'closed', message: 'closed' });
    return new Promise((resolve) => {
      this.answers.set(id, ({ error, result }) =>
        resolve(error ? { ok: false, code: error.data?.code ?? String(error.code), message: error.message } : { ok: true, result }),
      );
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** Waits for an event that fits; the test's own timeout is the limit. */
  async event(fits: (event: AgentEvent) => boolean): Promise<AgentEvent> {
    for (;;) {
      const found = this.events.find(({ event }) => fits(event));
      if (found) return found.event;
      if (this.over) throw new Error('The hub hung up');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Hangs up and waits until the other side has. */
  async close(): Promise<void> {
    if (this.over) return;
    const gone = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.close();
    await gone;
  }

  /** Gone without a goodbye. */
  cut(): void {
    this.socket.terminate();
  }
}
