// Delivers one recipient's queue over one connection: in order per sender, again after every reconnect until it is acknowledged.

import type { FrameDelivery } from '@parley/protocol/relay';
import type { QueuedFrame, RelayStore } from './store/port.ts';

/** Limits of the frames that the client has not acknowledged. */
const mostFrames = 256;
const mostBytes = 4 * 1024 * 1024;
const pageSize = 64;

export interface DeliveryOutlet {
  send: (delivery: FrameDelivery) => void;
  /** True if the recipient blocked this sender. */
  dropsFrom: (from: string) => boolean;
  drop: (frame: QueuedFrame) => void;
  onFailure: (error: unknown) => void;
}

export class QueueDelivery {
  private readonly address: string;
  private readonly store: RelayStore;
  private readonly outlet: DeliveryOutlet;
  /** Reported senders, as of the start of this connection: their frames go last. */
  private readonly offenders: readonly string[];
  private readonly positions = { others: 0, offenders: 0 };
  private readonly unacknowledged = new Map<number, QueuedFrame>();
  private underWay = 0;
  private delivered = 0;
  /** True if every stored frame was sent here. */
  private caughtUp = false;
  private pumping = false;
  private closed = false;

  constructor(address: string, store: RelayStore, offenders: readonly string[], outlet: DeliveryOutlet) {
    this.address = address;
    this.store = store;
    this.offenders = offenders;
    this.outlet = outlet;
  }

  /** A frame was stored just now; `before` is the last one that waits before it, where the store says so. */
  offer(frame: QueuedFrame, before = 0): void {
    const isNext = before <= Math.max(this.positions.others, this.positions.offenders);
    if (this.caughtUp && !this.pumping && this.hasRoom() && isNext) return this.deliver(frame);
    this.caughtUp = false;
    void this.pump();
  }

  /** Looks for stored frames that nobody announced here. */
  recheck(): void {
    this.caughtUp = false;
    void this.pump();
  }

  /** True while a sent frame is not acknowledged. */
  get isUnanswered(): boolean {
    return this.unacknowledged.size > 0;
  }

  /** Takes everything up to this delivery off the list; the caller removes it from the store. */
  acknowledge(through: number): QueuedFrame[] {
    const acknowledged: QueuedFrame[] = [];
    for (const [number, frame] of this.unacknowledged) {
      if (number > through) break;
      this.unacknowledged.delete(number);
      this.underWay -= frame.bytes.length;
      acknowledged.push(frame);
    }
    if (!this.caughtUp) void this.pump();
    return acknowledged;
  }

  /** Reads on while there is room. A frame that comes meanwhile is found by the next page, because it has a higher number. */
  async pump(): Promise<void> {
    if (this.pumping) return;
    this.pumping = true;
    try {
      while (!this.closed && this.hasRoom()) {
        this.caughtUp = true;
        const page = await this.nextPage();
        if (page.length === 0) {
          if (this.caughtUp) break;
          continue;
        }
        for (const frame of page) {
          if (this.closed || !this.hasRoom()) break;
          this.deliver(frame);
        }
        this.caughtUp = false;
      }
    } catch (error) {
      // The rest comes with the next frame, or at the next check.
      this.caughtUp = false;
      this.outlet.onFailure(error);
    } finally {
      this.pumping = false;
    }
  }

  close(): void {
    this.closed = true;
  }

  private async nextPage(): Promise<QueuedFrame[]> {
    const { positions, offenders } = this;
    const page = await this.store.waiting(this.address, positions.others, { only: false, among: offenders }, pageSize);
    if (page.length > 0 || offenders.length === 0) return page;
    return this.store.waiting(this.address, positions.offenders, { only: true, among: offenders }, pageSize);
  }

  private hasRoom(): boolean {
    return this.unacknowledged.size < mostFrames && this.underWay < mostBytes;
  }

  private deliver(frame: QueuedFrame): void {
    const lane = this.offenders.includes(frame.from) ? 'offenders' : 'others';
    if (this.closed || frame.sequence <= this.positions[lane]) return;
    this.positions[lane] = frame.sequence;
    // Dropped here and not where frames come in, so that a blocked sender gets the same answers as any other.
    if (this.outlet.dropsFrom(frame.from)) return this.outlet.drop(frame);
    this.delivered += 1;
    this.unacknowledged.set(this.delivered, frame);
    this.underWay += frame.bytes.length;
    this.outlet.send({ number: this.delivered, storedAt: frame.storedAt, frame: frame.bytes });
  }
}
