// A relay client in a hundred lines, written from spec/relay.md: logs in, sends, receives, acknowledges. The client seals
// nothing.

import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import {
  canonicalJson,
  challengeToSign,
  type ClientMessage,
  type FrameDelivery,
  type DeviceEpoch,
  type FailureNotice,
  type Frame,
  type FrameHeader,
  frameToSign,
  fromBase64Url,
  type Greeting,
  joinBytes,
  loginToSign,
  readDelivery,
  readFrame,
  readNotice,
  registrationToSign,
  type RelayMessage,
  statementToSign,
  toBase64Url,
  unsignedFrame,
} from '@parley/protocol/relay';
import { type ClientOptions, WebSocket } from 'ws';

export interface RelayIdentity {
  name: string;
  address: string;
  key: string;
  secret: KeyObject;
  epoch: DeviceEpoch;
}

export function newIdentity(name: string, relay = 'localhost'): RelayIdentity {
  const { publicKey: open, privateKey: secret } = generateKeyPairSync('ed25519');
  const key = toBase64Url(open.export({ format: 'der', type: 'spki' }).subarray(12));
  return { name, address: `agent:${name}@${relay}`, key, secret, epoch: { counter: 1, device: toBase64Url(randomBytes(16)) } };
}

export const signed = (identity: RelayIdentity, bytes: Uint8Array): string => toBase64Url(sign(null, bytes, identity.secret));

let packets = 0;
const nextPacketId = (): string => `pkt_${String((packets += 1)).padStart(12, '0')}`;

/** A signed frame; `change` alters its header before it is signed. */
export function frameFrom(from: RelayIdentity, to: RelayIdentity, text: string, change: Partial<FrameHeader> = {}): Uint8Array {
  const header: FrameHeader = {
    v: 1,
    packet_id: nextPacketId(),
    from: from.address,
    to: to.address,
    from_key: from.key,
    to_key: to.key,
    epoch: from.epoch,
    tag: toBase64Url(new Uint8Array(16)),
    sent_at: Date.now(),
    ...change,
  };
  const unsigned = unsignedFrame(header, new TextEncoder().encode(text));
  return joinBytes(unsigned, sign(null, frameToSign(unsigned), from.secret));
}

export class RelayClient {
  readonly messages: RelayMessage[] = [];
  /** Packets of this client that did not reach another relay. */
  readonly notices: FailureNotice[] = [];
  private lastNumber = 0;
  readonly deliveries: (FrameDelivery & { parsed: Frame })[] = [];
  greeting: Greeting | undefined;
  closed: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;
  private waiting: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        const delivery = readDelivery(data);
        this.lastNumber = delivery.number;
        const notice = readNotice(delivery.frame);
        if (notice) this.notices.push(notice);
        else this.deliveries.push({ ...delivery, parsed: readFrame(delivery.frame) });
      } else this.messages.push(JSON.parse(data.toString()) as RelayMessage);
      this.wake();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.wake();
    });
    socket.on('error', () => this.wake());
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<RelayClient> {
    const socket = new WebSocket(url, options);
    const client = new RelayClient(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  /** Resolves when `find` finds something; rejects when the socket closes first. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.closed) throw new Error(`closed: ${this.closed.code} ${this.closed.reason}; ${JSON.stringify(this.messages.slice(-2))}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  async untilClosed(): Promise<{ code: number; reason: string }> {
    while (!this.closed) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.closed;
  }

  private wake(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }

  send(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  async hello(): Promise<Greeting> {
    const nonce = toBase64Url(randomBytes(32));
    const from = this.messages.length;
    this.send({ type: 'hello', versions: [1], nonce });
    const challenge = await this.until(() => this.messages.slice(from).find((message) => message.type === 'challenge'));
    const greeting = { relay: challenge.relay, relay_key: challenge.key, nonce: challenge.nonce, client_nonce: nonce };
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: challenge.key }, format: 'jwk' });
    if (!verify(null, challengeToSign(greeting, challenge.version), key, fromBase64Url(challenge.signature)))
      throw new Error('the relay did not prove its key');
    return (this.greeting = greeting);
  }

  /** The relay's answer: `ready`, or why not. */
  private async answer(message: ClientMessage): Promise<RelayMessage> {
    const from = this.messages.length;
    this.send(message);
    return this.until(() => this.messages.slice(from).find(({ type }) => type === 'ready' || type === 'refused'));
  }

  async register(who: RelayIdentity, code: string): Promise<RelayMessage> {
    const greeting = await this.hello();
    const signature = signed(who, registrationToSign(greeting, { ...who, code }));
    return this.answer({ type: 'register', name: who.name, code, key: who.key, epoch: who.epoch, signature });
  }

  async login(who: RelayIdentity, greeting?: Greeting): Promise<RelayMessage> {
    const { address, key, epoch } = who;
    const signature = signed(who, loginToSign(greeting ?? (await this.hello()), who));
    return this.answer({ type: 'login', address, key, epoch, signature });
  }

  /** The relay's answer to this frame. */
  async sendFrame(bytes: Uint8Array): Promise<RelayMessage> {
    const from = this.messages.length;
    this.socket.send(bytes);
    return this.until(() => this.messages.slice(from).find(({ type }) => type === 'stored' || type === 'refused'));
  }

  async request(message: Extract<ClientMessage, { ref: string }>): Promise<RelayMessage> {
    this.send(message);
    return this.until(() => this.messages.find((answer) => 'ref' in answer && answer.ref === message.ref));
  }

  /** Waits for so many deliveries and returns their texts. */
  async received(count: number): Promise<string[]> {
    await this.until(() => (this.deliveries.length >= count ? true : undefined));
    return this.deliveries.map(({ parsed }) => new TextDecoder().decode(parsed.body));
  }

  ack(): void {
    this.send({ type: 'ack', through: this.lastNumber });
  }

  async leave(): Promise<void> {
    this.socket.close();
    await this.untilClosed();
  }
}

export function statementOf(who: RelayIdentity, version: number, lastResort = 'bGFzdA'): { statement: string; signature: string } {
  const { address, key, epoch } = who;
  const statement = canonicalJson({ v: 1, address, key, epoch, version, last_resort: lastResort });
  return { statement, signature: signed(who, statementToSign('directory', statement)) };
}

export function reportOf(who: RelayIdentity, about: RelayIdentity): { statement: string; signature: string } {
  const statement = canonicalJson({ v: 1, from: who.address, about: about.address, reason: 'spam', at: 0 });
  return { statement, signature: signed(who, statementToSign('report', statement)) };
}

// Names of relays that lead to ports of this machine, in place of DNS.

/** Which port a name leads to now. */
export class RelayNames {
  private readonly ports = new Map<string, () => number>();

  set(name: string, port: () => number): void {
    this.ports.set(name, port);
  }

  dial = (url: URL): URL => {
    const port = this.ports.get(url.host);
    if (!port) throw new Error(`no such name: ${url.host}`);
    const target = new URL(url);
    target.host = `127.0.0.1:${port()}`;
    return target;
  };
}
