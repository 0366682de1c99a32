// Load on a hub that dies under it, by clients that do what the protocol asks of them: a writer repeats what was not
// acked under the same key, a reader resumes from its last cursor. Each writes down what it was promised.

import { formatCursor, parseCursor, type StreamEvent } from '@parley/protocol';
import { WebSocket } from 'ws';
import { Person } from '../hub.ts';
import type { ChildHub } from './child-hub.ts';
import type { Random } from '../trials.ts';

export interface Acked {
  writer: string;
  /** In every version of the text, so that a stored message can be traced to the post it came from. */
  tag: string;
  conversationId: string;
  id: string;
  seq: number;
  /** Texts in the order in which they were acked. */
  texts: string[];
}

export interface StreamRecord {
  type: string;
  cursor: string;
  messageId: string | undefined;
}

/** How a client may break the rules, to show that the harness notices. */
export interface BadHabits {
  /** Retries without an idempotency key. */
  noKeys?: boolean;
  /** Resumes this many facts beside its cursor. */
  resumeOff?: number;
}

export class KillWriter {
  readonly acked: Acked[] = [];
  /** Valid requests that the hub refused. */
  readonly refused: string[] = [];
  private readonly hub: ChildHub;
  private readonly person: Person;
  private readonly channels: string[];
  private readonly random: Random;
  private readonly habits: BadHabits;
  private stopping = false;
  private running: Promise<void> | undefined;
  private posted = 0;

  constructor(hub: ChildHub, person: Person, channels: string[], random: Random, habits: BadHabits = {}) {
    this.hub = hub;
    this.person = person;
    this.channels = channels;
    this.random = random;
    this.habits = habits;
  }

  start(): void {
    this.running = (async () => {
      while (!this.stopping) {
        if (this.acked.length > 0 && this.random.next() < 0.15) await this.edit(this.random.pick(this.acked.slice(-20)));
        else await this.post(this.random.pick(this.channels));
      }
    })();
    // Looked at when it is stopped.
    this.running.catch(() => {});
  }

  /** Resolves when the last thing begun is acked. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  async post(conversationId: string): Promise<void> {
    const tag = `<${this.person.handle}#${this.posted++}>`;
    const text = `${tag} ${'word '.repeat(this.random.int(40))}.`;
    const headers = this.habits.noKeys ? {} : { 'idempotency-key': tag };
    const message = await this.insist(tag, (me) => me.ask('postMessage', { params: { conversationId }, body: { body: text } }, headers));
    if (!message) return;
    this.acked.push({ writer: this.person.handle, tag, conversationId, id: message.id, seq: message.seq, texts: [text] });
  }

  private async edit(message: Acked): Promise<void> {
    const text = `${message.tag} edit ${message.texts.length}`;
    const edited = await this.insist(text, (me) => me.ask('editMessage', { params: { messageId: message.id }, body: { body: text } }));
    if (edited) message.texts.push(text);
  }

  /** Retries until the hub acknowledges, because it may be stopped, stopping or starting. */
  private async insist<B>(what: string, ask: (me: Person) => Promise<{ status: number; body: B }>): Promise<B | undefined> {
    for (;;) {
      const { url } = await this.hub.up();
      const answer = await ask(new Person(url, this.person.token, this.person.id, this.person.handle)).catch(() => undefined);
      if (answer?.status === 200) return answer.body;
      if (answer && answer.status < 500) {
        this.refused.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return undefined;
      }
      // A hub whose database is away answers at once; asking without a breath in between would only keep it busy.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

export class KillReader {
  readonly heard: StreamRecord[] = [];
  readonly from: string;
  private readonly hub: ChildHub;
  private readonly person: Person;
  private readonly habits: BadHabits;
  private cursor: string;
  private socket: WebSocket | undefined;
  private stopped = false;
  private waiting: (() => void)[] = [];

  constructor(hub: ChildHub, person: Person, cursor: string, habits: BadHabits = {}) {
    this.hub = hub;
    this.person = person;
    this.from = cursor;
    this.cursor = cursor;
    this.habits = habits;
  }

  async open(): Promise<void> {
    while (!this.stopped) {
      const { url } = await this.hub.up();
      await this.listen(new URL('/api/v1/socket', url.replace('http', 'ws')));
    }
  }

  /** Resolves when the connection is over. */
  private listen(url: URL): Promise<void> {
    const { epoch, seq } = parseCursor(this.cursor);
    const off = this.cursor === this.from ? 0 : (this.habits.resumeOff ?? 0);
    url.searchParams.set('cursor', formatCursor({ epoch, seq: Math.max(0, seq + off) }));
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${this.person.token}` } });
    this.socket = socket;
    socket.on('message', (data: Buffer) => this.hear(JSON.parse(data.toString()) as StreamEvent));
    socket.on('error', () => {});
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  private hear(event: StreamEvent): void {
    if (!('cursor' in event)) return;
    this.cursor = event.cursor;
    if (event.type === 'ready') return;
    const data = 'data' in event ? (event.data as { message?: { id: string } }) : undefined;
    this.heard.push({ type: event.type, cursor: event.cursor, messageId: data?.message?.id });
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** Waits until this message was heard of. */
  async hears(messageId: string): Promise<void> {
    while (!this.heard.some((fact) => fact.messageId === messageId)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.stopped = true;
    this.socket?.terminate();
  }
}
