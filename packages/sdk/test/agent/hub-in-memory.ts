// The hub's side of the agent socket, in memory: it answers each key once, as the real one does, and can be cut off.

import { rpcCodes } from '@parley/protocol';
import type { AgentEvent, Delivery } from '@parley/protocol';
import type { Connect, TransportHandlers } from '../../src/transport.ts';

export interface Asked {
  method: string;
  params: Record<string, unknown>;
}
interface Refusal {
  code: string;
  message?: string;
  reason?: string;
}

export class FakeHub {
  /** Every call that arrived, in order. */
  readonly asked: Asked[] = [];
  /** The messages of the conversation: one per key. */
  readonly shown: { id: string; key: string; body: string; kind: string }[] = [];
  connections = 0;
  acked = 0;
  /** The tasks that an agent keeps under its leases when it reconnects. */
  kept: string[] = [];
  /** Refuses a call, or leaves it unanswered. */
  refuse: (call: Asked) => Refusal | 'no answer' | undefined = () => undefined;
  /** More was said than this answer could know of: it is shown as progress. */
  unheard: (call: Asked) => boolean = () => false;
  #line: TransportHandlers | undefined;
  #past: Delivery[] = [];

  readonly connect: Connect = (_request, handlers) => {
    this.connections++;
    this.#line = handlers;
    queueMicrotask(() => handlers.onOpen());
    return {
      send: (text) => queueMicrotask(() => this.#receive(handlers, JSON.parse(text) as Asked & { id: number })),
      close: () => {},
    };
  };

  #receive(line: TransportHandlers, { id, method, params }: Asked & { id: number }): void {
    if (line !== this.#line) return;
    this.asked.push({ method, params });
    const refused = this.refuse({ method, params });
    if (refused === 'no answer') return;
    const answer = refused
      ? { error: { code: rpcCodes.refused, message: refused.message ?? refused.code, data: refused } }
      : { result: this.#answer(method, params) };
    this.frame({ id, ...answer });
    if (method === 'initialize' && !refused)
      for (const delivery of this.#past) if (delivery.cursor > this.acked) this.notify('deliver', delivery);
  }

  #answer(method: string, params: Record<string, unknown>): unknown {
    if (method === 'initialize')
      return { me: { id: 'mem_me', handle: 'me' }, cursor: this.acked, kept: this.kept, protocol: 'parley-agent/1' };
    if (method === 'ack') this.acked = Math.max(this.acked, params['cursor'] as number);
    if (method === 'say') {
      const { id, kind } = this.commit(params);
      return { id, body: params['body'], task: { id: params['taskId'], kind } };
    }
    return {};
  }

  commit(params: Record<string, unknown>): { id: string; kind: string } {
    const { key, body, kind: spoken } = params as { key: string; body: string; kind: string };
    const before = this.shown.find((message) => message.key === key);
    if (before) return before;
    const kind = spoken === 'answer' && this.unheard({ method: 'say', params }) ? 'progress' : spoken;
    const message = { id: `msg_${this.shown.length}`, key, body, kind };
    this.shown.push(message);
    return message;
  }

  frame(frame: object): void {
    this.#line?.onText(JSON.stringify({ jsonrpc: '2.0', ...frame }));
  }

  notify(method: string, params: unknown): void {
    this.frame({ method, params });
  }

  alive(): void {
    this.#line?.onAlive?.();
  }

  deliver(delivery: Delivery): void {
    this.#past.push(delivery);
    this.notify('deliver', delivery);
  }

  /** A delivery that a new hub, or a new process of the agent, gets after it has connected. */
  remember(delivery: Delivery): void {
    this.#past.push(delivery);
  }

  cut(close: { code?: number; status?: number; reason?: string } = {}): void {
    const line = this.#line;
    this.#line = undefined;
    line?.onClose({ reason: 'cut', ...close });
  }

  of(method: string): Record<string, unknown>[] {
    return this.asked.filter((call) => call.method === method).map(({ params }) => params);
  }
}

type Overrides = Partial<Omit<AgentEvent, 'task'>> & { task?: string; over?: boolean };

/** An event about `tsk_1`; its cursor is its place in the hub's order. */
export function delivery(cursor: number, kind: AgentEvent['kind'], { task = 'tsk_1', over = false, ...fields }: Overrides = {}): Delivery {
  const request = { messageId: 'msg_request', authorId: 'mem_ann', kind: 'request' as const, content: 'hello' };
  const event = {
    eventId: `e:${cursor}`,
    kind,
    content: 'hello',
    messageId: 'msg_request',
    author: { id: 'mem_ann', kind: 'human', handle: 'ann', displayName: 'Ann' },
    words: [request],
    lease: 1,
    cause: null,
    ...fields,
    task: { id: task, endedAt: over ? 1 : null },
  };
  return { cursor, event: event as unknown as AgentEvent };
}

export const word = (messageId: string, kind: AgentEvent['words'][number]['kind'], content: string, authorId = 'mem_ann') => ({
  messageId,
  authorId,
  kind,
  content,
});
