// How one task's calls reach the hub: one after the other, and again over a lost connection, a halt or a busy hub.

import { backoffDelay, lostTaskCodes, ParleyError, type AgentMethod, type AgentParams, type AgentResult } from '@parley/protocol';
import { sleep, type ClientClock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import type { SocketConnection } from './connection.ts';
import { createHash } from 'node:crypto';

export interface HubMethods {
  connection: SocketConnection;
  clock: ClientClock;
  random: () => number;
  /** Resolves when nothing is stopped any more. */
  released: () => Promise<void>;
}

const backoff = { firstMs: 300, maxMs: 8_000 };
/** The hub says when it is released; should that be missed, it is asked. */
const haltedMs = 15_000;
/** Refusals of a turn that was given again after a reconnect: the new lease is on its way. */
const renewableCodes = new Set(['stale_lease', 'task_not_active']);

export class TaskCalls {
  readonly signal: AbortSignal;
  private readonly hub: HubMethods;
  private readonly onLost: (error: ParleyError) => void;
  private lease: number;
  /** The connection in which the lease was given. */
  private session: number;
  private renewed = Promise.withResolvers<void>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly aborted: Promise<never>;

  constructor(hub: HubMethods, lease: number, signal: AbortSignal, onLost: (error: ParleyError) => void) {
    this.hub = hub;
    this.onLost = onLost;
    this.lease = lease;
    this.session = hub.connection.session;
    this.signal = signal;
    this.aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
    this.aborted.catch(() => {});
  }

  /** The newest lease of the task that is known here. */
  get held(): number {
    return this.lease;
  }

  renew(lease: number): void {
    this.lease = lease;
    this.session = this.hub.connection.session;
    this.renewed.resolve();
    this.renewed = Promise.withResolvers<void>();
  }

  /** Rejects as soon as the task has ended. */
  unlessOver<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.aborted]);
  }

  /**
   * Sends calls in order, so that words are read in the order they were sent. `arrived` is the answer to a repeat that
   * finds the task over, because the hub keeps no key of that call.
   */
  send<M extends AgentMethod>(
    method: M,
    params: (lease: number) => AgentParams<M>,
    arrived?: () => AgentResult<M>,
  ): Promise<AgentResult<M>> {
    const mine = this.last.then(() => this.alongside(method, params, arrived));
    this.last = mine.catch(() => {});
    return mine;
  }

  /** Sends a call after the earlier ones, and holds up no later one: its answer may take minutes. */
  async beside<M extends AgentMethod>(method: M, params: (lease: number) => AgentParams<M>): Promise<AgentResult<M>> {
    await this.unlessOver(this.last);
    return this.alongside(method, params);
  }

  /** Once, whatever happens. */
  async once<M extends AgentMethod>(method: M, params: (lease: number) => AgentParams<M>): Promise<AgentResult<M>> {
    await this.unlessOver(this.last);
    return this.hub.connection.call(method, params(this.lease));
  }

  /** Reads change nothing: they need no turn and keep to no order. */
  read<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<AgentResult<M>> {
    return this.alongside(method, () => params);
  }

  /** Needs the turn, but keeps to no order: several can be under way. */
  async alongside<M extends AgentMethod>(
    method: M,
    params: (lease: number) => AgentParams<M>,
    arrived?: () => AgentResult<M>,
  ): Promise<AgentResult<M>> {
    const { connection } = this.hub;
    for (let tries = 0, lost = false; ; tries++) {
      this.signal.throwIfAborted();
      await this.unlessOver(connection.live());
      const held = { lease: this.lease, session: this.session, renewed: this.renewed.promise };
      try {
        return await this.unlessOver(connection.call(method, params(held.lease)));
      } catch (error) {
        this.signal.throwIfAborted();
        if (error instanceof ConnectionError) {
          lost = true;
          continue;
        }
        if (!(error instanceof ParleyError)) throw error;
        if (lost && arrived && error.code === 'task_over') return arrived();
        await this.unlessOver(this.untilWorthTrying(error, tries, held));
      }
    }
  }

  /** Rejects with the refusal when waiting does not help. */
  private async untilWorthTrying(
    error: ParleyError,
    tries: number,
    held: { lease: number; session: number; renewed: Promise<void> },
  ): Promise<void> {
    const { clock, random, released, connection } = this.hub;
    if (error.code === 'halted') return Promise.race([released(), sleep(clock, haltedMs, this.signal)]);
    if (error.code === 'rate_limited' || error.code === 'unavailable')
      return sleep(clock, backoffDelay(tries, random, backoff), this.signal);
    if (renewableCodes.has(error.code) && held.lease !== this.lease) return;
    if (renewableCodes.has(error.code) && held.session !== connection.session) return held.renewed;
    if (lostTaskCodes.has(error.code) || error.code === 'unauthenticated') this.onLost(error);
    throw error;
  }
}

// The idempotency keys of what an agent says.
//
// A handler may be run again from its top: its process was restarted in the middle of a task. The handler may then repeat
// words that it has said before, and they must not be shown twice. So a key is not a random number, but derived from the
// content: the task, the words and, when the same words are said several times, which time it is. A run that says the same
// again is answered with the message that is there; one that says something else says something new. Counting sends alone
// would not do: the hub refuses a key that comes back with other words (`key_reused`), and an agent that thinks with a
// model rarely finds the same words twice.
//
// An answer is another one in each run: the hub gives a task again after an answer only if that was not the end of it, and
// then the same words are meant again.

/** `lease`: of the event that began the run. */
export function requestKeys(taskId: string, lease: number): (kind: string, text: string, conversationId?: string) => string {
  const times = new Map<string, number>();
  return (kind, text, conversationId = '') => {
    const content = JSON.stringify([kind, text, conversationId]);
    const said = createHash('sha256').update(content).digest('base64url').slice(0, 22);
    const n = times.get(said) ?? 0;
    times.set(said, n + 1);
    return `${taskId}:${said}:${kind === 'answer' ? `${n}:${lease}` : n}`;
  };
}
