// A relay that does what a test tells it to, written from spec/relay.md: it is found by its name, answers lines and opens them, and
// may lie in each of these.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type LineAnswer,
  lineChallengeToSign,
  type LineGreeting,
  lineLoginToSign,
  lineProtocol,
  readBundle,
  type RelayDocument,
  toBase64Url,
  writeBundle,
} from '@parley/protocol/relay';
import type { RelayNames } from '@parley/testkit/relay';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { relayKey } from '../../src/signatures.ts';
import type { TestRelay } from './relay.ts';

const nonce = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

type Call = { type: string; relay?: string; key?: string; nonce?: string; ref?: string; address?: string };

export class ScriptedRelay {
  readonly name: string;
  key = relayKey();
  document: Partial<RelayDocument> = {};
  challenge: { relay?: string; nonce?: string; signature?: string } = {};
  /** The latest challenge. */
  said: { nonce: string; signature: string } | undefined;
  readonly frames: Uint8Array[] = [];
  /** How often its document was read. */
  reads = 0;
  /** How often others logged in. */
  logins = 0;
  onFrames: (line: WebSocket, total: number) => void = (line, total) => line.send(JSON.stringify({ type: 'taken', through: total }));
  onLookup: (call: Call) => LineAnswer = ({ ref }) => ({ type: 'refused', code: 'unknown_address', message: 'nobody', ref });
  private readonly server = createServer((request, response) => {
    this.reads += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ v: 1, relay: this.name, key: this.key.public, url: `ws://${this.name}`, ...this.document }));
  });
  private readonly lines = new WebSocketServer({ noServer: true, handleProtocols: () => lineProtocol });

  constructor(name: string) {
    this.name = name;
    this.server.on('upgrade', (request, socket, head) => this.lines.handleUpgrade(request, socket, head, (line) => this.serve(line)));
  }

  static async start(names: RelayNames, name: string): Promise<ScriptedRelay> {
    const relay = new ScriptedRelay(name);
    await new Promise<void>((resolve) => relay.server.listen(0, '127.0.0.1', resolve));
    names.set(name, () => (relay.server.address() as AddressInfo).port);
    onTestFinished(async () => {
      relay.hangUp();
      relay.server.closeAllConnections();
      await new Promise((resolve) => relay.server.close(resolve));
    });
    return relay;
  }

  /** Ends the lines of others. */
  hangUp(): void {
    for (const line of this.lines.clients) line.terminate();
  }

  private serve(line: WebSocket): void {
    let onThisLine = 0;
    line.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) {
        const frames = readBundle(data)!;
        this.frames.push(...frames.map((bytes) => Uint8Array.from(bytes)));
        onThisLine += frames.length;
        return this.onFrames(line, onThisLine);
      }
      const call = JSON.parse(data.toString()) as Call;
      if (call.type === 'lookup') return line.send(JSON.stringify(this.onLookup(call)));
      if (call.type === 'login') {
        this.logins += 1;
        return line.send(JSON.stringify({ type: 'ready' }));
      }
      const greeting: LineGreeting = {
        caller: call.relay!,
        caller_key: call.key!,
        caller_nonce: call.nonce!,
        relay: this.name,
        relay_key: this.key.public,
        nonce: nonce(),
      };
      const signature = this.key.sign(lineChallengeToSign(greeting, 1));
      this.said = { nonce: greeting.nonce, signature };
      line.send(
        JSON.stringify({
          type: 'challenge',
          version: 1,
          relay: this.name,
          key: this.key.public,
          nonce: greeting.nonce,
          signature,
          ...this.challenge,
        }),
      );
    });
  }

  /** Opens a line as this relay, or as somebody else. */
  async call(to: TestRelay, claim: { name?: string; nonce?: string; signature?: string } = {}): Promise<ScriptedCall> {
    const socket = new WebSocket(to.served.url, [lineProtocol]);
    const call = new ScriptedCall(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const name = claim.name ?? this.name;
    const callerNonce = (call.nonce = claim.nonce ?? nonce());
    socket.send(JSON.stringify({ type: 'hello', versions: [1], relay: name, key: this.key.public, nonce: callerNonce }));
    const challenge = await call.next((message) => message.type === 'challenge' || message.type === 'refused');
    if (challenge.type !== 'challenge') return call;
    const { relay, key: relay_key, nonce: theirs } = challenge;
    const greeting = { caller: name, caller_key: this.key.public, caller_nonce: callerNonce, relay, relay_key, nonce: theirs };
    call.signature = claim.signature ?? this.key.sign(lineLoginToSign(greeting, 1));
    socket.send(JSON.stringify({ type: 'login', signature: call.signature }));
    await call.next((message) => message.type === 'ready' || message.type === 'refused');
    return call;
  }
}

export class ScriptedCall {
  readonly socket: WebSocket;
  readonly messages: LineAnswer[] = [];
  nonce = '';
  signature = '';
  isClosed = false;
  private wake: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    onTestFinished(() => socket.terminate());
    socket.on('message', (data: Buffer) => this.note(() => this.messages.push(JSON.parse(data.toString()) as LineAnswer)));
    socket.on('close', () => this.note(() => (this.isClosed = true)));
    socket.on('error', () => {});
  }

  private note(change: () => void): void {
    change();
    for (const resume of this.wake.splice(0)) resume();
  }

  get last(): LineAnswer | undefined {
    return this.messages.at(-1);
  }

  async next(fits: (message: LineAnswer) => boolean): Promise<LineAnswer> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      if (this.isClosed) throw new Error(`closed: ${JSON.stringify(this.last)}`);
      await new Promise<void>((resolve) => this.wake.push(resolve));
    }
  }

  /** The answers about these frames, once the last of them is answered. */
  async send(...frames: Uint8Array[]): Promise<LineAnswer[]> {
    const from = this.messages.length;
    this.sent += frames.length;
    this.socket.send(writeBundle(frames));
    const isLast = (message: LineAnswer): boolean =>
      (message.type === 'taken' && message.through >= this.sent) || (message.type === 'refused' && message.number === this.sent);
    for (;;) {
      const answers = this.messages.slice(from);
      if (answers.some(isLast)) return answers;
      if (this.isClosed) throw new Error(`closed: ${JSON.stringify(this.last)}`);
      await new Promise<void>((resolve) => this.wake.push(resolve));
    }
  }

  private sent = 0;
}
