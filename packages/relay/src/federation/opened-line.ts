// One open line to another relay, from the side that opened it: both prove their names and keys, then frames and lookups go out and
// answers come back (A2C-10).

import {
  bundledSize,
  type CallerMessage,
  LineAnswer,
  lineChallengeToSign,
  type LineGreeting,
  lineLoginToSign,
  lineVersions,
  mostBundleBytes,
  writeBundle,
} from '@parley/protocol/relay';
import type { WebSocket } from 'ws';
import { isSigned, type RelayKey } from '../signatures.ts';
import { messageIn } from '../socket-messages.ts';
import { plainWords, RelayLies, RelayUnreachable } from './problems.ts';

const answerMs = 10_000;

export interface LineEvents {
  onTaken: (through: number) => void;
  onRefused: (number: number, code: string, message: string) => void;
  onClosed: (reason: string) => void;
}

type Answer<T extends LineAnswer['type']> = Extract<LineAnswer, { type: T }>;
type Waiting = PromiseWithResolvers<LineAnswer> & { timer: NodeJS.Timeout };

export class OpenedLine {
  private readonly name: string;
  private readonly socket: WebSocket;
  /** Pending answers, by the ref of a lookup or the step of the login. */
  private readonly waiting = new Map<string, Waiting>();
  private readonly bundle: Uint8Array[] = [];
  private bundleBytes = 0;
  private refs = 0;
  private isAlive = true;
  private events: LineEvents | undefined;
  private closedBy: string | undefined;

  constructor(name: string, socket: WebSocket) {
    this.name = name;
    this.socket = socket;
    socket.on('open', () => this.settle('open', { type: 'ready' }));
    socket.on('message', (data: Buffer, isBinary: boolean) => this.receive(data, isBinary));
    socket.on('pong', () => (this.isAlive = true));
    socket.on('error', (error: Error) => this.end(error.message));
    socket.on('close', (code: number, reason: Buffer) => this.end(reason.length > 0 ? reason.toString() : `closed with ${code}`));
  }

  /** `trust` throws where the key is not the one that this name is trusted with. */
  async logIn(own: { name: string; key: RelayKey; nonce: string }, trust: (key: string) => Promise<void>): Promise<void> {
    await this.answerTo('open');
    this.say({ type: 'hello', versions: lineVersions, relay: own.name, key: own.key.public, nonce: own.nonce });
    const { relay, key, nonce, version, signature } = (await this.answerTo('challenge')) as Answer<'challenge'>;
    const caller = { caller: own.name, caller_key: own.key.public, caller_nonce: own.nonce };
    const greeting: LineGreeting = { ...caller, relay, relay_key: key, nonce };
    if (relay !== this.name) throw new RelayLies(this.name, `it calls itself ${plainWords(relay)}`);
    if (!lineVersions.includes(version) || !isSigned(key, lineChallengeToSign(greeting, version), signature))
      throw new RelayLies(this.name, 'it does not hold the key that it names');
    await trust(key);
    this.say({ type: 'login', signature: own.key.sign(lineLoginToSign(greeting, version)) });
    await this.answerTo('ready');
  }

  /** Starts to carry frames. */
  begin(events: LineEvents): void {
    this.events = events;
    if (this.closedBy !== undefined) events.onClosed(this.closedBy);
  }

  /** Frames of one turn leave in one message. */
  send(frame: Uint8Array): void {
    if (this.bundleBytes + bundledSize(frame) > mostBundleBytes) this.flush();
    if (this.bundle.length === 0) setImmediate(() => this.flush());
    this.bundle.push(frame);
    this.bundleBytes += bundledSize(frame);
  }

  private flush(): void {
    if (this.bundle.length === 0) return;
    const bytes = writeBundle(this.bundle.splice(0));
    this.bundleBytes = 0;
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(bytes);
  }

  async lookup(address: string, take: boolean): Promise<Answer<'entry'> | Answer<'refused'>> {
    const ref = String((this.refs += 1));
    const answer = this.answerTo(ref);
    this.say({ type: 'lookup', ref, address, package: take });
    return (await answer) as Answer<'entry'> | Answer<'refused'>;
  }

  /** Called every 30 s. */
  beat(): void {
    if (!this.isAlive) return this.socket.terminate();
    this.isAlive = false;
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  close(): void {
    this.socket.close();
    setTimeout(() => this.socket.terminate(), 1000).unref();
  }

  hangUp(why: string): void {
    this.end(why);
    this.close();
  }

  private say(message: CallerMessage): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private answerTo(key: string): Promise<LineAnswer> {
    const answer = Promise.withResolvers<LineAnswer>();
    if (this.closedBy !== undefined) answer.reject(new RelayUnreachable(this.name, this.closedBy));
    const timer = setTimeout(() => this.fail(key, 'it does not answer'), answerMs);
    timer.unref();
    this.waiting.set(key, { ...answer, timer });
    return answer.promise;
  }

  private take(key: string): Waiting | undefined {
    const waiting = this.waiting.get(key);
    clearTimeout(waiting?.timer);
    this.waiting.delete(key);
    return waiting;
  }

  private settle(key: string, answer: LineAnswer): void {
    this.take(key)?.resolve(answer);
  }

  private fail(key: string, why: string): void {
    this.take(key)?.reject(new RelayUnreachable(this.name, why));
  }

  private receive(data: Buffer, isBinary: boolean): void {
    const message = isBinary ? undefined : messageIn(LineAnswer, data.toString());
    if (!message) return this.hangUp('it sent something that is no message of a relay');
    if (message.type === 'taken') return this.events?.onTaken(message.through);
    if (message.type === 'refused') return this.refuse(message);
    this.settle('ref' in message ? message.ref : message.type, message);
  }

  private refuse(refused: Answer<'refused'>): void {
    const { number, ref, code, message } = refused;
    if (number !== undefined) return this.events?.onRefused(number, plainWords(code), plainWords(message));
    if (ref !== undefined) return this.settle(ref, refused);
    for (const key of this.waiting.keys()) this.fail(key, `it refused (${plainWords(code)}): ${plainWords(message).replace(/\.$/, '')}`);
  }

  private end(reason: string): void {
    if (this.closedBy !== undefined) return;
    this.closedBy = plainWords(reason);
    for (const key of this.waiting.keys()) this.fail(key, this.closedBy);
    this.events?.onClosed(this.closedBy);
  }
}
