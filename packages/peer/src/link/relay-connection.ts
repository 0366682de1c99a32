// One connection to a relay: it proves who is at either end, then carries frames, deliveries and requests.

import {
  challengeToSign,
  type ClientMessage,
  type DeviceEpoch,
  type FrameDelivery,
  fromBase64Url,
  type Greeting,
  loginToSign,
  readDelivery,
  registrationToSign,
  RelayMessage,
  type RelayRefusal,
  relayRefusals,
  relayVersions,
  toBase64Url,
} from '@parley/protocol/relay';
import type { OwnIdentity } from '../seal/parties.ts';
import { randomBytes, signBytes, verifies } from '../seal/sodium.ts';

/** Learnt at registration and compared at every login: another name or key is another relay. */
export interface PinnedRelay {
  name: string;
  key: string;
}

export class RelayRefused extends Error {
  readonly code: RelayRefusal;
  readonly epoch: DeviceEpoch | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, epoch, retry_after_ms: retryAfterMs }: Extract<RelayMessage, { type: 'refused' }>) {
    super(message);
    this.code = code as RelayRefusal;
    this.epoch = epoch;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same bytes may be accepted later. An unknown code counts as final. */
  get mayRetry(): boolean {
    return relayRefusals[this.code]?.retry ?? false;
  }
}

/** The line is gone, or the relay is not the one that was pinned. */
export class LinkError extends Error {}

/** Errors of sockets end without a full stop, and people read on after them. */
export const lineGone = (why: string): LinkError => new LinkError(`The line to the relay is gone: ${why.replace(/[^.]$/, '$&.')}`);
const unanswered = 'The relay has not answered for 30 seconds.';

export interface ConnectionOptions {
  url: string;
  openSocket: OpenSocket;
  own: OwnIdentity;
  /** Undefined at registration only: the relay is learnt then. */
  relay: PinnedRelay | undefined;
  /** Registers instead of logging in. */
  registration?: { name: string; code: string; email?: string | undefined };
  /** Resolves when the delivery is on disk; it is acknowledged then. */
  onDelivery: (delivery: FrameDelivery) => Promise<void>;
  /** Another connection of the same address has taken over, with this epoch. */
  onDisplaced?: (epoch: DeviceEpoch) => void;
}

/** A relay that says nothing for so long is gone. */
const answerMs = 30_000;

/** A relay sends 4 MiB ahead of the acknowledgements; one that sends more would fill the memory. */
const mostWaitingBytes = 16 * 1024 * 1024;

interface Waiting {
  timer: ReturnType<typeof setTimeout>;
  resolve: (message: RelayMessage) => void;
  reject: (error: Error) => void;
}

type Ready = Extract<RelayMessage, { type: 'ready' }>;
type ClientRequest = ClientMessage extends infer M ? (M extends { ref: string } ? Omit<M, 'ref'> : never) : never;

export class RelayConnection {
  ready!: Ready;
  /** One-time key packages at the relay, as of its last answer. */
  packagesLeft = 0;
  relay!: PinnedRelay;
  /** Resolves with the reason. */
  readonly closed: Promise<string>;
  private readonly socket: LinkSocket;
  private readonly options: ConnectionOptions;
  /** By what the answer names: a packet id, a ref, or the step of the login. */
  private readonly waiting = new Map<string, Waiting>();
  private deliveries: Promise<void> = Promise.resolve();
  /** Of the deliveries that are not on disk yet. */
  private waitingBytes = 0;
  /** Why this side closed the line. */
  private failure: string | undefined;
  private isClosed = false;
  private requests = 0;

  static async open(options: ConnectionOptions): Promise<RelayConnection> {
    const connection = new RelayConnection(options);
    try {
      await connection.expect('open');
      await connection.logIn();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private constructor(options: ConnectionOptions) {
    this.options = options;
    const closed = Promise.withResolvers<string>();
    this.closed = closed.promise;
    this.socket = options.openSocket(options.url, {
      onOpen: () => this.settle('open', { type: 'draining' }),
      onText: (text) => this.hear(text),
      onBytes: (bytes) => this.take(bytes),
      onClose: (reason) => {
        this.isClosed = true;
        const why = this.failure ?? reason;
        for (const key of this.waiting.keys()) this.takeWaiting(key)?.reject(lineGone(why));
        closed.resolve(why);
      },
    });
  }

  close(): void {
    this.socket.close();
  }

  /** Resolves when every delivery that has come is on disk. */
  async settled(): Promise<void> {
    for (let last; last !== this.deliveries; await last) last = this.deliveries;
  }

  /** Resolves once the frame is on the relay's disk. Throws a `RelayRefused` or a `LinkError`. */
  async send(packetId: string, frame: Uint8Array): Promise<void> {
    const answer = this.expect(packetId);
    this.socket.send(frame);
    await answer;
  }

  async request(request: ClientRequest): Promise<RelayMessage> {
    const ref = String((this.requests += 1));
    const answer = this.expect(ref);
    this.say({ ...request, ref });
    return answer;
  }

  private async logIn(): Promise<void> {
    const nonce = toBase64Url(randomBytes(32));
    this.say({ type: 'hello', versions: relayVersions, nonce });
    const challenge = (await this.expect('challenge')) as Extract<RelayMessage, { type: 'challenge' }>;
    const greeting: Greeting = { relay: challenge.relay, relay_key: challenge.key, nonce: challenge.nonce, client_nonce: nonce };
    const isProven = verifies(
      fromBase64Url(challenge.key),
      challengeToSign(greeting, challenge.version),
      fromBase64Url(challenge.signature),
    );
    if (!isProven) throw new LinkError('The relay does not hold the key it names.');
    const { relay, own, registration } = this.options;
    if (relay && (relay.name !== challenge.relay || relay.key !== challenge.key))
      throw new LinkError(`This is not the relay ${relay.name} that you registered with: its name or key has changed.`);
    this.relay = { name: challenge.relay, key: challenge.key };
    const proof = { key: toBase64Url(own.key.public), epoch: own.epoch };
    const sign = (bytes: Uint8Array): string => toBase64Url(signBytes(own.key.secret, bytes));
    this.say(
      registration
        ? { type: 'register', ...registration, ...proof, signature: sign(registrationToSign(greeting, { ...registration, ...proof })) }
        : { type: 'login', address: own.address, ...proof, signature: sign(loginToSign(greeting, { address: own.address, ...proof })) },
    );
    this.ready = (await this.expect('ready')) as Ready;
    this.packagesLeft = this.ready.packages;
  }

  private say(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  private expect(key: string): Promise<RelayMessage> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(lineGone(this.failure ?? 'it was closed'));
      const timer = setTimeout(() => {
        this.takeWaiting(key)?.reject(new LinkError(unanswered));
        this.fail(unanswered);
      }, answerMs);
      this.waiting.set(key, { resolve, reject, timer });
    });
  }

  private takeWaiting(key: string): Waiting | undefined {
    const waiting = this.waiting.get(key);
    this.waiting.delete(key);
    clearTimeout(waiting?.timer);
    return waiting;
  }

  private settle(key: string, message: RelayMessage): void {
    this.takeWaiting(key)?.resolve(message);
  }

  private fail(why: string): void {
    this.failure ??= why;
    this.close();
  }

  private hear(text: string): void {
    let message: RelayMessage;
    try {
      message = RelayMessage.parse(JSON.parse(text));
    } catch {
      return this.close();
    }
    if (message.type === 'refused') return this.refuse(message);
    if (message.type === 'displaced') return this.options.onDisplaced?.(message.epoch);
    if (message.type === 'stored') return this.settle(message.packet_id, message);
    if ('ref' in message) return this.settle(message.ref, message);
    this.settle(message.type, message);
  }

  private refuse(refused: Extract<RelayMessage, { type: 'refused' }>): void {
    const key = [refused.packet_id, refused.ref, 'challenge', 'ready'].find((one) => one !== undefined && this.waiting.has(one));
    if (key !== undefined) this.takeWaiting(key)?.reject(new RelayRefused(refused));
  }

  /** One delivery after the other; the next waits until this one is on disk. After a failure the line is closed, and the relay sends again. */
  private take(bytes: Uint8Array): void {
    if (this.failure !== undefined) return;
    this.waitingBytes += bytes.length;
    if (this.waitingBytes > mostWaitingBytes) return this.fail(`The relay sends more than ${mostWaitingBytes} bytes ahead.`);
    this.deliveries = this.deliveries.then(() => this.deliver(bytes)).finally(() => (this.waitingBytes -= bytes.length));
  }

  private async deliver(bytes: Uint8Array): Promise<void> {
    // An acknowledgement of a later one would count for the one that failed.
    if (this.failure !== undefined) return;
    try {
      const delivery = readDelivery(bytes);
      await this.options.onDelivery(delivery);
      this.say({ type: 'ack', through: delivery.number });
    } catch (error) {
      this.fail(`A packet could not be stored: ${(error as Error).message}`);
    }
  }
}

// How a link reaches a relay: one WebSocket, behind a port, so that the same code runs in a browser.

export interface LinkSocket {
  send(data: string | Uint8Array): void;
  close(): void;
}

export interface SocketEvents {
  onOpen(): void;
  onText(text: string): void;
  onBytes(bytes: Uint8Array): void;
  /** Once, whatever happened. */
  onClose(reason: string): void;
}

export type OpenSocket = (url: string, events: SocketEvents) => LinkSocket;
