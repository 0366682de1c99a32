// One socket: hello, challenge, login or registration, then frames and requests. Everything before the login is answered with a
// challenge or a refusal, and nothing else.

import type { Duplex } from 'node:stream';
import {
  ClientMessage,
  type DeviceEpoch,
  FrameError,
  type FrameHeader,
  mostControlBytes,
  relayCloses,
  type RelayMessage,
  type RelayRefusal,
  relayRefusals,
} from '@parley/protocol/relay';
import type { RawData, WebSocket } from 'ws';
import { AnswerOrder } from './answer-order.ts';
import { answerRequest } from './requests.ts';
import { authenticate, challengeFor, type Challenged } from './authentication.ts';
import { checkFrame } from './frame-check.ts';
import { Refusal, type RefusalDetails, storeRefusals } from './refusal.ts';
import { QueueDelivery } from './queue-delivery.ts';
import type { Relay } from './relay.ts';
import type { PublicKey } from './signatures.ts';
import type { IntakeAnswer } from './intake.ts';
import type { QueuedFrame } from './store/port.ts';

const loginMs = 10_000;
/** A client that reads nothing is cut off; its queue stays. */
const mostUnsentBytes = 8 * 1024 * 1024;
/** Somebody who sends nothing that fits is not worth the answers. */
const pauseMs = 250;
const mostRefusals = 100;
/** A client that sends faster than signatures are verified is not read from meanwhile. */
const mostUnverified = 256;
const mostGreetings = 10;

export class Connection {
  address: string | undefined;
  epoch: DeviceEpoch | undefined;
  private key: PublicKey | undefined;
  private queue: QueueDelivery | undefined;
  private challenged: Challenged | undefined;
  private readonly relay: Relay;
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private isCorked = false;
  private readonly answers = new AnswerOrder();
  private requests: Promise<void> = Promise.resolve();
  /** Signatures are verified beside each other, and frames stored in the order they came. */
  private readonly frames = new AnswerOrder();
  private unverified = 0;
  private onVerified: (() => void)[] = [];
  private waiting = 0;
  private refusals = 0;
  private greetings = 0;
  private alive = true;
  private closing: Promise<void> | undefined;
  private deadline: NodeJS.Timeout | undefined;

  /** `stream`: what the socket writes to. */
  constructor(relay: Relay, socket: WebSocket, stream: Duplex) {
    this.relay = relay;
    this.socket = socket;
    this.stream = stream;
    this.deadline = setTimeout(() => void this.close(relayCloses.unauthenticated, 'No login within 10 s'), loginMs);
    socket.on('message', (data: RawData, isBinary: boolean) => this.receive(data as Buffer, isBinary));
    socket.on('pong', () => (this.alive = true));
    // The socket closes by itself after an error; its reason names no content.
    socket.on('error', (error: Error) => relay.log.debug({ code: (error as NodeJS.ErrnoException).code }, 'A socket failed'));
  }

  offer(frame: QueuedFrame, before?: number): void {
    this.queue?.offer(frame, before);
  }

  recheck(): void {
    this.queue?.recheck();
  }

  /** Called every 30 s. A client that did not answer the last ping is gone. */
  beat(): void {
    if (!this.alive) return this.socket.terminate();
    this.alive = false;
    this.socket.ping();
  }

  displace(epoch: DeviceEpoch): void {
    this.send({ type: 'displaced', epoch });
    this.lockOut(relayCloses.displaced, 'Another device connected');
  }

  dismiss(reason: string): void {
    this.lockOut(relayCloses.unauthenticated, reason);
  }

  /** Nothing more is delivered or accepted, also if the client is slow to close. */
  private lockOut(code: number, reason: string): void {
    this.queue?.close();
    this.queue = undefined;
    this.key = undefined;
    void this.close(code, reason);
  }

  end(): void {
    clearTimeout(this.deadline);
    this.queue?.close();
  }

  close(code: number, reason: string): Promise<void> {
    return (this.closing ??= this.closeOnce(code, reason));
  }

  private closeOnce(code: number, reason: string): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return Promise.resolve();
    if (this.relay.draining) this.send({ type: 'draining' });
    this.socket.close(code, reason);
    return new Promise((resolve) => {
      const cut = setTimeout(() => this.socket.terminate(), 1000);
      this.socket.once('close', () => {
        clearTimeout(cut);
        resolve();
      });
    });
  }

  private send(message: RelayMessage): void {
    this.write(JSON.stringify(message));
  }

  private write(data: string | Uint8Array): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.cork();
    this.socket.send(data);
    if (this.socket.bufferedAmount > mostUnsentBytes) void this.close(relayCloses.slow, 'The client reads too slowly');
  }

  /** Messages of one turn leave in one system call. */
  private cork(): void {
    if (this.isCorked) return;
    this.isCorked = true;
    this.stream.cork();
    process.nextTick(() => {
      this.isCorked = false;
      this.stream.uncork();
    });
  }

  private refuse(code: RelayRefusal, message: string, about: RefusalDetails = {}): void {
    this.relay.counts.refused += 1;
    // A full queue or a rate limit is no fault of the client's.
    if (!relayRefusals[code].retry) this.refusals += 1;
    this.send({ type: 'refused', code, message, ...about });
    if (this.refusals > mostRefusals) void this.close(relayCloses.badInput, 'Too many refused messages');
  }

  private receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) return this.receiveFrame(data);
    if (data.length > mostControlBytes || this.waiting > 100) return void this.close(relayCloses.badInput, 'Too much at once');
    const value = jsonIn(data);
    // One comes for nearly every delivery, so it is read without the whole schema.
    if (this.queue && isAck(value)) return this.acknowledge(value.through);
    const { success, data: message } = ClientMessage.safeParse(value);
    if (!success) return this.refuse('bad_message', 'The message is not one that a client of this version sends.', refIn(value));
    this.waiting += 1;
    this.requests = this.requests.then(() => this.handle(message)).finally(() => (this.waiting -= 1));
  }

  private async handle(message: ClientMessage): Promise<void> {
    const ref = 'ref' in message ? { ref: message.ref } : {};
    try {
      if (message.type === 'hello') this.greet(message);
      else if (message.type === 'login' || message.type === 'register') await this.logIn(message);
      else if (this.address === undefined || this.key === undefined) this.refuse('wrong_state', 'Log in first.', ref);
      else if (message.type !== 'ack') this.send(await answerRequest(this.relay, { address: this.address, key: this.key }, message));
    } catch (error) {
      if (error instanceof Refusal) {
        if (error.code === 'rate_limited') this.pauseReading();
        return this.refuse(error.code, error.message, { ...ref, ...error.details });
      }
      this.relay.log.error({ err: error }, 'A request failed');
      this.refuse('disk_full', 'The relay could not store that. Try again later.', ref);
    }
  }

  private greet(hello: Extract<ClientMessage, { type: 'hello' }>): void {
    if (this.address !== undefined) throw new Refusal('wrong_state', 'This connection is logged in.');
    // Each challenge costs the relay a signature.
    if ((this.greetings += 1) > mostGreetings) return void this.close(relayCloses.badInput, 'Too many greetings');
    const { challenge, challenged } = challengeFor(this.relay, hello);
    this.challenged = challenged;
    this.send(challenge);
  }

  private async logIn(message: Extract<ClientMessage, { type: 'login' | 'register' }>): Promise<void> {
    const { challenged } = this;
    // A nonce counts once, whatever comes of it.
    this.challenged = undefined;
    if (!challenged) throw new Refusal('wrong_state', 'Say hello first; a challenge can be answered once.');
    const { account, key } = await authenticate(this.relay, challenged, message).catch((error: unknown) => {
      this.relay.counts.rejectedLogins += 1;
      throw error;
    });
    clearTimeout(this.deadline);
    this.address = account.address;
    this.epoch = account.epoch;
    this.key = key;
    const packages = await this.relay.store.packagesLeft(account.address);
    // What an earlier connection acknowledged is not delivered again.
    await this.relay.intake.drain();
    const lastSentAt = await this.relay.store.lastSentAt(account.address);
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.queue = new QueueDelivery(account.address, this.relay.store, this.relay.offendersNow(), {
      send: (bytes) => {
        this.relay.counts.delivered += 1;
        this.write(bytes);
      },
      dropsFrom: (from) => this.relay.isBlocked(account.address, from),
      drop: (frame) => this.relay.dropBlocked(frame),
      onFailure: (error) => this.relay.log.error({ err: error }, 'A queue could not be read'),
    });
    this.relay.admit(account.address, this);
    this.send({ type: 'ready', address: account.address, time: this.relay.now(), packages, last_sent_at: lastSentAt });
    await this.queue.pump();
  }

  private acknowledge(through: number): void {
    const gone = this.queue!.acknowledge(through);
    this.relay.counts.acknowledged += gone.length;
    if (gone.length > 0) this.relay.intake.acknowledge(gone);
  }

  private receiveFrame(bytes: Buffer): void {
    const answer = this.answers.reserve();
    const { address, key, epoch } = this;
    if (address === undefined || key === undefined) {
      this.pauseReading();
      return answer(() => this.refuse('wrong_state', 'Log in first.'));
    }
    if ((this.unverified += 1) === mostUnverified) this.socket.pause();
    const inTurn = this.frames.reserve();
    checkFrame(
      this.relay,
      { address, key, epoch: epoch! },
      bytes,
      (header) => inTurn(() => this.settleFrame(() => this.keepFrame(header, bytes, key, answer))),
      (error) => {
        if (error instanceof Refusal && error.code === 'rate_limited') this.pauseReading();
        inTurn(() => this.settleFrame(() => answer(() => this.refuseFrame(error))));
      },
    );
  }

  private settleFrame(act: () => void): void {
    act();
    if ((this.unverified -= 1) === mostUnverified - 1) this.socket.resume();
    if (this.unverified > 0) return;
    for (const resolve of this.onVerified.splice(0)) resolve();
  }

  private keepFrame(header: FrameHeader, bytes: Buffer, key: PublicKey, answer: (send: () => void) => void): void {
    // A device that was displaced meanwhile would store frames between those of the one that took over.
    if (this.key !== key) return answer(() => this.refuse('wrong_state', 'Another device connected.'));
    const { from, to, tag, packet_id: packetId, sent_at: sentAt } = header;
    this.relay.intake.add({ from, to, tag, packetId, sentAt, storedAt: this.relay.now(), bytes }, (result) =>
      answer(() => this.answerFrame(packetId, result)),
    );
  }

  /** Resolves when every frame that has come is verified and on its way to the disk, or refused. */
  verified(): Promise<void> {
    return this.unverified === 0 ? Promise.resolve() : new Promise((resolve) => this.onVerified.push(resolve));
  }

  /** A flood that is refused for its number must not cost others time: its sender is not read from for a while. */
  private pauseReading(): void {
    this.socket.pause();
    setTimeout(() => this.socket.resume(), pauseMs).unref();
  }

  private refuseFrame(error: unknown): void {
    if (error instanceof Refusal) this.refuse(error.code, error.message, error.details);
    else this.refuse('bad_frame', error instanceof FrameError ? error.message : 'The frame cannot be read.');
  }

  private answerFrame(packetId: string, answer: IntakeAnswer): void {
    if ('refused' in answer)
      this.refuse(answer.refused, storeRefusals[answer.refused] ?? 'The relay could not store the packet.', { packet_id: packetId });
    else this.send({ type: 'stored', packet_id: packetId });
  }
}

function jsonIn(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}

const isAck = (value: unknown): value is { through: number } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'ack' &&
  'through' in value &&
  Number.isSafeInteger(value.through) &&
  (value.through as number) >= 1;

/** Says which request was refused, where it can be read. */
function refIn(value: unknown): { ref?: string } {
  const ref = typeof value === 'object' && value !== null && 'ref' in value ? value.ref : undefined;
  return typeof ref === 'string' && ref.length <= 64 ? { ref } : {};
}
