// Connects an agent to a hub. The program gets requests and gives answers; everything between (order, acknowledgement,
// reconnects, leases, repeats) is done here. See docs/agents.md.

import { type ErrorCode, lostClaimCodes, maxHolds, ParleyError } from '@parley/protocol';
import type { AgentEvent, Delivery, DigestEvent, LeaveEvent, RoundOffer } from '@parley/protocol';
import { type ClientClock, systemClock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import { connectWithToken } from '../node.ts';
import type { Connect } from '../transport.ts';
import { type AgentState, SocketConnection } from './connection.ts';
import { AgentDeliveries, type Offer } from './deliveries.ts';
import { TaskRun } from './task-run.ts';
import type { AgentTask } from './task.ts';
import { type HubMethods } from './task-calls.ts';

export { ParleyError } from '@parley/protocol';
export type { AgentEvent, ContactOutcome, DigestEvent, LeaveEvent, Mailbox, MailboxEntry, RoundOffer, Signal } from '@parley/protocol';
export type { Offer } from './deliveries.ts';
export type { AgentState } from './connection.ts';
export type { AgentTask, ContactRequest, More, Word } from './task.ts';

export interface AgentOptions {
  /** The address of the hub, such as `http://localhost:7440`. */
  url: string;
  /** The agent's own (`parley token create --member <handle>`). */
  token: string;
  /** Works on a task. The returned text is the answer, unless the handler has answered, declined or thrown. */
  onTask: (task: AgentTask) => string | void | Promise<string | void>;
  /**
   * `^ANY`, or a role of the agent's: true to claim it; the first one gets it, and `onTask` is then called. Left out, the agent
   * takes none. A role only knocks: `content` is null, and `pull` fetches it for an agent that wants to look first. So does a
   * message to nobody on an open floor, which has no `task` yet: it is this agent's turn to be asked, and with false, or
   * without this handler, the next one's.
   */
  onOffer?: (offer: Offer, pull: () => Promise<Offer>) => boolean | Promise<boolean>;
  /**
   * The agent was asked to leave a conversation. The returned text is its goodbye there: one brief word, within a minute.
   * Left out, the agent goes quietly.
   */
  onLeave?: (leave: LeaveEvent) => string | void | Promise<string | void>;
  /**
   * A digest of the messages in a conversation that were not put before the agent: counts and IDs, nothing to answer.
   * Digests come at the interval that `setDigest` or a person set.
   */
  onDigest?: (digest: DigestEvent) => void | Promise<void>;
  onState?: (state: AgentState) => void;
  /** A handler failed; its task was given back with a word of regret. Left out, it goes to the console. */
  onError?: (error: unknown, task?: AgentTask) => void;
  /** The name of this program, shown on the hub's side. */
  client?: string;
  connect?: Connect;
  clock?: ClientClock;
  random?: () => number;
}

export interface ConnectedAgent {
  readonly state: AgentState;
  /** Resolves when it was closed, rejects when the hub does not want it any more. */
  readonly closed: Promise<void>;
  /** How far it has seen its mailbox there (`task.mailbox`): `upTo` of the last page it is done with. Never moves back. */
  seen(conversationId: string, upTo: number): Promise<void>;
  /** The interval of the digest of that conversation, in milliseconds (5 minutes to 7 days); null: none. */
  setDigest(conversationId: string, everyMs: number | null): Promise<void>;
  /** Hangs up. The agent is offline, and its tasks wait for it. */
  close(): void;
}

/** Silence is not an outcome: the requester learns of a task that its handler leaves open. */
const unfinished = 'I ended without an answer.';
const failed = 'Something went wrong while I worked on this.';
const edited = () => new ParleyError('stale_lease', 'The request was edited.', { reason: 'edited' });
const interrupted = () => new ParleyError('stale_lease', 'Something urgent was said.', { reason: 'urgent' });

const lostGoodbyeCodes: ReadonlySet<ErrorCode> = new Set(['asked_to_leave', 'agent_without_task', 'halted', 'archived']);
const keptOffers = 1000;

export const connectAgent = (options: AgentOptions): ConnectedAgent => new Session(options);

class Session implements ConnectedAgent {
  private readonly handlers: AgentOptions;
  private readonly onError: NonNullable<AgentOptions['onError']>;
  private readonly runs = new Map<string, TaskRun>();
  /** Results that came before their task, in a process that was started again. */
  private readonly early = new Map<string, AgentEvent[]>();
  private readonly offers = new Set<string>();
  /** Wanted, but the agent has its hands full there. */
  private readonly wanted = new Set<Offer>();
  private readonly ending = Promise.withResolvers<void>();
  private halt = Promise.withResolvers<void>();
  private me = '';
  private readonly inbox: AgentDeliveries;
  private readonly connection: SocketConnection;
  private readonly hub: HubMethods;
  readonly closed = this.ending.promise;

  constructor(options: AgentOptions) {
    const { url, token, client = 'parley-sdk', connect = connectWithToken, clock = systemClock, random = Math.random } = options;
    this.handlers = options;
    this.onError = options.onError ?? report;
    this.closed.catch(() => {});
    this.inbox = new AgentDeliveries({
      take: (event) => this.take(event),
      offer: (event) => void this.consider(event),
      ack: (cursor) => this.connection.call('ack', { cursor }),
    });
    this.connection = new SocketConnection({
      url,
      token,
      client,
      connect,
      clock,
      random,
      holds: () => [...this.runs.values()].flatMap((run) => run.hold() ?? []).slice(0, maxHolds),
      onLive: (kept) => {
        this.inbox.restart();
        for (const id of kept) this.runs.get(id)?.keep();
        this.letGo();
      },
      onDelivery: (delivery) => this.inbox.deliver(delivery),
      onHalt: (halted) => halted || this.letGo(),
      onState: (state) => this.changeState(state),
    });
    this.hub = { connection: this.connection, clock, random, released: () => this.halt.promise };
  }

  get state(): AgentState {
    return this.connection.state;
  }

  readonly seen = async (conversationId: string, upTo: number): Promise<void> =>
    void (await this.connection.call('mailbox.seen', { conversationId, upTo }));

  readonly setDigest = async (conversationId: string, everyMs: number | null): Promise<void> =>
    void (await this.connection.call('digest.set', { conversationId, everyMs }));

  readonly close = (): void => this.connection.stop();

  private changeState(state: AgentState): void {
    if (state.status === 'live') this.me = state.me.id;
    this.handlers.onState?.(state);
    if (state.status !== 'stopped') return;
    for (const run of this.runs.values()) run.end(state.error ?? new ParleyError('unavailable', 'The agent was closed.'));
    if (state.error) this.ending.reject(state.error);
    else this.ending.resolve();
  }

  /** A request refused while everything was stopped is tried again; the release may have come without a notice. */
  private letGo(): void {
    this.halt.resolve();
    this.halt = Promise.withResolvers<void>();
  }

  /** True: not to be acknowledged before the task has ended. */
  private take(event: Exclude<Delivery['event'], RoundOffer>): boolean {
    if (event.kind === 'leave') void this.part(event);
    else if (event.kind === 'digest') (async () => this.handlers.onDigest?.(event))().catch((error: unknown) => this.onError(error));
    else return this.takeInTask(event, this.runs.get(event.task.id));
    return false;
  }

  private takeInTask(event: AgentEvent, run: TaskRun | undefined): boolean {
    switch (event.kind) {
      case 'task':
      case 'edit':
        if (!run?.isWorking) void this.work(event, run?.state === 'handed_over' ? run.results : []);
        else if (run.isOutdatedBy(event)) this.beginAnew(run, event, edited());
        else run.renew(event);
        return false;
      case 'result':
        if (event.task.endedAt !== null || run?.state === 'ended') return false;
        if (run) run.keepResult(event);
        else this.early.set(event.task.id, [...(this.early.get(event.task.id) ?? []), event]);
        return true;
      case 'ended':
        run?.end(new ParleyError('task_over', undefined, event.cause === null ? {} : { reason: event.cause }));
        this.release([...(run?.results ?? []), ...this.takeEarly(event.task.id)]);
        if (run?.state === 'handed_over') this.runs.delete(run.id);
        return false;
      case 'offer':
        return false;
      default:
        // Urgent: whatever the handler is at, it begins again with all of it.
        if (event.kind === 'follow_up' && event.mode === 'immediate' && run?.isWorking && run.isReplacedBy(event))
          this.beginAnew(run, event, interrupted());
        else run?.hear(event);
        return false;
    }
  }

  /** With the new text; what the old one held is the new one's. */
  private beginAnew(run: TaskRun, event: AgentEvent, why: ParleyError): void {
    run.handOver(why);
    void this.work(event, run.results);
  }

  /** The tasks there have ended, each with an event of its own; only the goodbye is left. */
  private async part(leave: LeaveEvent): Promise<void> {
    if (leave.policy === 'must_not_respond') return;
    try {
      const body = await this.handlers.onLeave?.(leave);
      if (body !== undefined) await this.connection.call('goodbye', { conversationId: leave.conversation.id, body, key: leave.eventId });
    } catch (error) {
      // Too late, or called back meanwhile: then there is nothing to say.
      if (!(error instanceof ConnectionError) && !isOneOf(lostGoodbyeCodes, error)) this.onError(error);
    }
  }

  private takeEarly(taskId: string): AgentEvent[] {
    const results = this.early.get(taskId) ?? [];
    this.early.delete(taskId);
    return results;
  }

  private release(results: AgentEvent[]): void {
    this.inbox.release(results.map(({ eventId }) => eventId));
  }

  /** `results` came in an earlier run of the same task. */
  private async work(event: AgentEvent, results: AgentEvent[]): Promise<void> {
    const run = new TaskRun(event, this.hub, () => this.me);
    this.runs.set(run.id, run);
    for (const result of [...results, ...this.takeEarly(run.id)]) run.keepResult(result);
    try {
      const answer = await this.handlers.onTask(run);
      await run.settled;
      if (run.isWorking) await (answer === undefined ? run.decline(unfinished, 'blocked') : run.answer(answer));
    } catch (error) {
      await this.regret(run, error);
    }
    run.finish();
    const isLast = this.runs.get(run.id) === run;
    if (isLast && run.nextEvent) void this.work(run.nextEvent, run.results);
    else if (run.state !== 'handed_over') {
      if (isLast) this.runs.delete(run.id);
      this.release(run.results);
    }
    for (const offer of this.wanted) void this.consider(offer);
  }

  private async regret(run: TaskRun, error: unknown): Promise<void> {
    // The task ended without the handler, which got the abort: nothing went wrong.
    if (run.signal.aborted) return;
    this.onError(error, run);
    if (!run.isWorking) return;
    await run.decline(failed, 'blocked').catch((second: unknown) => {
      if (!run.signal.aborted) this.onError(second, run);
    });
  }

  private async consider(offer: Offer): Promise<void> {
    const { eventId, task, messageId } = offer;
    if (this.offers.has(eventId) && !this.wanted.delete(offer)) return;
    this.offers.add(eventId);
    if (this.offers.size > keptOffers) this.offers.delete(this.offers.values().next().value!);
    try {
      // The task itself comes as a `task` event, like any other.
      const wants = await this.handlers.onOffer?.(offer, () => this.connection.call('pull', { eventId }));
      if (wants === true) await this.connection.call('claim', task ? { taskId: task.id } : { messageId });
      // Others are not kept waiting for one that does not want it.
      else if (messageId !== null) await this.connection.call('pass', { messageId });
    } catch (error) {
      if (error instanceof ConnectionError) this.offers.delete(eventId);
      else if (error instanceof ParleyError && error.code === 'agent_busy') this.wanted.add(offer);
      else if (!isOneOf(lostClaimCodes, error)) this.onError(error);
    }
  }
}

const isOneOf = (codes: ReadonlySet<ErrorCode>, error: unknown): boolean => error instanceof ParleyError && codes.has(error.code);

function report(error: unknown, task?: AgentTask): void {
  console.error(task ? `Task ${task.id} failed:` : 'The agent failed:', error);
}
