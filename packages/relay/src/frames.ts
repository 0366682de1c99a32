// Frames on their way to the store: checked in parallel, then stored and answered in the order they came.

import { FrameError, type FrameHeader, type RelayRefusal } from '@parley/protocol/relay';
import type { IntakeAnswer } from './intake.ts';
import { Refusal, type RefusalDetails, storeRefusals } from './refusal.ts';
import type { Relay } from './relay.ts';
import { checkFrame, type FrameSender } from './frame-check.ts';

/** Above this, the relay stops reading from the client until it has verified some. */
const mostUnverified = 256;

export interface LaneOutlet {
  /** The address that is logged in on this connection now. */
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
  /** The header of a valid frame, or the refusal; undefined while the frame is checked. */
  outcome: FrameHeader | Error | undefined;
  answer: IntakeAnswer | Error | undefined;
}

/** Verifies frames in parallel, and stores and answers them in the order they came. */
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
    // Storing this frame would let it overtake the one that the client has to send again.
    if (arrival.number <= this.failedThrough) return this.answer(arrival, { refused: 'disk_full' });
    const { address: from, key } = arrival.sender!;
    // Another device may have taken over meanwhile; the old one's frames must not mix with its frames.
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
