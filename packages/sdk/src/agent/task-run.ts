// One run of a handler: from the event that brought the task to the task's end, over any number of turns. A question
// ends a turn and its answer begins the next one; the handler only sees that `ask` took a while.
//
// A run outlives connections and hubs, not its own process. In a new process the handler is run again from its top:
// what it says is answered with what was said (see request-keys.ts), what it asks with the answer that was given, and `next`
// brings again what was brought before.

import { ParleyError } from '@parley/protocol';
import type { AgentEvent, AnsweredApproval, ContactOutcome, Message, Signal } from '@parley/protocol';
import { DraftQueue } from './drafts.ts';
import { RequestKeys } from './request-keys.ts';
import { TaskCalls, type HubMethods } from './task-calls.ts';
import type { AgentTask, ContactRequest, More, Word } from './task.ts';

const closing: ReadonlySet<Signal> = new Set(['agree', 'done', 'declined']);
const waiting: ReadonlySet<Signal> = new Set(['blocked', 'unclear']);

/** A signal is no text: it bears the id of what it is on. */
const isSameText = (a: Word, b: Word): boolean => a.messageId === b.messageId && a.kind !== 'signal' && b.kind !== 'signal';

export class TaskRun implements AgentTask {
  readonly id: string;
  readonly event: AgentEvent;
  readonly signal: AbortSignal;
  readonly words: Word[] = [];
  /** Events that are safe with us only when the task has ended. */
  readonly results: AgentEvent[] = [];
  /** The agent has said its last word in it. */
  over = false;
  /** Resolves when what it said as its last word has arrived, or was refused. */
  settled: Promise<unknown> = Promise.resolve();
  /** But more had been said than that could be about: the task is given again, for another run. */
  goesOn = false;
  /** The event that gives it again, when that came before the hub's word that it would. */
  givenAgain: AgentEvent | undefined;
  private readonly abort = new AbortController();
  private readonly keys: RequestKeys;
  private readonly line: TaskCalls;
  private readonly drafts: DraftQueue;
  private readonly me: () => string;
  /** The words of the last `task` event: when a question is among them, so is its answer. */
  private told: readonly Word[] = [];
  /** The last event that gave it. */
  private given: AgentEvent;
  private answered: readonly AnsweredApproval[] = [];
  private saidUnder = 0;
  /** Something of it has arrived: it goes on, whatever is edited. */
  private spoken = false;
  private readonly heard = new Set<string>();
  private readonly more: More[] = [];
  private waiting: { fits: (more: More) => boolean; resolve: (more: More) => void }[] = [];
  private pausing = false;
  private turn = Promise.withResolvers<void>();

  constructor(event: AgentEvent, hub: HubMethods, me: () => string) {
    this.id = event.task.id;
    this.event = event;
    this.signal = this.abort.signal;
    this.keys = new RequestKeys(this.id, event.lease!);
    // Said after its own last word: that is the handler's mistake, and nothing was lost.
    this.line = new TaskCalls(hub, event.lease!, this.signal, (error) => this.over || this.end(error));
    const show = (text: string) => this.line.once('draft', (lease) => ({ taskId: this.id, lease, text }));
    this.drafts = new DraftQueue(show, () => !this.isWorking, hub.clock);
    this.me = me;
    this.given = event;
    this.tellWords(event);
  }

  get text(): string {
    // Somebody who wrote in pieces asked with all of them; what interrupts is not what was asked.
    const pieces = this.event.words.filter(({ kind }) => kind === 'request');
    return pieces.length > 1 || this.event.kind === 'follow_up'
      ? pieces.map(({ content }) => content).join('\n')
      : (this.event.content ?? '');
  }

  get approvals(): readonly AnsweredApproval[] {
    return this.answered;
  }

  say(text: string, { conversationId }: { conversationId?: string } = {}): Promise<Message> {
    return this.speak('progress', text, conversationId);
  }

  async ask(text: string): Promise<string> {
    const question = await this.speak('question', text);
    for (;;) {
      const at = this.told.findIndex(({ messageId }) => messageId === question.id);
      if (at !== -1) return this.answerAfter(at);
      await this.line.unlessOver(this.turn.promise);
    }
  }

  answer(text: string): Promise<Message> {
    return this.lastWord(this.speak('answer', text), (message) => {
      this.goesOn = message.task?.kind === 'progress';
      const since = this.given.lease! > this.saidUnder || this.told.some(({ messageId }) => messageId === message.id);
      if (this.goesOn && since) this.givenAgain = this.given;
    });
  }

  async decline(reason: string, outcome: 'declined' | 'blocked' = 'declined'): Promise<void> {
    // The hub keeps no key for it; a repeat that finds the task over has arrived before.
    const sent = this.line.send(
      'decline',
      (lease) => ({ taskId: this.id, lease, outcome, reason }),
      () => this.event.task,
    );
    await this.lastWord(sent);
  }

  async react(signal: Signal): Promise<void> {
    const { messageId } = this.event;
    let under = 0;
    const sent = this.line.send(
      'signal',
      (lease) => ({ messageId: messageId!, signal, lease: (under = lease) }),
      () => ({}),
    );
    if (closing.has(signal)) await this.lastWord(sent);
    else if (waiting.has(signal)) {
      await this.lastWord(sent, () => {
        this.goesOn = true;
        // Answered before we knew that it waits.
        if (this.given.lease! > under) this.givenAgain = this.given;
      });
    } else await sent;
  }

  draft(text: string): void {
    this.drafts.show(text);
  }

  next(...kinds: More['kind'][]): Promise<More> {
    // A refusal of its own words is the platform's notice: a handler that answered whatever comes would never stop (C2A-18).
    const fits = ({ kind }: More) => (kinds.length === 0 ? kind !== 'flagged' : kinds.includes(kind));
    const at = this.more.findIndex(fits);
    if (at !== -1) return Promise.resolve(this.more.splice(at, 1)[0]!);
    return this.line.unlessOver(new Promise<More>((resolve) => this.waiting.push({ fits, resolve })));
  }

  async pause(): Promise<void> {
    const { promise } = this.turn;
    this.pausing = true;
    try {
      await this.paused(promise);
    } finally {
      this.pausing = false;
    }
  }

  private async paused(turn: Promise<void>): Promise<void> {
    try {
      await this.line.once('pause', (lease) => ({ taskId: this.id, lease }));
    } catch (error) {
      this.signal.throwIfAborted();
      // The awaited result has come already.
      if (error instanceof ParleyError && error.code === 'task_not_active') return;
      // Lost with the connection: paused or not, the hub gives the task again, now or when something has come.
      if (error instanceof ParleyError && error.code !== 'stale_lease') throw error;
    }
    await this.line.unlessOver(turn);
  }

  async contact({ action, agentId, message, context, priority }: ContactRequest): Promise<ContactOutcome> {
    const key = this.keys.next('contact', JSON.stringify([action, message, context, priority]), agentId);
    const given = {
      ...(context === undefined ? {} : { context }),
      ...(priority === undefined ? {} : { priority }),
    };
    const outcome = await this.line.beside('contact', (lease) => ({ taskId: this.id, lease, action, agentId, message, key, ...given }));
    this.spoken = true;
    return outcome;
  }

  async agents() {
    return (await this.line.read('read.agents', { taskId: this.id })).agents;
  }

  history(options: { conversationId?: string; before?: number; limit?: number } = {}) {
    return this.line.read('read.history', { taskId: this.id, ...options });
  }

  mailbox(options: { conversationId?: string; after?: number; limit?: number } = {}) {
    return this.line.read('read.mailbox', { taskId: this.id, ...options });
  }

  message(messageId: string) {
    return this.line.read('read.message', { taskId: this.id, messageId });
  }

  prompt() {
    return this.line.read('read.prompt', { taskId: this.id });
  }

  async tools() {
    return (await this.line.send('tools', (lease) => ({ taskId: this.id, lease }))).tools;
  }

  async tool(name: string, input: Record<string, unknown> = {}) {
    const key = this.keys.next(`tool ${name}`, JSON.stringify(input));
    // Once it may have done something, the handler is not simply begun again.
    this.spoken = true;
    return this.line.alongside('tool', (lease) => ({ taskId: this.id, lease, name, input, key }));
  }

  search(text: string, options: { limit?: number } = {}) {
    return this.line.read('read.search', { taskId: this.id, q: text, ...options });
  }

  /** It came with a lease of its own, and the one this run has is worth nothing any more. */
  isReplacedBy({ lease }: AgentEvent): boolean {
    return lease !== null && lease > this.given.lease!;
  }

  /** What was asked reads otherwise now, or goes on, and nobody has heard anything of this run: another begins, with the new text. */
  isOutdatedBy(event: AgentEvent): boolean {
    const asked = ({ words }: { words: readonly Word[] }): number => words.filter(({ kind }) => kind === 'request').length;
    return !this.spoken && (this.editedIn(event).length > 0 || asked(event) > asked(this));
  }

  private editedIn({ words }: AgentEvent): Word[] {
    return words.filter((word) => this.words.some((one) => isSameText(one, word) && one.content !== word.content));
  }

  /** The task was given again: after a reconnect, or because what it waited for has come. */
  renew(event: AgentEvent): void {
    for (const word of this.editedIn(event)) this.correct(word);
    this.given = event;
    this.tellWords(event);
    this.line.renew(event.lease!);
    const { resolve } = this.turn;
    this.turn = Promise.withResolvers<void>();
    resolve();
  }

  /** It has neither said its last word nor lost the task. */
  get isWorking(): boolean {
    return !this.over && !this.signal.aborted;
  }

  keepResult(event: AgentEvent): void {
    this.results.push(event);
    this.hear(event);
  }

  /** What it still works on, and would go on with over another connection. Not where it waits to be given the task again. */
  hold(): { taskId: string; lease: number } | undefined {
    return this.isWorking && !this.pausing ? { taskId: this.id, lease: this.line.held } : undefined;
  }

  /** The hub has come back, and has taken nothing from it. */
  keep(): void {
    this.line.renew(this.line.held);
  }

  /** Something happened in it. */
  hear(event: AgentEvent): void {
    const kind = event.kind as More['kind'];
    const { messageId } = event;
    const cause = event.signal?.meaning ?? event.cause;
    const authorId = event.author?.id ?? null;
    if (kind === 'approval') this.answered = event.approvals ?? [];
    const text = kind === 'approval' ? this.answered.map((one) => one.text).join('\n') : (event.content ?? '');
    if (kind === 'follow_up') return this.follow({ messageId: messageId!, authorId, kind, content: text });
    if (kind === 'correction') return this.correct({ messageId: messageId!, authorId, kind: 'follow_up', content: text });
    this.bring({ kind, text, messageId, authorId, cause, topic: event.topic });
  }

  /** Something said in it was edited. */
  private correct({ messageId, authorId, content }: Word): void {
    const at = this.words.findIndex((word) => word.messageId === messageId && word.kind !== 'signal');
    if (at !== -1) this.words[at] = { ...this.words[at]!, content };
    this.bring({ kind: 'correction', text: content, messageId, authorId, cause: null, topic: null });
  }

  end(reason: ParleyError): void {
    if (!this.signal.aborted) this.abort.abort(reason);
  }

  private async speak(kind: 'progress' | 'question' | 'answer', body: string, conversationId?: string): Promise<Message> {
    const key = this.keys.next(kind, body, conversationId);
    const place = conversationId === undefined ? {} : { conversationId };
    const message = await this.line.send('say', (lease) => {
      this.saidUnder = lease;
      return { taskId: this.id, lease, kind, body, key, ...place };
    });
    this.spoken = true;
    if (!this.words.some(({ messageId }) => messageId === message.id))
      this.words.push({ messageId: message.id, authorId: this.me(), kind: message.task?.kind ?? kind, content: body });
    return message;
  }

  /** A handler need not wait for it. */
  private lastWord<T>(sent: Promise<T>, arrived: (result: T) => void = () => {}): Promise<T> {
    const done = sent.then((result) => {
      this.over = true;
      arrived(result);
      return result;
    });
    this.settled = Promise.allSettled([done]);
    return done;
  }

  private tellWords(event: AgentEvent): void {
    this.answered = event.approvals ?? [];
    this.told = event.words;
    this.words.splice(0, this.words.length, ...event.words);
    for (const word of event.words) if (word.kind === 'follow_up') this.follow(word);
  }

  private follow(word: Word): void {
    if (this.heard.has(word.messageId)) return;
    this.heard.add(word.messageId);
    if (!this.words.some(({ messageId }) => messageId === word.messageId)) this.words.push(word);
    this.bring({ kind: 'follow_up', text: word.content, messageId: word.messageId, authorId: word.authorId, cause: null, topic: null });
  }

  private bring(more: More): void {
    const waiter = this.waiting.find(({ fits }) => fits(more));
    this.waiting = this.waiting.filter((one) => one !== waiter);
    if (waiter) waiter.resolve(more);
    else this.more.push(more);
  }

  /** What answers a question is not brought by `next` as well. Empty when it was deleted meanwhile. */
  private answerAfter(question: number): string {
    const asked = this.told[question]!.messageId;
    const after = this.told.slice(question + 1);
    const isAnswer = ({ kind, messageId, signal }: Word): boolean =>
      kind === 'follow_up' || (messageId === asked && (signal === 'agree' || signal === 'declined'));
    const first = after.findIndex(isAnswer);
    if (first === -1) return '';
    // It may have been written in pieces.
    const end = after.findIndex(({ kind }, n) => n > first && kind !== 'follow_up');
    const pieces = after.slice(first, end === -1 ? undefined : end);
    for (const piece of pieces) {
      const at = this.more.findIndex(({ messageId }) => messageId === piece.messageId);
      if (at !== -1) this.more.splice(at, 1);
    }
    const { signal } = after[first]!;
    if (signal) return signal === 'agree' ? 'yes' : 'no';
    return pieces.map(({ content }) => content).join('\n');
  }
}
