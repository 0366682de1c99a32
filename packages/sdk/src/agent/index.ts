// Connects an agent to a hub. A program that is told what it is asked and says what it answers; everything between
// (order, acknowledgement, reconnects, leases, repeats) is done here. See docs/agents.md.

import { lostClaimCodes, maxHolds, ParleyError } from '@parley/protocol';
import type { AgentEvent, Delivery, DigestEvent, LeaveEvent, RoundOffer } from '@parley/protocol';
import { systemClock } from '../clock.ts';
import type { ClientClock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import { connectWithToken } from '../node.ts';
import type { Connect } from '../transport.ts';
import { SocketConnection } from './connection.ts';
import type { AgentState } from './connection.ts';
import { Inbox, type Offer } from './inbox.ts';
import { Run } from './run.ts';
import type { AgentTask } from './task.ts';

export { ParleyError } from '@parley/protocol';
export type { AgentEvent, ContactOutcome, DigestEvent, LeaveEvent, Mailbox, MailboxEntry, RoundOffer, Signal } from '@parley/protocol';
export type { Offer } from './inbox.ts';
export type { AgentState } from './connection.ts';
export type { AgentTask, ContactRequest, More, Word } from './task.ts';

export interface AgentOptions {
  /** Where the hub is: `http://localhost:7440`. */
  url: string;
  /** The agent's own (`parley token create --member <handle>`). */
  token: string;
  /** Works on a task. What it returns is the answer, unless it has answered, declined or thrown. */
  onTask: (task: AgentTask) => string | void | Promise<string | void>;
  /**
   * `^ANY`, or a role of the agent's: true to try to have it; the first one gets it, and `onTask` is then called. Left out,
   * the agent takes none. A role only knocks: `content` is null, and `pull` brings it to whoever wants to look first. So does
   * what was said to nobody on an open floor, which has no `task` yet: it is this agent's turn to be asked, and with false,
   * or without this handler, the next one's.
   */
  onOffer?: (offer: Offer, pull: () => Promise<Offer>) => boolean | Promise<boolean>;
  /** Asked to leave a conversation. What it returns is its goodbye there: one brief word, within a minute. Left out, it goes quietly. */
  onLeave?: (leave: LeaveEvent) => string | void | Promise<string | void>;
  /**
   * What went on in a conversation that was not put before the agent, in sum: counts and ids, nothing to answer. Comes
   * every so often where it was set (`setDigest`, or a person).
   */
  onDigest?: (digest: DigestEvent) => void | Promise<void>;
  onState?: (state: AgentState) => void;
  /** A handler failed; its task was given back with a word of regret. Left out, it goes to the console. */
  onError?: (error: unknown, task?: AgentTask) => void;
  /** What this program is, for whoever looks at the hub's side. */
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
  /** How often it is told in sum what goes on there, in milliseconds (5 minutes to 7 days); null: not at all. */
  setDigest(conversationId: string, everyMs: number | null): Promise<void>;
  /** Hangs up. The agent is offline, and what it was at waits for it. */
  close(): void;
}

/** Silence is not an outcome: what a handler leaves open is told to whoever asked. */
const unfinished = 'I ended without an answer.';
const failed = 'Something went wrong while I worked on this.';

const edited = { text: 'What was asked has been edited.', reason: 'edited' };
const interrupted = { text: 'Something urgent was said.', reason: 'urgent' };

const lostGoodbyes = new Set(['asked_to_leave', 'agent_without_task', 'halted', 'archived']);

export function connectAgent(options: AgentOptions): ConnectedAgent {
  const { clock = systemClock, random = Math.random, onError = report } = options;
  const runs = new Map<string, Run>();
  /** Results that came before their task, in a process that was started again. */
  const early = new Map<string, AgentEvent[]>();
  const offers = new Map<string, Offer>();
  /** Wanted, but the agent has its hands full there. */
  const wanted = new Set<Offer>();
  const closed = Promise.withResolvers<void>();
  closed.promise.catch(() => {});
  let halt = Promise.withResolvers<void>();
  let me = '';

  const inbox = new Inbox({ take, offer: (event) => void consider(event), ack: (cursor) => connection.call('ack', { cursor }) });
  const connection: SocketConnection = new SocketConnection({
    url: options.url,
    token: options.token,
    client: options.client ?? 'parley-sdk',
    connect: options.connect ?? connectWithToken,
    clock,
    random,
    holds: () => [...runs.values()].flatMap((run) => run.hold() ?? []).slice(0, maxHolds),
    onLive: (kept) => {
      inbox.restart();
      for (const id of kept) runs.get(id)?.keep();
      letGo();
    },
    onDelivery: (delivery) => inbox.deliver(delivery),
    onHalt: (halted) => {
      if (!halted) letGo();
    },
    onState: stateChanged,
  });
  const hub = { connection, clock, random, released: () => halt.promise };

  function stateChanged(state: AgentState): void {
    if (state.status === 'live') me = state.me.id;
    options.onState?.(state);
    if (state.status !== 'stopped') return;
    for (const run of runs.values()) run.end(state.error ?? new ParleyError('unavailable', 'The agent was closed.'));
    if (state.error) closed.reject(state.error);
    else closed.resolve();
  }

  /** What was refused while everything was stopped is tried again; it may have been released while nobody was told. */
  function letGo(): void {
    halt.resolve();
    halt = Promise.withResolvers<void>();
  }

  /** True: not to be acknowledged before the task has ended. */
  function take(event: Exclude<Delivery['event'], RoundOffer>): boolean {
    if (event.kind === 'leave') {
      void part(event);
      return false;
    }
    if (event.kind === 'digest') {
      void note(event);
      return false;
    }
    const run = runs.get(event.task.id);
    switch (event.kind) {
      case 'task':
      case 'edit':
        if (run && !run.over && !run.signal.aborted && !run.isOutdatedBy(event)) run.renew(event);
        else if (run && !run.over && !run.signal.aborted) beginAnew(run, event, edited);
        else void work(event, run?.goesOn ? run.results : []);
        return false;
      case 'result': {
        if (event.task.endedAt !== null || (run?.over && !run.goesOn)) return false;
        if (run) hold(run, event);
        else early.set(event.task.id, [...(early.get(event.task.id) ?? []), event]);
        return true;
      }
      case 'ended':
        run?.end(new ParleyError('task_over', undefined, event.cause === null ? {} : { reason: event.cause }));
        release([...(run?.results ?? []), ...(early.get(event.task.id) ?? [])]);
        early.delete(event.task.id);
        if (run?.goesOn) runs.delete(run.id);
        return false;
      case 'follow_up':
        // Urgent: whatever the handler is at, it begins anew with all of it.
        if (event.mode === 'immediate' && run && !run.over && !run.signal.aborted && run.isReplacedBy(event))
          beginAnew(run, event, interrupted);
        else run?.hear(event);
        return false;
      case 'correction':
      case 'approval':
      case 'obligation':
      case 'flagged':
      case 'signal':
        run?.hear(event);
        return false;
      case 'offer':
        return false;
    }
  }

  /** With the new text; what the old one held is the new one's. */
  function beginAnew(run: Run, event: AgentEvent, why: { text: string; reason: string }): void {
    run.goesOn = true;
    run.end(new ParleyError('stale_lease', why.text, { reason: why.reason }));
    void work(event, run.results);
  }

  /** Its tasks there have ended, each with an event of its own; here is only the goodbye. */
  async function part(leave: LeaveEvent): Promise<void> {
    if (leave.policy === 'must_not_respond') return;
    try {
      const body = await options.onLeave?.(leave);
      if (body !== undefined) await connection.call('goodbye', { conversationId: leave.conversation.id, body, key: leave.eventId });
    } catch (error) {
      // Too late, or called back meanwhile: then there is nothing to say.
      if (!(error instanceof ConnectionError) && !(error instanceof ParleyError && lostGoodbyes.has(error.code))) onError(error);
    }
  }

  async function note(digest: DigestEvent): Promise<void> {
    try {
      await options.onDigest?.(digest);
    } catch (error) {
      onError(error);
    }
  }

  function hold(run: Run, event: AgentEvent): void {
    run.results.push(event);
    run.hear(event);
  }

  function release(results: AgentEvent[]): void {
    inbox.release(results.map(({ eventId }) => eventId));
  }

  /** `results` came in an earlier run of the same task. */
  async function work(event: AgentEvent, results: AgentEvent[] = []): Promise<void> {
    const run = new Run(event, hub, () => me);
    runs.set(run.id, run);
    for (const result of [...results, ...(early.get(run.id) ?? [])]) hold(run, result);
    early.delete(run.id);
    try {
      const answer = await options.onTask(run);
      await run.settled;
      if (!run.over && !run.signal.aborted) await (answer === undefined ? run.decline(unfinished, 'blocked') : run.answer(answer));
    } catch (error) {
      await regret(run, error);
    }
    run.over = true;
    const isLast = runs.get(run.id) === run;
    if (isLast && run.givenAgain) void work(run.givenAgain, run.results);
    else if (!run.goesOn) {
      if (isLast) runs.delete(run.id);
      release(run.results);
    }
    for (const offer of wanted) void consider(offer);
  }

  async function regret(run: Run, error: unknown): Promise<void> {
    // It ended without the handler, which was told so: nothing went wrong.
    if (run.signal.aborted) return;
    onError(error, run);
    if (run.over) return;
    await run.decline(failed, 'blocked').catch((second: unknown) => {
      if (!run.signal.aborted) onError(second, run);
    });
  }

  async function consider(offer: Offer): Promise<void> {
    if ((!options.onOffer && offer.task) || (offers.has(offer.eventId) && !wanted.delete(offer))) return;
    offers.set(offer.eventId, offer);
    if (offers.size > 1000) offers.delete(offers.keys().next().value!);
    try {
      // The task itself comes as a `task` event, like any other.
      const pull = () => connection.call('pull', { eventId: offer.eventId });
      const wants = (await options.onOffer?.(offer, pull)) === true;
      if (wants) await connection.call('claim', offer.task ? { taskId: offer.task.id } : { messageId: offer.messageId });
      // Others are not kept waiting for one that does not want it.
      else if (!offer.task) await connection.call('pass', { messageId: offer.messageId });
    } catch (error) {
      if (error instanceof ConnectionError) offers.delete(offer.eventId);
      else if (error instanceof ParleyError && error.code === 'agent_busy') wanted.add(offer);
      else if (!(error instanceof ParleyError && lostClaimCodes.has(error.code))) onError(error);
    }
  }

  return {
    get state() {
      return connection.state;
    },
    closed: closed.promise,
    seen: async (conversationId, upTo) => void (await connection.call('mailbox.seen', { conversationId, upTo })),
    setDigest: async (conversationId, everyMs) => void (await connection.call('digest.set', { conversationId, everyMs })),
    close: () => connection.stop(),
  };
}

function report(error: unknown, task?: AgentTask): void {
  console.error(task ? `Task ${task.id} failed:` : 'The agent failed:', error);
}
