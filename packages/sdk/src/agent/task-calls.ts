// The calls of one task. They reach the hub in order, and are repeated after a lost connection, a halt or a busy hub.

import { backoffDelay, lostTaskCodes, ParleyError, type AgentMethod, type AgentParams, type AgentResult } from '@parley/protocol';
import { sleep, type ClientClock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import type { SocketConnection } from './connection.ts';

export interface HubMethods {
  connection: SocketConnection;
  clock: ClientClock;
  random: () => number;
  /** Resolves when a person ends the halt. */
  released: () => Promise<void>;
}

const backoff = { firstMs: 300, maxMs: 8_000 };
/** The hub announces the release; this timer covers a missed announcement. */
const haltedMs = 15_000;
/** After a reconnect the hub gives the turn again: a call with the old lease is refused, and the new lease follows. */
const renewableCodes = new Set(['stale_lease', 'task_not_active']);

export class TaskCalls {
  readonly signal: AbortSignal;
  private readonly hub: HubMethods;
  private readonly onLost: (error: ParleyError) => void;
  private lease: number;
  /** The connection in which the lease was given. */
  private session: number;
  private renewed = Promise.withResolvers<void>();
  private lastInOrder: Promise<unknown> = Promise.resolve();
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

  get currentLease(): number {
    return this.lease;
  }

  renew(lease: number): void {
    this.lease = lease;
    this.session = this.hub.connection.session;
    this.renewed.resolve();
    this.renewed = Promise.withResolvers<void>();
  }

  /** Rejects as soon as the task has ended. */
  orAborted<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.aborted]);
  }

  /**
   * Sends calls in order, so that words are shown in the order they were sent. `answerIfOver` is the answer to a repeat that
   * finds the task over: the hub keeps no key of that call.
   */
  send<M extends AgentMethod>(
    method: M,
    params: (lease: number) => AgentParams<M>,
    answerIfOver?: () => AgentResult<M>,
  ): Promise<AgentResult<M>> {
    const answer = this.lastInOrder.then(() => this.sendNow(method, params, answerIfOver));
    this.lastInOrder = answer.catch(() => {});
    return answer;
  }

  /** Sends a call after the earlier ones, but later calls do not wait for its answer: it may take minutes. */
  async sendAfterEarlier<M extends AgentMethod>(method: M, params: (lease: number) => AgentParams<M>): Promise<AgentResult<M>> {
    await this.orAborted(this.lastInOrder);
    return this.sendNow(method, params);
  }

  /** Sends once and never retries: a lost draft does no harm, and `pause` handles its own refusals. */
  async sendOnce<M extends AgentMethod>(method: M, params: (lease: number) => AgentParams<M>): Promise<AgentResult<M>> {
    await this.orAborted(this.lastInOrder);
    return this.hub.connection.call(method, params(this.lease));
  }

  /** Reads change nothing, so they need no turn and no order. */
  read<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<AgentResult<M>> {
    return this.sendNow(method, () => params);
  }

  /** Sends a call that needs the turn but no order: several can be in flight. */
  async sendNow<M extends AgentMethod>(
    method: M,
    params: (lease: number) => AgentParams<M>,
    answerIfOver?: () => AgentResult<M>,
  ): Promise<AgentResult<M>> {
    const { connection } = this.hub;
    for (let tries = 0, isRepeat = false; ; tries++) {
      this.signal.throwIfAborted();
      await this.orAborted(connection.live());
      const turn = { lease: this.lease, session: this.session, renewed: this.renewed.promise };
      try {
        return await this.orAborted(connection.call(method, params(turn.lease)));
      } catch (error) {
        this.signal.throwIfAborted();
        if (error instanceof ConnectionError) {
          isRepeat = true;
          continue;
        }
        if (!(error instanceof ParleyError)) throw error;
        if (isRepeat && answerIfOver && error.code === 'task_over') return answerIfOver();
        await this.orAborted(this.waitBeforeRetry(error, tries, turn));
      }
    }
  }

  /** Throws the refusal when a retry cannot help. */
  private async waitBeforeRetry(
    error: ParleyError,
    tries: number,
    turn: { lease: number; session: number; renewed: Promise<void> },
  ): Promise<void> {
    const { clock, random, released, connection } = this.hub;
    if (error.code === 'halted') return Promise.race([released(), sleep(clock, haltedMs, this.signal)]);
    if (error.code === 'rate_limited' || error.code === 'unavailable')
      return sleep(clock, backoffDelay(tries, random, backoff), this.signal);
    if (renewableCodes.has(error.code) && turn.lease !== this.lease) return;
    if (renewableCodes.has(error.code) && turn.session !== connection.session) return turn.renewed;
    if (lostTaskCodes.has(error.code) || error.code === 'unauthenticated') this.onLost(error);
    throw error;
  }
}
