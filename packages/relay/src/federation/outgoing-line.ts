// The line to one other relay, kept over every failure: what waits for its users goes out in order, again and again until it is taken
// or refused.

import { randomBytes } from 'node:crypto';
import { backoffDelay, type Backoff } from '@parley/protocol';
import { toBase64Url } from '@parley/protocol/relay';
import { QueueDelivery } from '../queue-delivery.ts';
import type { Relay } from '../relay.ts';
import type { QueuedFrame } from '../store/port.ts';
import type { Federation } from './federation.ts';
import { OpenedLine } from './opened-line.ts';
import { RelayUnreachable } from './problems.ts';

const idleMs = 300_000;
/** One process carries the frames of a line. The others look again after this time. */
const elsewhereMs = 5000;
/** A line without an answer for so many sweeps is opened again, and what waited too long is given up. */
const mostSilentSweeps = 4;

/** Takes the place of a recipient in the queue. */
export const lineTo = (name: string): string => `relay:${name}`;
export const isLine = (to: string): boolean => to.startsWith('relay:');
export const relayOfLine = (line: string): string => line.slice('relay:'.length);

export class OutgoingLine {
  readonly name: string;
  private readonly federation: Federation;
  private readonly relay: Relay;
  private readonly backoff: Backoff;
  private opened: OpenedLine | undefined;
  private opening: Promise<OpenedLine> | undefined;
  private queue: QueueDelivery | undefined;
  private endFollowing: (() => void) | undefined;
  /** A frame is given up once, also where sweeps overlap. */
  private givingUp: Promise<void> | undefined;
  private failures = 0;
  private failure: Error | undefined;
  private pause: NodeJS.Timeout | undefined;
  private usedAt = 0;
  private carriedElsewhereUntil = 0;
  private silentSweeps = 0;
  private isClosed = false;

  constructor(federation: Federation, relay: Relay, name: string, backoff: Backoff) {
    this.federation = federation;
    this.relay = relay;
    this.name = name;
    this.backoff = backoff;
  }

  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  /** Nothing waits, and no failure is remembered. */
  get isUnused(): boolean {
    return !this.opened && !this.opening && !this.pause && !this.hasFrames();
  }

  /** A frame for it was stored just now. */
  offer(frame: QueuedFrame): void {
    this.usedAt = this.relay.now();
    if (this.relay.store.others) return void (this.queue ?? this.carryUnlessElsewhere());
    if (this.queue) this.queue.offer(frame);
    else this.wake();
  }

  /** Opens the line where something waits for it. */
  wake(): void {
    if (this.isClosed || this.opened || this.pause || !this.hasFrames()) return;
    // `failed` has noted why.
    this.open().catch(() => {});
  }

  /** Throws why the line cannot be opened. */
  open(): Promise<OpenedLine> {
    this.usedAt = this.relay.now();
    if (this.opened) return Promise.resolve(this.opened);
    if (this.pause) return Promise.reject(this.failure!);
    this.opening ??= this.connect()
      .catch((error: Error) => {
        this.failed(error);
        throw error;
      })
      .finally(() => (this.opening = undefined));
    return this.opening;
  }

  /** Called every 30 s. */
  async sweep(): Promise<void> {
    this.opened?.beat();
    this.silentSweeps = this.queue?.isUnanswered ? this.silentSweeps + 1 : 0;
    if (this.silentSweeps > mostSilentSweeps) this.opened?.hangUp('it does not answer');
    if (this.hasFrames()) {
      this.usedAt = this.relay.now();
      if (!this.opened) await (this.givingUp ??= this.giveUpOld().finally(() => (this.givingUp = undefined)));
      this.carryUnlessElsewhere();
      if (this.relay.store.others) this.queue?.recheck();
    } else if (this.opened && this.relay.now() - this.usedAt > idleMs) this.opened.close();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.pause);
    this.opened?.close();
    this.queue?.close();
    this.endFollowing?.();
  }

  hangUp(why: string): void {
    this.opened?.hangUp(why);
  }

  private hasFrames = (): boolean => this.relay.hasWaiting(lineTo(this.name));

  private async connect(): Promise<OpenedLine> {
    const { network } = this.federation;
    // Frames may have waited since before the operator denied it.
    this.federation.mustAllow(this.name);
    const document = await network.documentOf(this.name);
    const opened = new OpenedLine(this.name, network.openSocket(this.name, document.url));
    const { name, key } = this.relay;
    try {
      const nonce = toBase64Url(randomBytes(32));
      await opened.logIn({ name, key, nonce }, (shown) => this.federation.trust(this.name, shown, document.key));
      if (this.isClosed) throw new RelayUnreachable(this.name, 'this relay is shutting down');
    } catch (error) {
      opened.close();
      throw error;
    }
    this.opened = opened;
    opened.begin({
      onTaken: (through) => this.taken(through),
      onRefused: (number, code, message) => this.refused(number, code, message),
      onClosed: (reason) => this.closed(opened, reason),
    });
    await this.carry();
    return opened;
  }

  /** Over several processes, a line without frames of its own still carries lookups. */
  private carryUnlessElsewhere(): void {
    const { others } = this.relay.store;
    if (this.isClosed || this.queue || this.pause || this.opening) return;
    if (!others) return this.wake();
    if (this.relay.now() < this.carriedElsewhereUntil) return;
    this.carriedElsewhereUntil = this.relay.now() + elsewhereMs;
    others
      .isFollowed(lineTo(this.name))
      .then((isElsewhere) => {
        if (isElsewhere || this.isClosed) return undefined;
        return this.opened ? this.carry() : this.wake();
      })
      .catch(this.noteFailure);
  }

  private async carry(): Promise<void> {
    const { relay, opened } = this;
    const line = lineTo(this.name);
    if (!opened || this.queue || (await relay.store.others?.isFollowed(line))) return;
    // Frames that an earlier line delivered are not sent again.
    await relay.intake.drain();
    if (this.opened !== opened || this.queue) return;
    const queue = new QueueDelivery(line, relay.store, [], {
      send: ({ frame }) => opened.send(frame),
      dropsFrom: () => false,
      drop: () => {},
      onFailure: this.noteFailure,
    });
    this.queue = queue;
    this.endFollowing = relay.store.others?.follow(line, (frame, before) => queue.offer(frame, before));
    await queue.pump();
  }

  private readonly noteFailure = (error: unknown): void =>
    this.relay.log.error({ err: error, relay: this.name }, 'Frames for another relay could not be read');

  private taken(through: number): void {
    const gone = this.queue?.acknowledge(through) ?? [];
    this.failures = 0;
    if (gone.length === 0) return;
    this.silentSweeps = 0;
    this.relay.counts.forwarded += gone.length;
    this.relay.intake.acknowledge(gone);
  }

  /** Everything before it was taken. */
  private refused(number: number, code: string, message: string): void {
    this.taken(number - 1);
    for (const frame of this.queue?.acknowledge(number) ?? []) {
      this.silentSweeps = 0;
      void this.federation.giveUp(frame, code, `The relay ${this.name} refused it: ${message}`);
    }
  }

  private closed(opened: OpenedLine, reason: string): void {
    if (this.opened !== opened) return;
    this.opened = undefined;
    this.queue?.close();
    this.queue = undefined;
    this.endFollowing?.();
    this.endFollowing = undefined;
    if (!this.isClosed && this.hasFrames()) this.failed(new RelayUnreachable(this.name, reason));
  }

  private failed(error: Error): void {
    this.failure = error;
    if (this.isClosed) return;
    this.federation.noteFailure(this.name, error);
    const ms = backoffDelay(this.failures, Math.random, this.backoff);
    this.failures += 1;
    this.pause = setTimeout(() => {
      this.pause = undefined;
      this.wake();
    }, ms);
    this.pause.unref();
  }

  /** Senders of frames that waited too long are notified. */
  private async giveUpOld(): Promise<void> {
    const { waitMs } = this.federation.settings;
    await this.relay.intake.drain();
    const page = await this.relay.store.waiting(lineTo(this.name), 0, { only: false, among: [] }, 64);
    const old = page.filter(({ storedAt }) => storedAt < this.relay.now() - waitMs);
    const why = this.failure?.message ?? `The relay ${this.name} cannot be reached.`;
    for (const frame of old) await this.federation.giveUp(frame, 'relay_unreachable', `It waited ${waitMs / 3_600_000} h. ${why}`);
    await this.relay.intake.drain();
  }
}
