// Frames on their way to the store: in which order, what is checked of each, and the lane of one connection.

import { FrameError, type FrameHeader, type RelayRefusal, type DeviceEpoch, readFrameHeader } from '@parley/protocol/relay';
import type { IntakeAnswer } from './intake.ts';
import { Refusal, type RefusalDetails, storeRefusals } from './refusal.ts';
import type { Relay } from './relay.ts';
import { clockToleranceMs, frameAgeMs, inDays, type Rates } from './limits.ts';
import type { PublicKey } from './signatures.ts';

/** A client that sends faster than signatures are verified is not read from meanwhile. */
const mostUnverified = 256;

export interface LaneOutlet {
  /** Who is logged in on this connection now. */
  sender: () => FrameSender | undefined;
  stored: (packetId: string) => void;
  refuse: (code: RelayRefusal, message: string, details?: RefusalDetails) => void;
  stopReading: () => void;
  readOn: () => void;
  /** A flood that is refused must not cost others time. */
  pauseReading: () => void;
}

export interface FrameArrival {
  number: number;
  bytes: Uint8Array;
  /** What became of the checks. */
  outcome: FrameHeader | Error | undefined;
  answer: IntakeAnswer | Error | undefined;
}

/** Frames that are verified beside each other, stored in the order they came, and answered in that order too. */
export abstract class OrderedFrames<T extends FrameArrival> {
  protected readonly unverified: T[] = [];
  protected readonly unanswered: T[] = [];
  private onVerified: (() => void)[] = [];

  protected abstract store(arrival: T, outcome: FrameHeader | Error): void;
  protected abstract say(arrival: T): void;

  /** Resolves when every frame that has come is verified and on its way to the disk, or refused. */
  verified(): Promise<void> {
    return this.unverified.length === 0 ? Promise.resolve() : new Promise((resolve) => this.onVerified.push(resolve));
  }

  protected settle(arrival: T, outcome: FrameHeader | Error): void {
    arrival.outcome = outcome;
    for (let first = this.unverified[0]?.outcome; first !== undefined; first = this.unverified[0]?.outcome)
      this.store(this.unverified.shift()!, first);
    if (this.unverified.length > 0) return;
    for (const resolve of this.onVerified.splice(0)) resolve();
  }

  /** A refusal that needs no disk waits for earlier frames that do. */
  protected answer(arrival: T, answer: IntakeAnswer | Error): void {
    arrival.answer = answer;
    while (this.unanswered[0]?.answer !== undefined) this.say(this.unanswered.shift()!);
  }
}

interface OwnArrival extends FrameArrival {
  sender: FrameSender | undefined;
}

export class FrameLane extends OrderedFrames<OwnArrival> {
  private readonly relay: Relay;
  private readonly outlet: LaneOutlet;
  private count = 0;
  /** Frames up to this number came before the client knew that one could not be stored. */
  private failedThrough = 0;

  constructor(relay: Relay, outlet: LaneOutlet) {
    super();
    this.relay = relay;
    this.outlet = outlet;
  }

  receive(bytes: Uint8Array): void {
    const sender = this.outlet.sender();
    const arrival: OwnArrival = { number: (this.count += 1), bytes, sender, outcome: undefined, answer: undefined };
    this.unanswered.push(arrival);
    if (!sender) {
      this.outlet.pauseReading();
      return this.answer(arrival, new Refusal('wrong_state', 'Log in first.'));
    }
    if (this.unverified.push(arrival) === mostUnverified) this.outlet.stopReading();
    checkFrame(this.relay, sender, bytes, (outcome) => {
      if (outcome instanceof Refusal && outcome.code === 'rate_limited') this.outlet.pauseReading();
      this.settle(arrival, outcome);
    });
  }

  protected store(arrival: OwnArrival, outcome: FrameHeader | Error): void {
    if (this.unverified.length === mostUnverified - 1) this.outlet.readOn();
    if (outcome instanceof Error) return this.answer(arrival, outcome);
    // It would overtake the frame that has to come again.
    if (arrival.number <= this.failedThrough) return this.answer(arrival, { refused: 'disk_full' });
    const { address: from, key } = arrival.sender!;
    // A device that was displaced meanwhile would store frames between those of the one that took over.
    if (this.outlet.sender()?.key !== key) return this.answer(arrival, new Refusal('wrong_state', 'Another device connected.'));
    const { to, tag, packet_id: packetId, sent_at: sentAt } = outcome;
    const frame = {
      from,
      to: this.relay.queueOf(to),
      addressee: to,
      tag,
      packetId,
      sentAt,
      storedAt: this.relay.now(),
      bytes: arrival.bytes,
    };
    this.relay.intake.add(frame, (answer) => {
      if ('refused' in answer && answer.refused === 'disk_full') this.failedThrough = this.count;
      this.answer(arrival, answer);
    });
  }

  protected say({ answer, outcome }: OwnArrival): void {
    const { outlet } = this;
    if (answer instanceof Refusal) outlet.refuse(answer.code, answer.message, answer.details);
    else if (answer instanceof Error)
      outlet.refuse('bad_frame', answer instanceof FrameError ? answer.message : 'The frame cannot be read.');
    else {
      const { packet_id } = outcome as FrameHeader;
      if ('refused' in answer!)
        outlet.refuse(answer.refused, storeRefusals[answer.refused] ?? 'The relay could not store the packet.', { packet_id });
      else outlet.stored(packet_id);
    }
  }
}

// What is checked of a frame before it is stored: who sends it, its signature, its age and its recipient (A2C-2).

export interface FrameSender {
  address: string;
  key: PublicKey;
  epoch: DeviceEpoch;
}

export const refusal = ({ packet_id }: FrameHeader, code: RelayRefusal, message: string, more: RefusalDetails = {}): Refusal =>
  new Refusal(code, message, { packet_id, ...more });

/** Calls `settle` with the header once the signature is verified, or with a `Refusal`, or a `FrameError` where the bytes are no frame. */
function checkFrame(relay: Relay, sender: FrameSender, bytes: Uint8Array, settle: (outcome: FrameHeader | Error) => void): void {
  try {
    const header = readFrameHeader(bytes);
    mustBeTheirs(relay, sender, header);
    relay.verifier.verify(sender.key, bytes, (isValid) => {
      settle(isValid ? (routingProblem(relay, header) ?? header) : unsigned(header));
    });
  } catch (error) {
    settle(error as Error);
  }
}

function mustBeTheirs(relay: Relay, sender: FrameSender, header: FrameHeader): void {
  const mustHaveRate = (rates: Rates, span: string): void => {
    const wait = rates.take(sender.address);
    if (wait > 0) throw refusal(header, 'rate_limited', `Too many frames a ${span}.`, { retry_after_ms: wait });
  };
  mustHaveRate(relay.rates.frames, 'minute');
  mustHaveRate(relay.rates.framesOfDay, 'day');
  const { counter, device } = sender.epoch;
  const isTheirs = header.from === sender.address && header.from_key === relay.keyOf(header.from);
  if (!isTheirs || header.epoch.counter !== counter || header.epoch.device !== device)
    throw refusal(header, 'wrong_sender', `This connection sends as ${sender.address} with its registered key and epoch ${counter}.`);
}

const unsigned = (header: FrameHeader): Refusal => refusal(header, 'bad_signature', 'The signature is not by from_key over these bytes.');

export function routingProblem(relay: Relay, header: FrameHeader): Refusal | undefined {
  const now = relay.now();
  if (header.sent_at < now - frameAgeMs)
    return refusal(header, 'too_old', `The packet was sealed more than ${inDays(frameAgeMs)} ago. Seal it again.`);
  if (header.sent_at > now + clockToleranceMs) return refusal(header, 'from_the_future', 'sent_at is more than a day ahead of the relay.');
  const recipientKey = relay.keyOf(header.to);
  if (recipientKey === undefined) return relay.problemElsewhere(header);
  if (recipientKey !== header.to_key) return refusal(header, 'key_changed', `${header.to} is registered with another key.`);
  return undefined;
}
