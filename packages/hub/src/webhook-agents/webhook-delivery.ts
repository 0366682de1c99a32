// The line to one agent's webhook. It carries the same facts as a socket, under the same cursor: a delivery is repeated
// until it is taken, in order within a task, and after a restart from the last one that was.

import { type AgentEvent, backoffMs, ParleyError, WebhookAnswer, wholeJson } from '@parley/protocol';
import { type CommandOf, platform } from '../engine/command.ts';
import type { HeldTask } from '../tools/tool-caller.ts';
import type { PlacedFact } from '../store/port.ts';
import { eventOf, toldTypes } from '../doors/agent-socket/events.ts';
import { post } from '../outbound/signed-post.ts';
import { pause } from '../waiting.ts';
import type { WebhookDoor } from './webhook-agents.ts';

export interface Target {
  url: string;
  /** The name of the secret. */
  secret: string;
}

/** So many in a row that came to nothing, and the agent counts as offline until its endpoint answers again. */
const failuresUntilOffline = 5;
const timeoutMs = 60_000;
const page = 200;
/** Further deliveries stay in the database until there is room. */
const mostOpen = 500;
/** 1.5 s, 3 s, 6 s … 5 min. */
const backoff = { firstMs: 1500, maxMs: 300_000 };

export class WebhookDelivery {
  readonly agentId: string;
  readonly target: Target;
  private readonly door: WebhookDoor;
  private readonly ended = new AbortController();
  /** While its endpoint answers. */
  private session: number | undefined;
  private failures = 0;
  /** The failure of the last attempt; undefined if it succeeded. */
  failure: string | undefined;
  /** While the backlog is read; newer facts are read then, too. */
  private reading: Promise<void> | undefined;
  private cameMeanwhile = false;
  private highest = 0;
  private acked = 0;
  /** Under way, by their place in the stream. */
  private readonly open = new Set<number>();
  /** The last delivery of each task. */
  private readonly last = new Map<string, Promise<void>>();

  constructor(door: WebhookDoor, agentId: string, target: Target) {
    this.door = door;
    this.agentId = agentId;
    this.target = target;
    void this.knock();
  }

  isUp(): boolean {
    return this.session !== undefined;
  }

  close(): void {
    this.ended.abort();
  }

  /** Retries until the agent answers; no delivery starts before that. */
  private async knock(): Promise<void> {
    for (let tries = 1; !this.ended.signal.aborted; tries++) {
      try {
        await this.door.posts.run(this.agentId, () => this.send(`ping:${this.door.hub.clock.now()}`, { kind: 'ping' }));
        const { agent } = await this.door.hub.engine.submit({ type: 'agent.answers', by: platform, agentId: this.agentId, answers: true });
        this.succeed();
        this.highest = this.acked = agent.acked;
        this.session = agent.session;
        this.follow();
        return;
      } catch (error) {
        this.failure = wordsOf(error);
        // Told once for each time it goes away, or a dead endpoint would fill the log.
        if (tries === 1 && !this.ended.signal.aborted) this.door.onError(error);
        this.lose();
        await this.wait(backoffMs(backoff, tries - 1));
      }
    }
  }

  private succeed(): void {
    this.failures = 0;
    this.failure = undefined;
  }

  /** Deliveries under way belong to nobody any more; the next session repeats those that were not taken. */
  private lose(): void {
    this.session = undefined;
    this.open.clear();
  }

  private follow(): void {
    const { session } = this;
    const before = this.reading ?? Promise.resolve();
    const ownFacts = before
      .then(() => this.read(session))
      .catch((error: unknown) => this.readLater(error, session))
      .finally(() => {
        if (this.reading !== ownFacts) return;
        this.reading = undefined;
        // Heard after the last look: the next fact would raise `highest` past it.
        if (this.cameMeanwhile && this.isUp() && session === this.session && !this.ended.signal.aborted) this.follow();
      });
    this.reading = ownFacts;
  }

  private async read(session: number | undefined): Promise<void> {
    for (let hasMore = true; hasMore;) {
      while (this.open.size >= mostOpen && session === this.session && !this.ended.signal.aborted) await Promise.race(this.last.values());
      if (session !== this.session || this.ended.signal.aborted) return;
      this.cameMeanwhile = false;
      const { rows, damaged } = await this.door.hub.store.intact(
        'facts',
        { member_id: this.agentId, seq: { '>': this.highest }, type: toldTypes },
        { order: 'seq', limit: page },
      );
      for (const error of damaged) this.door.onError(error);
      if (session !== this.session) return;
      for (const fact of rows) this.begin(fact);
      hasMore = rows.length > 0 && rows.length + damaged.length === page;
    }
  }

  /** The database is away: nothing was taken out of it. */
  private async readLater(error: unknown, session: number | undefined): Promise<void> {
    this.door.onError(error);
    await this.wait(backoffMs(backoff, 0));
    if (session === this.session && !this.ended.signal.aborted) this.follow();
  }

  hear(fact: PlacedFact): void {
    if (this.reading) this.cameMeanwhile = true;
    else if (this.open.size >= mostOpen) this.follow();
    else this.begin(fact);
  }

  private begin(fact: PlacedFact): void {
    if (!this.isUp() || fact.seq <= this.highest || this.ended.signal.aborted) return;
    this.highest = fact.seq;
    this.open.add(fact.seq);
    const about = fact.subject_id ?? '';
    const before = this.last.get(about) ?? Promise.resolve();
    const ownFacts = before
      .then(() => this.deliver(fact))
      .catch((error: unknown) => this.door.onError(error))
      .finally(() => {
        if (this.last.get(about) === ownFacts) this.last.delete(about);
      });
    this.last.set(about, ownFacts);
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.reading || this.last.size > 0) await Promise.all([this.reading, ...this.last.values()]);
  }

  private async deliver(fact: PlacedFact): Promise<void> {
    const { session } = this;
    for (;;) {
      // The line was lost meanwhile, and its successor begins with what was not taken.
      if (session === undefined || session !== this.session || this.ended.signal.aborted) return;
      try {
        const takenDelivery = await this.door.posts.run(this.agentId, () => this.offer(fact, session));
        if (takenDelivery) await this.take(takenDelivery.event, takenDelivery.text);
        break;
      } catch (error) {
        if (this.ended.signal.aborted) return;
        if (await this.failed(error, session)) return;
        await this.wait(backoffMs(backoff, this.failures - 1));
      }
    }
    if (session !== this.session || this.ended.signal.aborted) return;
    this.open.delete(fact.seq);
    await this.acknowledge(session);
  }

  /** Looked up at each attempt, when there is room for it: what was deleted or overtaken is not told any more. */
  private async offer(fact: PlacedFact, session: number): Promise<{ event: AgentEvent; text: string } | undefined> {
    if (session !== this.session || this.ended.signal.aborted) return undefined;
    const event = (await eventOf(this.door.hub.store, this.agentId, fact)) as AgentEvent | undefined;
    return event && { event, text: await this.send(event.eventId, event) };
  }

  /** True: it is given up for now. */
  private async failed(error: unknown, session: number): Promise<boolean> {
    if (session !== this.session) return true;
    this.failure = wordsOf(error);
    if (++this.failures === 1) this.door.onError(error);
    if (this.failures < failuresUntilOffline) return false;
    this.lose();
    try {
      await this.door.hub.engine.submit({ type: 'agent.answers', by: platform, agentId: this.agentId, answers: false });
    } catch (away) {
      this.door.onError(away);
    }
    void this.knock();
    return true;
  }

  /** Everything before the first that is still under way is safe with the agent. */
  private async acknowledge(session: number): Promise<void> {
    const cursor = this.open.size === 0 ? this.highest : Math.min(...this.open) - 1;
    if (cursor <= this.acked) return;
    this.acked = cursor;
    await this.door.hub.engine.submit({ type: 'agent.ack', by: platform, agentId: this.agentId, session, cursor });
  }

  private async take(event: AgentEvent, text: string): Promise<void> {
    const deliveryId = event.eventId;
    this.succeed();
    if (text.trim() === '' || event.lease === null || event.task === null) return;
    const at = { by: platform, taskId: event.task.id, lease: event.lease, agentId: this.agentId } satisfies HeldTask;
    const answer = answerIn(text);
    if (!answer) {
      this.door.onError(new Error(unreadable));
      return this.fail(at, unreadable);
    }
    const { say, answer: last, question, decline } = answer;
    const words = [['progress', say] as const, ['answer', last] as const, ['question', question] as const];
    const lastWord = words.find(([, body]) => body !== undefined);
    if (lastWord)
      await this.bring({ type: 'task.say', ...at, key: `${deliveryId}:${lastWord[0]}`, kind: lastWord[0], body: lastWord[1]! }, at);
    if (decline !== undefined) await this.bring({ type: 'task.decline', ...at, outcome: 'declined', reason: decline }, at);
  }

  /** The agent has answered, so a failure to post the answer must not ask it again. */
  private async bring(words: CommandOf<'task.say' | 'task.decline'>, at: HeldTask): Promise<void> {
    for (let tries = 1; !this.ended.signal.aborted; tries++) {
      try {
        await this.door.hub.engine.submit(words);
        return;
      } catch (error) {
        if (!(error instanceof ParleyError)) throw error;
        if (!error.shouldRetry()) {
          if (error.code !== 'task_not_active') await this.fail(at);
          return;
        }
        await this.wait(backoffMs(backoff, tries - 1));
      }
    }
  }

  /** The requester would wait for nothing. Ended, stopped or taken over meanwhile, the task is not the agent's to fail. */
  private async fail(at: HeldTask, reason?: string): Promise<void> {
    try {
      await this.door.hub.engine.submit({ type: 'task.fail', ...at, reason });
    } catch (error) {
      if (!(error instanceof ParleyError) || error.shouldRetry()) throw error;
    }
  }

  private async send(deliveryId: string, event: object): Promise<string> {
    const { clock } = this.door.hub;
    const secret = await this.door.keys.keyFor(this.target.secret, new URL(this.target.url).host);
    if (secret === undefined) throw new Error(`The secret ${this.target.secret} of a webhook is not set`);
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort(new Error('The webhook did not answer in time')));
    try {
      return await post({
        url: this.target.url,
        secret,
        deliveryId,
        body: JSON.stringify({ deliveryId, event }),
        now: clock.now(),
        signal: AbortSignal.any([timeout.signal, this.ended.signal]),
        allowPrivate: this.door.allowPrivate,
      });
    } finally {
      cancel();
    }
  }

  /** Waits this long, or until the delivery stops. */
  private wait(ms: number): Promise<void> {
    return pause(this.door.hub.clock, ms, this.ended.signal).catch(() => {});
  }
}

/** For an address with several hosts, Node gives only a code and no message. */
const wordsOf = (error: unknown): string => (error as Error).message || String((error as NodeJS.ErrnoException).code);

const unreadable = 'The webhook’s answer is not JSON of the form { say | answer | question | decline }';

function answerIn(text: string): WebhookAnswer | undefined {
  try {
    return WebhookAnswer.parse(wholeJson(text));
  } catch {
    return undefined;
  }
}
