// A line that another relay opened: it proves its name and key, then brings frames of its own users, and asks for directory entries of
// this relay's (A2C-10).

import {
  CallerMessage,
  type LineAnswer,
  lineChallengeToSign,
  type LineGreeting,
  lineLoginToSign,
  lineVersions,
  mostControlBytes,
  relayCloses,
  type RelayRefusal,
} from '@parley/protocol/relay';
import type { RawData, WebSocket } from 'ws';
import { federationLimits } from '../limits.ts';
import { Refusal, type RefusalDetails } from '../refusal.ts';
import type { ConnectedClient, Relay } from '../relay.ts';
import { lookupFor } from '../requests.ts';
import { isSigned } from '../signatures.ts';
import { closeSocket, messageIn } from '../socket-messages.ts';
import type { Federation } from './federation.ts';
import { ForeignFrames } from './foreign-frames.ts';
import { RelayKeyChanged, RelayLies, RelayUnreachable } from './problems.ts';

const loginMs = 15_000;
const mostUnsentBytes = 8 * 1024 * 1024;
const mostRequests = 200;
/** A relay that sends nothing that fits is cut off; its honest users' frames come with the next line. */
const mostLies = 100;

type Hello = Extract<CallerMessage, { type: 'hello' }>;

export class IncomingLine implements ConnectedClient {
  readonly address = undefined;
  readonly epoch = undefined;
  private readonly relay: Relay;
  private readonly federation: Federation;
  private readonly socket: WebSocket;
  private readonly deadline: NodeJS.Timeout;
  private greeting: LineGreeting | undefined;
  private version = 0;
  /** The relay that is logged in. */
  private caller: string | undefined;
  private frames: ForeignFrames | undefined;
  private requests: Promise<void> = Promise.resolve();
  private waiting = 0;
  private lies = 0;
  private isAlive = true;
  private closing: Promise<void> | undefined;

  constructor(relay: Relay, federation: Federation, socket: WebSocket) {
    this.relay = relay;
    this.federation = federation;
    this.socket = socket;
    this.deadline = setTimeout(() => void this.close(relayCloses.unauthenticated, 'No login in time'), loginMs);
    socket.on('message', (data: RawData, isBinary: boolean) => this.receive(data as Buffer, isBinary));
    socket.on('pong', () => (this.isAlive = true));
    socket.on('error', (error: Error) => relay.log.debug({ code: (error as NodeJS.ErrnoException).code }, 'A socket failed'));
  }

  offer(): void {}
  recheck(): void {}
  displace(): void {}
  dismiss(): void {}

  beat(): void {
    if (!this.isAlive) return this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  end(): void {
    clearTimeout(this.deadline);
    this.frames?.close();
    if (this.caller === undefined) return;
    const { callers } = this.federation;
    const lines = callers.get(this.caller);
    lines?.delete(this);
    if (lines?.size === 0) callers.delete(this.caller);
    this.caller = undefined;
  }

  verified = (): Promise<void> => this.frames?.verified() ?? Promise.resolve();

  close(code: number, reason: string): Promise<void> {
    if (!this.closing && this.relay.draining) this.send({ type: 'draining' });
    return (this.closing ??= closeSocket(this.socket, code, reason));
  }

  /** Nothing that still comes is taken. */
  cutOff(code: number, reason: string): void {
    this.frames?.close();
    void this.close(code, reason);
  }

  private send(message: LineAnswer): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    // Not `close`: it writes, and would come back here while the relay shuts down.
    if (this.socket.bufferedAmount > mostUnsentBytes)
      this.closing ??= closeSocket(this.socket, relayCloses.slow, 'The relay reads too slowly');
  }

  private refuse(code: RelayRefusal, message: string, about: RefusalDetails & { number?: number } = {}): void {
    this.relay.counts.refused += 1;
    this.send({ type: 'refused', code, message, ...about });
  }

  private receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) return this.frames ? this.frames.receive(data) : void this.close(relayCloses.unauthenticated, 'Frames before the login');
    if (data.length > mostControlBytes || this.waiting > mostRequests) return void this.close(relayCloses.badInput, 'Too much at once');
    const message = messageIn(CallerMessage, data.toString());
    if (!message) return void this.close(relayCloses.badInput, 'No message of a relay');
    this.waiting += 1;
    this.requests = this.requests.then(() => this.handle(message)).finally(() => (this.waiting -= 1));
  }

  private async handle(message: CallerMessage): Promise<void> {
    try {
      if (message.type === 'hello') this.greet(message);
      else if (message.type === 'login') await this.logIn(message.signature);
      else await this.lookUp(message);
    } catch (error) {
      if (error instanceof Refusal) return this.refuse(error.code, error.message, { ...refOf(message), ...error.details });
      this.relay.log.error({ err: error }, 'A request of another relay failed');
      this.refuse('disk_full', 'The relay could not do that. Try again later.', refOf(message));
    }
  }

  private greet({ versions, relay: caller, key, nonce: callerNonce }: Hello): void {
    if (this.greeting || this.caller !== undefined) throw new Refusal('wrong_state', 'A line is greeted once.');
    this.federation.mustAllow(caller);
    const { name, key: own } = this.relay;
    const version = Math.max(...lineVersions.filter((known) => versions.includes(known)));
    if (!Number.isFinite(version)) throw new Refusal('unsupported_version', `This relay speaks version ${lineVersions.join(', ')}.`);
    if (caller === name) throw new Refusal('wrong_sender', `${name} is the name of this relay.`);
    const nonce = this.relay.newNonce();
    this.version = version;
    this.greeting = { caller, caller_key: key, caller_nonce: callerNonce, relay: name, relay_key: own.public, nonce };
    const signature = own.sign(lineChallengeToSign(this.greeting, version));
    this.send({ type: 'challenge', version, relay: name, key: own.public, nonce, signature });
  }

  private async logIn(signature: string): Promise<void> {
    const { greeting } = this;
    if (!greeting || this.caller !== undefined) throw new Refusal('wrong_state', 'Say hello first; a challenge can be answered once.');
    const { caller, caller_key: key } = greeting;
    try {
      if (!isSigned(key, lineLoginToSign(greeting, this.version), signature))
        throw new RelayLies(caller, 'the signature does not fit its key and this challenge');
      await this.federation.trustCaller(caller, key);
    } catch (error) {
      this.relay.counts.rejectedLogins += 1;
      const refusal = this.refusalFor(caller, error);
      this.refuse(refusal.code, refusal.message, refusal.details);
      return void this.close(relayCloses.unauthenticated, refusal.message);
    }
    const { callers } = this.federation;
    const lines = callers.get(caller) ?? new Set();
    if (lines.size >= federationLimits.lines) throw new Refusal('rate_limited', `${caller} has ${lines.size} lines open already.`);
    if (this.socket.readyState !== this.socket.OPEN) return;
    callers.set(caller, lines.add(this));
    clearTimeout(this.deadline);
    this.caller = caller;
    this.frames = new ForeignFrames(this.relay, this.federation, caller, {
      taken: (through) => this.send({ type: 'taken', through }),
      refuse: (number, code, message) => this.refuse(code, message, { number }),
      lied: () => {
        if ((this.lies += 1) > mostLies) this.cutOff(relayCloses.badInput, 'Too many false frames');
      },
      fail: (code, reason) => void this.close(code, reason),
      stopReading: () => this.socket.pause(),
      readOn: () => this.socket.resume(),
    });
    this.send({ type: 'ready' });
  }

  private refusalFor(caller: string, error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    if (error instanceof RelayLies) {
      this.federation.noteClaim(caller, error.message);
      return new Refusal('relay_lies', error.message);
    }
    if (error instanceof RelayKeyChanged) return new Refusal('key_changed', error.message);
    if (error instanceof RelayUnreachable) return new Refusal('relay_unreachable', error.message);
    throw error;
  }

  private async lookUp({ ref, address, package: take }: Extract<CallerMessage, { type: 'lookup' }>): Promise<void> {
    if (this.caller === undefined) throw new Refusal('wrong_state', 'Log in first.');
    const wait = this.federation.rates.lookups.take(this.caller);
    if (wait > 0) throw new Refusal('rate_limited', `Too many lookups a minute of ${this.caller}.`, { retry_after_ms: wait });
    this.send({ type: 'entry', ref, ...(await lookupFor(this.relay, address, take)) });
  }
}

const refOf = (message: CallerMessage): { ref?: string } => ('ref' in message ? { ref: message.ref } : {});
