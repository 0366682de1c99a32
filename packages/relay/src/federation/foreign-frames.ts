// Frames that another relay brings: each must be of one of its own users and signed by them. They are verified beside each other and
// stored in the order they came. A fault of this relay ends the line, so that no later frame overtakes the one that has to come again.

import {
  addressParts,
  FrameError,
  type FrameHeader,
  readBundle,
  readFrameHeader,
  relayCloses,
  type RelayRefusal,
} from '@parley/protocol/relay';
import { type FrameArrival, OrderedFrames } from '../frames.ts';
import { refusal, routingProblem } from '../frame-check.ts';
import type { IntakeAnswer } from '../intake.ts';
import { Refusal, storeRefusals } from '../refusal.ts';
import type { Relay } from '../relay.ts';
import { publicKey, type PublicKey } from '../signatures.ts';
import type { Federation } from './federation.ts';

/** Beyond the frames that a caller may have under way. */
const mostUnanswered = 512;
const mostKeys = 10_000;

export interface ForeignOutlet {
  /** Every frame up to this number is stored or refused. */
  taken: (through: number) => void;
  refuse: (number: number, code: RelayRefusal, message: string) => void;
  lied: () => void;
  fail: (closeCode: number, reason: string) => void;
  stopReading: () => void;
  readOn: () => void;
}

export class ForeignFrames extends OrderedFrames<FrameArrival> {
  private readonly relay: Relay;
  private readonly federation: Federation;
  private readonly caller: string;
  private readonly outlet: ForeignOutlet;
  private readonly keys = new Map<string, PublicKey>();
  private count = 0;
  /** Stored and not said yet. */
  private through = 0;
  private isOver = false;
  private isPaused = false;
  private rest: NodeJS.Timeout | undefined;

  constructor(relay: Relay, federation: Federation, caller: string, outlet: ForeignOutlet) {
    super();
    this.relay = relay;
    this.federation = federation;
    this.caller = caller;
    this.outlet = outlet;
    // A new line does not end the rest that an earlier one owes.
    this.restFor(federation.rates.frames.charge(caller, 0));
  }

  receive(bundle: Uint8Array): void {
    if (this.isOver) return;
    const frames = readBundle(bundle);
    if (!frames) return this.end(relayCloses.badInput, 'No bundle of frames');
    // A relay that sends too much is read from later: nothing of its users is lost.
    this.restFor(this.federation.rates.frames.charge(this.caller, frames.length));
    for (const bytes of frames) {
      if (this.isOver) return;
      this.add(bytes);
    }
    if (this.unanswered.length >= mostUnanswered) this.pause();
  }

  close(): void {
    this.isOver = true;
  }

  private add(bytes: Uint8Array): void {
    const arrival: FrameArrival = { number: (this.count += 1), bytes, outcome: undefined, answer: undefined };
    this.unanswered.push(arrival);
    this.unverified.push(arrival);
    try {
      const header = readFrameHeader(bytes);
      this.mustBeTheirs(header);
      this.relay.verifier.verify(this.keyOf(header), bytes, (isValid) =>
        this.settle(arrival, isValid ? (routingProblem(this.relay, header) ?? header) : forged(header)),
      );
    } catch (error) {
      this.settle(arrival, error as Error);
    }
  }

  /** A relay speaks for its own users only. It answers for the key of each: their peers have pinned the one before. */
  private mustBeTheirs(header: FrameHeader): void {
    const { from, to } = header;
    // Otherwise this relay would carry frames between relays whose users are not its own.
    if (!this.relay.serves(to)) throw refusal(header, 'unknown_address', `${to} is not registered here.`);
    if (addressParts(from).relay !== this.caller)
      throw refusal(header, 'wrong_sender', `The relay ${this.caller} may not send for ${from}.`);
    const { foreignFrames, foreignFramesOfDay } = this.relay.rates;
    for (const rates of [foreignFrames, foreignFramesOfDay])
      if (rates.take(from) > 0) throw refusal(header, 'rate_limited', `Too many frames of ${from}. Try again later.`);
    // Reading later, as for a minute's rate, would hold up the line for hours.
    if (this.federation.rates.framesOfDay.take(this.caller) > 0)
      throw refusal(header, 'rate_limited', `Too many packets of the relay ${this.caller} in a day. Try again later.`);
  }

  private keyOf(header: FrameHeader): PublicKey {
    let key = this.keys.get(header.from_key);
    if (key) return key;
    try {
      key = publicKey(header.from_key);
    } catch {
      throw forged(header);
    }
    if (this.keys.size >= mostKeys) this.keys.clear();
    this.keys.set(header.from_key, key);
    return key;
  }

  protected store(arrival: FrameArrival, outcome: FrameHeader | Error): void {
    if (this.isOver) return;
    if (outcome instanceof Error) return this.answer(arrival, outcome);
    const { from, to, tag, packet_id: packetId, sent_at: sentAt } = outcome;
    const frame = { from, to, tag, packetId, sentAt, storedAt: this.relay.now(), bytes: arrival.bytes };
    this.relay.intake.add(frame, (answer) => this.answer(arrival, answer));
  }

  protected override answer(arrival: FrameArrival, answer: IntakeAnswer | Error): void {
    if ('refused' in answer && answer.refused === 'disk_full') return this.end(relayCloses.draining, 'The relay could not store a frame');
    super.answer(arrival, answer);
    if (this.isPaused) this.readOn();
  }

  protected say({ number, answer, outcome }: FrameArrival): void {
    if (this.isOver) return;
    if (!(answer instanceof Error) && !('refused' in answer!)) return this.take(number);
    this.sayTaken();
    if (answer instanceof Refusal) {
      if (answer.code === 'wrong_sender' || answer.code === 'bad_signature') this.lied(answer.message);
      return this.outlet.refuse(number, answer.code, answer.message);
    }
    if (answer instanceof Error) {
      this.lied(answer instanceof FrameError ? answer.message : 'A frame cannot be read.');
      return this.outlet.refuse(number, 'bad_frame', `The relay ${this.caller} sent something that is no frame.`);
    }
    const { to } = outcome as FrameHeader;
    this.outlet.refuse(number, answer.refused, storeRefusals[answer.refused] ?? `The packet for ${to} could not be stored.`);
  }

  private lied(what: string): void {
    this.federation.noteLie(this.caller, what);
    this.outlet.lied();
  }

  /** Frames that were stored together are answered together. */
  private take(number: number): void {
    if (this.through === 0) process.nextTick(() => this.sayTaken());
    this.through = number;
  }

  private sayTaken(): void {
    if (this.through > 0 && !this.isOver) this.outlet.taken(this.through);
    this.through = 0;
  }

  private end(code: number, reason: string): void {
    this.sayTaken();
    this.isOver = true;
    this.outlet.fail(code, reason);
  }

  private pause(): void {
    this.isPaused = true;
    this.outlet.stopReading();
  }

  private readOn(): void {
    if (this.rest || this.unanswered.length >= mostUnanswered / 2) return;
    this.isPaused = false;
    this.outlet.readOn();
  }

  private restFor(ms: number): void {
    if (ms === 0) return;
    this.pause();
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = undefined;
      this.readOn();
    }, ms);
    this.rest.unref();
  }
}

const forged = (header: FrameHeader): Refusal =>
  refusal(header, 'bad_signature', `The frame from ${header.from} is not signed by the key that it names.`);
