// The line to the hub: JSON-RPC 2.0 over one socket at a time. The line reconnects by itself; a request under way when it
// broke fails with a ConnectionError, and its sender knows whether it may be repeated.

import { backoffDelay, agentSocketPath, closeCodes, ParleyError, rpcCodes } from '@parley/protocol';
import type { AgentMethod, AgentParams, AgentResult, Delivery, Member } from '@parley/protocol';
import type { ClientClock } from '../clock.ts';
import { ConnectionError, errorFrom } from '../errors.ts';
import type { LooseError } from '../errors.ts';
import type { Connect, Transport } from '../transport.ts';

export type AgentState =
  | { status: 'connecting' }
  | { status: 'live'; me: Member }
  | { status: 'waiting'; retryAt: number; reason: string }
  /** The connection has ended for good. There is no error if this side closed it. */
  | { status: 'stopped'; error?: ParleyError };

export interface ConnectionParts {
  url: string;
  token: string;
  client: string;
  connect: Connect;
  clock: ClientClock;
  random: () => number;
  /** The tasks that the agent still works on since an earlier connection. */
  holds: () => { taskId: string; lease: number }[];
  /** The hub answered `initialize`; `kept` is what it still has under the lease it had. */
  onLive: (kept: readonly string[]) => void;
  onDelivery: (delivery: Delivery) => void;
  onHalt: (halted: boolean) => void;
  onState: (state: AgentState) => void;
}

interface Frame {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: { code?: number; message?: string; data?: LooseError };
}
interface Call {
  done: (result: unknown) => void;
  failed: (error: Error) => void;
}

const backoff = { firstMs: 500, maxMs: 10_000 };
/** The hub says every 30 s that it is there; who misses two of these holds a dead line. */
const silenceMs = 75_000;
/** The hub cuts off who has more than 64 calls under way. */
const maxUnderWay = 32;

export class SocketConnection {
  state: AgentState = { status: 'connecting' };
  /** Counts connections: a lease of an earlier one may be void. */
  session = 0;
  private readonly parts: ConnectionParts;
  private transport: Transport | undefined;
  private generation = 0;
  private attempt = 0;
  private lastId = 0;
  private readonly underWay = new Map<number, Call>();
  private readonly queue: (() => void)[] = [];
  private whenLive = Promise.withResolvers<void>();
  private cancelTimer = () => {};

  constructor(parts: ConnectionParts) {
    this.parts = parts;
    this.whenLive.promise.catch(() => {});
    this.open();
  }

  /** Resolves when the line is there, rejects when it will not be any more. */
  live(): Promise<void> {
    return this.whenLive.promise;
  }

  call<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<AgentResult<M>> {
    return new Promise((resolve, reject) => {
      const send = () => {
        if (this.state.status === 'live') this.request(method, params, { done: resolve as Call['done'], failed: reject });
        else reject(lost('there is no connection'));
      };
      if (this.underWay.size < maxUnderWay) send();
      else this.queue.push(send);
    });
  }

  stop(error?: ParleyError): void {
    if (this.state.status === 'stopped') return;
    this.disconnect('closed');
    this.whenLive.reject(error ?? new ParleyError('unavailable', 'The agent was closed.'));
    this.become(error ? { status: 'stopped', error } : { status: 'stopped' });
  }

  private become(state: AgentState): void {
    this.state = state;
    this.parts.onState(state);
  }

  private disconnect(reason: string): void {
    this.generation++;
    this.cancelTimer();
    this.transport?.close();
    this.transport = undefined;
    if (this.state.status === 'live') {
      this.whenLive = Promise.withResolvers<void>();
      this.whenLive.promise.catch(() => {});
    }
    this.state = { status: 'connecting' };
    const calls = [...this.underWay.values()];
    this.underWay.clear();
    for (const { failed } of calls) failed(lost(reason));
    for (const send of this.queue.splice(0)) send();
  }

  private open(): void {
    const mine = ++this.generation;
    const current = () => mine === this.generation;
    const url = new URL(`${this.parts.url.replace(/\/+$/, '')}${agentSocketPath}`);
    url.protocol = /^(?:https|wss):$/.test(url.protocol) ? 'wss:' : 'ws:';
    this.become({ status: 'connecting' });
    this.transport = this.parts.connect(
      { url: url.toString(), token: this.parts.token },
      {
        onOpen: () => current() && this.initialize(),
        onAlive: () => current() && this.restartSilence(),
        onText: (text) => current() && this.receive(text),
        onClose: (close) => current() && this.closed(close),
      },
    );
  }

  private initialize(): void {
    this.restartSilence();
    this.request(
      'initialize',
      { client: this.parts.client, holds: this.parts.holds() },
      {
        done: (result) => {
          const { me, kept } = result as AgentResult<'initialize'>;
          this.attempt = 0;
          this.session++;
          this.parts.onLive(kept);
          this.become({ status: 'live', me });
          this.whenLive.resolve();
        },
        failed: (error) => {
          if (!(error instanceof ParleyError)) return;
          if (error.shouldRetry()) this.reconnect(error.message);
          else this.stop(error);
        },
      },
    );
  }

  private request(method: string, params: object, call: Call): void {
    const id = ++this.lastId;
    this.underWay.set(id, call);
    this.transport?.send?.(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  private receive(text: string): void {
    this.restartSilence();
    let frame: Frame;
    try {
      frame = JSON.parse(text) as Frame;
    } catch {
      return this.reconnect('the hub sent something that is not JSON');
    }
    if (frame.method === 'deliver') return this.parts.onDelivery(frame.params as Delivery);
    if (frame.method === 'halt') return this.parts.onHalt((frame.params as { halted: boolean }).halted);
    const call = this.underWay.get(frame.id as number);
    if (!call) return;
    this.underWay.delete(frame.id as number);
    if (frame.error) call.failed(refusal(frame.error));
    else call.done(frame.result);
    this.queue.shift()?.();
  }

  private closed({ code, status, reason }: { code?: number; status?: number; reason: string }): void {
    if (code === closeCodes.unauthenticated) return this.stop(new ParleyError('unauthenticated'));
    if (status === 403) return this.stop(new ParleyError('forbidden', 'Only an agent’s token opens this socket.'));
    // Coming back would only throw the other one out, and it us.
    if (code === closeCodes.replaced) return this.stop(new ParleyError('stale_lease', 'Another connection of this agent has taken over.'));
    this.reconnect(reason);
  }

  private reconnect(reason: string): void {
    this.disconnect(reason);
    const delay = backoffDelay(this.attempt++, this.parts.random, backoff);
    this.cancelTimer = this.parts.clock.after(delay, () => this.open());
    this.become({ status: 'waiting', retryAt: this.parts.clock.now() + delay, reason });
  }

  private restartSilence(): void {
    this.cancelTimer();
    this.cancelTimer = this.parts.clock.after(silenceMs, () => this.reconnect('the hub has fallen silent'));
  }
}

const lost = (reason: string) => new ConnectionError('network', `The connection to the hub was lost: ${reason}`);

/** A refusal of the platform has our error in `data`. A refusal of JSON-RPC is our own mistake. */
function refusal({ code, message, data }: NonNullable<Frame['error']>): ParleyError {
  if (code === rpcCodes.refused || code === rpcCodes.internal) return errorFrom({ message, ...data });
  return errorFrom({ code: 'invalid_request', message, problems: data?.problems });
}
