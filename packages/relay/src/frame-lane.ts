// The frames of one connection: verified beside each other, stored in the order they came, and answered in that order too.

import { FrameError, type FrameHeader, type RelayRefusal } from '@parley/protocol/relay';
import { checkFrame, type FrameSender } from './frame-check.ts';
import type { IntakeAnswer } from './intake.ts';
import { Refusal, type RefusalDetails, storeRefusals } from './refusal.ts';
import type { Relay } from './relay.ts';

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

interface Arrival {
  number: number;
  bytes: Uint8Array;
  sender: FrameSender | undefined;
  /** What became of the checks. */
  outcome: FrameHeader | Error | undefined;
  answer: IntakeAnswer | Error | undefined;
}

export class FrameLane {
  private readonly relay: Relay;
  private readonly outlet: LaneOutlet;
  private readonly unverified: Arrival[] = [];
  private readonly unanswered: Arrival[] = [];
  private onVerified: (() => void)[] = [];
  private count = 0;
  /** Frames up to this number came before the client knew that one could not be stored. */
  private failedThrough = 0;

  constructor(relay: Relay, outlet: LaneOutlet) {
    this.relay = relay;
    this.outlet = outlet;
  }

  receive(bytes: Uint8Array): void {
    const sender = this.outlet.sender();
    const arrival: Arrival = { number: (this.count += 1), bytes, sender, outcome: undefined, answer: undefined };
    this.unanswered.push(arrival);
    if (!sender) {
      this.outlet.pauseReading();
      return this.answer(arrival, new Refusal('wrong_state', 'Log in first.'));
    }
    if (this.unverified.push(arrival) === mostUnverified) this.outlet.stopReading();
    checkFrame(this.relay, sender, bytes, (outcome) => {
      if (outcome instanceof Refusal && outcome.code === 'rate_limited') this.outlet.pauseReading();
      arrival.outcome = outcome;
      this.storeVerified();
    });
  }

  /** Resolves when every frame that has come is verified and on its way to the disk, or refused. */
  verified(): Promise<void> {
    return this.unverified.length === 0 ? Promise.resolve() : new Promise((resolve) => this.onVerified.push(resolve));
  }

  private storeVerified(): void {
    for (let outcome = this.unverified[0]?.outcome; outcome !== undefined; outcome = this.unverified[0]?.outcome) {
      this.store(this.unverified.shift()!, outcome);
      if (this.unverified.length === mostUnverified - 1) this.outlet.readOn();
    }
    if (this.unverified.length > 0) return;
    for (const resolve of this.onVerified.splice(0)) resolve();
  }

  private store(arrival: Arrival, outcome: FrameHeader | Error): void {
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

  /** A refusal that needs no disk waits for earlier frames that do. */
  private answer(arrival: Arrival, answer: IntakeAnswer | Error): void {
    arrival.answer = answer;
    while (this.unanswered[0]?.answer !== undefined) this.send(this.unanswered.shift()!);
  }

  private send({ answer, outcome }: Arrival): void {
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
