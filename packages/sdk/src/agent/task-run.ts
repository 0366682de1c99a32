// One run of a handler: from the event that brought the task to the task's end, over any number of turns. A question
// ends a turn and its answer begins the next one; the handler only sees that `ask` took a while.
//
// A run outlives connections and hubs, not its own process. A new process calls the handler again from its top: words that
// were said before return the message that is there (see request-keys.ts), `ask` returns the answer that was given, and
// `next` returns the same events again.

import { ParleyError } from '@parley/protocol';
import type { AgentEvent, AnsweredApproval, ContactOutcome, Message, Signal } from '@parley/protocol';
import { draftQueue, MoreQueue } from './queues.ts';
import { requestKeys } from './request-keys.ts';
import { TaskCalls, type HubMethods } from './task-calls.ts';
import type { AgentTask, ContactRequest, More, Word } from './task.ts';

/**
 * `working` and `pausing` (the handler waits in `pause` for another turn) are open; the other states are final:
 *
 * - `ended`: the agent has said its last word, or its handler has finished without one.
 * - `handed_over`: the task goes on in another run, because the last word left something open or the request changed.
 * - `lost`: the hub took the task away, or the agent was closed.
 */
export type TaskRunState = 'working' | 'pausing' | 'ended' | 'handed_over' | 'lost';

const closingSignals: ReadonlySet<Signal> = new Set(['agree', 'done', 'declined']);
const waitingSignals: ReadonlySet<Signal> = new Set(['blocked', 'unclear']);

/** A signal is no text, and has the ID of the message it is about. */
const isSameText = (a: Word, b: Word): boolean => a.messageId === b.messageId && a.kind !== 'signal' && b.kind !== 'signal';

const requestsIn = (words: readonly Word[]): Word[] => words.filter(({ kind }) => kind === 'request');

/** The words that answer a question: the first follow-up with those that directly follow it, or a signal on the question. */
function answerTo(questionId: string, words: readonly Word[]): Word[] {
  const later = words.slice(words.findIndex(({ messageId }) => messageId === questionId) + 1);
  const isAnswer = ({ kind, messageId, signal }: Word): boolean =>
    kind === 'follow_up' || (messageId === questionId && (signal === 'agree' || signal === 'declined'));
  const first = later.findIndex(isAnswer);
  if (first === -1) return [];
  const end = later.findIndex(({ kind }, n) => n > first && kind !== 'follow_up');
  return later.slice(first, end === -1 ? undefined : end);
}

export class TaskRun implements AgentTask {
  readonly id: string;
  readonly event: AgentEvent;
  readonly signal: AbortSignal;
  readonly words: Word[] = [];
  /** Events that may be acknowledged only when the task has ended. */
  readonly results: AgentEvent[] = [];
  /** Resolves when the hub has taken or refused the agent's last word. */
  settled: Promise<unknown> = Promise.resolve();
  /** The event that begins the next run, when it came before this run knew that the task goes on. */
  nextEvent: AgentEvent | undefined;
  private currentState: TaskRunState = 'working';
  private readonly abort = new AbortController();
  private readonly keyOf: ReturnType<typeof requestKeys>;
  private readonly calls: TaskCalls;
  readonly draft: AgentTask['draft'];
  private readonly me: () => string;
  /** The last event that gave the task to this run. */
  private latest: AgentEvent;
  approvals: readonly AnsweredApproval[] = [];
  /** The hub may show or have done something for this run: an edit of the request no longer restarts it. */
  private hasActed = false;
  private readonly followUpIds = new Set<string>();
  private readonly queue = new MoreQueue();
  private renewed = Promise.withResolvers<void>();

  constructor(event: AgentEvent, hub: HubMethods, me: () => string) {
    this.id = event.task.id;
    this.event = event;
    this.signal = this.abort.signal;
    this.keyOf = requestKeys(this.id, event.lease!);
    // A call that the handler makes after its own last word is refused, but the task is not lost.
    this.calls = new TaskCalls(hub, event.lease!, this.signal, (error) => this.lose(error));
    const show = (text: string) => this.calls.sendOnce('draft', (lease) => ({ taskId: this.id, lease, text }));
    this.draft = draftQueue(show, () => !this.isWorking, hub.clock);
    this.me = me;
    this.latest = event;
    this.takeWords(event);
  }

  get text(): string {
    // A request written in fragments is all of them; an urgent interruption is no part of it.
    const fragments = requestsIn(this.event.words);
    return fragments.length > 1 || this.event.kind === 'follow_up'
      ? fragments.map(({ content }) => content).join('\n')
      : (this.event.content ?? '');
  }

  get state(): TaskRunState {
    return this.currentState;
  }

  get isWorking(): boolean {
    return this.currentState === 'working' || this.currentState === 'pausing';
  }

  /** A final state is never left. */
  private moveTo(state: TaskRunState): void {
    if (this.isWorking) this.currentState = state;
  }

  say(text: string, { conversationId }: { conversationId?: string } = {}): Promise<Message> {
    return this.speak('progress', text, { conversationId });
  }

  async ask(text: string): Promise<string> {
    const question = await this.speak('question', text);
    while (!this.latest.words.some(({ messageId }) => messageId === question.id)) await this.calls.orAborted(this.renewed.promise);
    return this.takeAnswer(question.id);
  }

  answer(text: string): Promise<Message> {
    let sentUnder = 0;
    const sent = this.speak('answer', text, { onSend: (lease) => (sentUnder = lease) });
    return this.lastWord(sent, ({ id, task }) => {
      if (task?.kind !== 'progress') return this.moveTo('ended');
      const { lease, words } = this.latest;
      this.moveTo('handed_over');
      if (lease! > sentUnder || words.some(({ messageId }) => messageId === id)) this.nextEvent = this.latest;
    });
  }

  async decline(reason: string, outcome: 'declined' | 'blocked' = 'declined'): Promise<void> {
    // The hub keeps no key of a refusal: when a repeat finds the task over, the first try has arrived.
    const sent = this.calls.send(
      'decline',
      (lease) => ({ taskId: this.id, lease, outcome, reason }),
      () => this.event.task,
    );
    await this.lastWord(sent);
  }

  async react(signal: Signal): Promise<void> {
    const { messageId } = this.event;
    let sentUnder = 0;
    const sent = this.calls.send(
      'signal',
      (lease) => ({ messageId: messageId!, signal, lease: (sentUnder = lease) }),
      () => ({}),
    );
    if (closingSignals.has(signal)) await this.lastWord(sent);
    else if (waitingSignals.has(signal)) {
      await this.lastWord(sent, () => {
        this.moveTo('handed_over');
        if (this.latest.lease! > sentUnder) this.nextEvent = this.latest;
      });
    } else await sent;
  }

  next(...kinds: More['kind'][]): Promise<More> {
    // `flagged` refuses the agent's own words: a handler that answered it by default would never stop (C2A-18).
    return this.calls.orAborted(this.queue.take(({ kind }) => (kinds.length === 0 ? kind !== 'flagged' : kinds.includes(kind))));
  }

  async pause(): Promise<void> {
    const { promise } = this.renewed;
    this.moveTo('pausing');
    try {
      await this.pauseUntil(promise);
    } finally {
      this.moveTo('working');
    }
  }

  private async pauseUntil(renewed: Promise<void>): Promise<void> {
    try {
      await this.calls.sendOnce('pause', (lease) => ({ taskId: this.id, lease }));
    } catch (error) {
      this.signal.throwIfAborted();
      // The awaited result has come already.
      if (error instanceof ParleyError && error.code === 'task_not_active') return;
      // A lost connection leaves open whether the task is paused. The hub gives it again in both cases.
      if (error instanceof ParleyError && error.code !== 'stale_lease') throw error;
    }
    await this.calls.orAborted(renewed);
  }

  async contact({ action, agentId, message, context, priority }: ContactRequest): Promise<ContactOutcome> {
    const key = this.keyOf('contact', JSON.stringify([action, message, context, priority]), agentId);
    const options = {
      ...(context === undefined ? {} : { context }),
      ...(priority === undefined ? {} : { priority }),
    };
    const outcome = await this.calls.sendAfterEarlier('contact', (lease) => ({
      taskId: this.id,
      lease,
      action,
      agentId,
      message,
      key,
      ...options,
    }));
    this.hasActed = true;
    return outcome;
  }

  async agents() {
    return (await this.calls.read('read.agents', { taskId: this.id })).agents;
  }

  history(options: { conversationId?: string; before?: number; limit?: number } = {}) {
    return this.calls.read('read.history', { taskId: this.id, ...options });
  }

  mailbox(options: { conversationId?: string; after?: number; limit?: number } = {}) {
    return this.calls.read('read.mailbox', { taskId: this.id, ...options });
  }

  message(messageId: string) {
    return this.calls.read('read.message', { taskId: this.id, messageId });
  }

  prompt() {
    return this.calls.read('read.prompt', { taskId: this.id });
  }

  async tools() {
    return (await this.calls.send('tools', (lease) => ({ taskId: this.id, lease }))).tools;
  }

  async tool(name: string, input: Record<string, unknown> = {}) {
    const key = this.keyOf(`tool ${name}`, JSON.stringify(input));
    // A call that is under way may already have had an effect.
    this.hasActed = true;
    return this.calls.sendNow('tool', (lease) => ({ taskId: this.id, lease, name, input, key }));
  }

  search(text: string, options: { limit?: number } = {}) {
    return this.calls.read('read.search', { taskId: this.id, q: text, ...options });
  }

  /** The event brings a newer lease, which makes this run's lease worthless. */
  isReplacedBy({ lease }: AgentEvent): boolean {
    return lease !== null && lease > this.latest.lease!;
  }

  /** The request was edited or has grown before the run did anything, so that another run can begin with the new text. */
  isOutdatedBy(event: AgentEvent): boolean {
    const hasGrown = requestsIn(event.words).length > requestsIn(this.words).length;
    return !this.hasActed && (hasGrown || this.editedIn(event).length > 0);
  }

  private editedIn({ words }: AgentEvent): Word[] {
    return words.filter((word) => this.words.some((one) => isSameText(one, word) && one.content !== word.content));
  }

  /** The hub gave the task again: after a reconnect, or because something came that the task waited for. */
  renew(event: AgentEvent): void {
    for (const word of this.editedIn(event)) this.correct(word);
    this.latest = event;
    this.takeWords(event);
    this.calls.renew(event.lease!);
    const { resolve } = this.renewed;
    this.renewed = Promise.withResolvers<void>();
    resolve();
  }

  keepResult(event: AgentEvent): void {
    this.results.push(event);
    this.hear(event);
  }

  /** The turn that a new connection goes on with. A pausing run has none: the hub will give it the task again. */
  hold(): { taskId: string; lease: number } | undefined {
    return this.currentState === 'working' ? { taskId: this.id, lease: this.calls.currentLease } : undefined;
  }

  /** After a reconnect, the hub says that the lease still counts. */
  keep(): void {
    this.calls.renew(this.calls.currentLease);
  }

  /** Passes an event of the task to the handler. */
  hear(event: AgentEvent): void {
    const kind = event.kind as More['kind'];
    const { messageId } = event;
    const cause = event.signal?.meaning ?? event.cause;
    const authorId = event.author?.id ?? null;
    if (kind === 'approval') this.approvals = event.approvals ?? [];
    const text = kind === 'approval' ? this.approvals.map((approval) => approval.text).join('\n') : (event.content ?? '');
    if (kind === 'follow_up') return this.follow({ messageId: messageId!, authorId, kind, content: text });
    if (kind === 'correction') return this.correct({ messageId: messageId!, authorId, kind: 'follow_up', content: text });
    this.queue.push({ kind, text, messageId, authorId, cause, topic: event.topic });
  }

  private correct({ messageId, authorId, content }: Word): void {
    const index = this.words.findIndex((word) => word.messageId === messageId && word.kind !== 'signal');
    if (index !== -1) this.words[index] = { ...this.words[index]!, content };
    this.queue.push({ kind: 'correction', text: content, messageId, authorId, cause: null, topic: null });
  }

  /** The hub took the task away. After the last word this only tells a handler that still runs. */
  end(reason: ParleyError): void {
    this.moveTo('lost');
    if (!this.signal.aborted) this.abort.abort(reason);
  }

  /** Another run takes the task from this one. */
  handOver(reason: ParleyError): void {
    this.moveTo('handed_over');
    this.end(reason);
  }

  /** The handler has returned, whether the agent has said a last word or not. */
  finish(): void {
    this.moveTo('ended');
  }

  private lose(error: ParleyError): void {
    if (this.isWorking) this.end(error);
  }

  private async speak(
    kind: 'progress' | 'question' | 'answer',
    body: string,
    { conversationId, onSend }: { conversationId?: string | undefined; onSend?: (lease: number) => void } = {},
  ): Promise<Message> {
    const key = this.keyOf(kind, body, conversationId);
    const place = conversationId === undefined ? {} : { conversationId };
    const message = await this.calls.send('say', (lease) => {
      onSend?.(lease);
      return { taskId: this.id, lease, kind, body, key, ...place };
    });
    this.hasActed = true;
    if (!this.words.some(({ messageId }) => messageId === message.id))
      this.words.push({ messageId: message.id, authorId: this.me(), kind: message.task?.kind ?? kind, content: body });
    return message;
  }

  /** Moves the run to a final state once the hub has taken the words. A handler need not wait for that. */
  private lastWord<T>(sent: Promise<T>, onTaken: (result: T) => void = () => this.moveTo('ended')): Promise<T> {
    const done = sent.then((result) => {
      onTaken(result);
      return result;
    });
    this.settled = Promise.allSettled([done]);
    return done;
  }

  private takeWords(event: AgentEvent): void {
    this.approvals = event.approvals ?? [];
    this.words.splice(0, this.words.length, ...event.words);
    for (const word of event.words) if (word.kind === 'follow_up') this.follow(word);
  }

  /** Queues a follow-up once: the hub repeats it in each event that gives the task. */
  private follow(word: Word): void {
    if (this.followUpIds.has(word.messageId)) return;
    this.followUpIds.add(word.messageId);
    if (!this.words.some(({ messageId }) => messageId === word.messageId)) this.words.push(word);
    const { messageId, authorId, content: text } = word;
    this.queue.push({ kind: 'follow_up', text, messageId, authorId, cause: null, topic: null });
  }

  /** `next` does not return the words of an answer as well. Empty when the answer was deleted meanwhile. */
  private takeAnswer(questionId: string): string {
    const answer = answerTo(questionId, this.latest.words);
    for (const { messageId } of answer) this.queue.remove(messageId);
    const signal = answer[0]?.signal;
    if (signal) return signal === 'agree' ? 'yes' : 'no';
    return answer.map(({ content }) => content).join('\n');
  }
}
