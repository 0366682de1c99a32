// One socket: hello, challenge, login or registration, then frames and requests. Everything before the login is answered with a
// challenge or a refusal, and nothing else.

import type { Duplex } from 'node:stream';
import {
  ClientMessage,
  type DeviceEpoch,
  deliverySize,
  mostControlBytes,
  relayCloses,
  type RelayMessage,
  type RelayRefusal,
  relayRefusals,
  writeDelivery,
} from '@parley/protocol/relay';
import type { RawData, WebSocket } from 'ws';
import { answerRequest } from './requests.ts';
import { authenticate, challengeFor, type Challenged } from './authentication.ts';
import { FrameLane } from './frames.ts';
import { type FrameSender } from './frame-check.ts';
import { Refusal, type RefusalDetails } from './refusal.ts';
import { QueueDelivery } from './queue-delivery.ts';
import type { Relay } from './relay.ts';
import { binaryMessage, closeSocket, textMessage } from './socket-messages.ts';
import type { QueuedFrame } from './store/port.ts';

const loginMs = 10_000;
/** A client that reads nothing is cut off; its queue stays. */
const mostUnsentBytes = 8 * 1024 * 1024;
/** Limits for a client that sends bad messages: the relay stops reading for a while, and closes the connection in the end. */
const pauseMs = 250;
const mostRefusals = 100;
const mostGreetings = 10;

export class Connection {
  address: string | undefined;
  epoch: DeviceEpoch | undefined;
  /** Undefined before the login, and after another device took over. */
  private sender: FrameSender | undefined;
  private queue: QueueDelivery | undefined;
  private challenged: Challenged | undefined;
  private readonly relay: Relay;
  private readonly socket: WebSocket;
  private readonly stream: Duplex;
  private isCorked = false;
  private requests: Promise<void> = Promise.resolve();
  private readonly lane: FrameLane;
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
    this.lane = new FrameLane(relay, {
      sender: () => this.sender,
      stored: (packet_id) => this.send({ type: 'stored', packet_id }),
      refuse: (code, message, details) => this.refuse(code, message, details),
      stopReading: () => socket.pause(),
      readOn: () => socket.resume(),
      pauseReading: () => this.pauseReading(),
    });
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
    this.sender = undefined;
    void this.close(code, reason);
  }

  end(): void {
    clearTimeout(this.deadline);
    this.queue?.close();
  }

  close(code: number, reason: string): Promise<void> {
    if (!this.closing && this.relay.draining) this.send({ type: 'draining' });
    return (this.closing ??= closeSocket(this.socket, code, reason));
  }

  private send(message: RelayMessage): void {
    this.write(textMessage(JSON.stringify(message)));
  }

  private write(message: Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.cork();
    this.stream.write(message);
    // Not `close`: it writes, and would come back here while the relay shuts down.
    if (this.socket.bufferedAmount > mostUnsentBytes)
      this.closing ??= closeSocket(this.socket, relayCloses.slow, 'The client reads too slowly');
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
    if (isBinary) return this.lane.receive(data);
    if (data.length > mostControlBytes || this.waiting > 100) return void this.close(relayCloses.badInput, 'Too much at once');
    const value = jsonIn(data);
    // An acknowledgement follows nearly every delivery, so the relay reads it without the whole schema.
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
      else if (!this.sender) this.refuse('wrong_state', 'Log in first.', ref);
      else if (message.type !== 'ack') this.send(await answerRequest(this.relay, this.sender, message));
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
    // Challenges are limited, because each costs the relay a signature.
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
    this.sender = { address: account.address, key, epoch: account.epoch };
    const packages = await this.relay.store.packagesLeft(account.address);
    // The delivery waits for the earlier connection's acknowledgements, so that it repeats none of their frames.
    await this.relay.intake.drain();
    const lastSentAt = await this.relay.store.lastSentAt(account.address);
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.queue = new QueueDelivery(account.address, this.relay.store, this.relay.offendersNow(), {
      send: (delivery) => {
        this.relay.counts.delivered += 1;
        this.write(binaryMessage(deliverySize(delivery.frame), (payload) => writeDelivery(delivery, payload)));
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

  verified = (): Promise<void> => this.lane.verified();

  /** A flood that is refused for its number must not cost others time: its sender is not read from for a while. */
  private pauseReading(): void {
    this.socket.pause();
    setTimeout(() => this.socket.resume(), pauseMs).unref();
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
