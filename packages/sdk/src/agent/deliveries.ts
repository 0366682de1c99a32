// The hub's deliveries: at least once, in order. Each event is taken once, and acknowledged when it is safe: most of them
// as soon as they are taken, because the next `task` event repeats all messages. The outcome of a sub-task comes only once,
// so it is acknowledged when the task it belongs to has ended.

import type { AgentEvent, Delivery, RoundOffer } from '@parley/protocol';

/** A task that several could take; without a `task`, a message to nobody on an open floor that is offered to this agent now. */
export type Offer = AgentEvent | RoundOffer;

export interface DeliveryParts {
  /** Handles an event; true holds it back from being acknowledged until `release`. */
  take: (event: Exclude<Delivery['event'], RoundOffer>) => boolean;
  offer: (event: Offer) => void;
  ack: (cursor: number) => Promise<unknown>;
}

export class AgentDeliveries {
  private readonly parts: DeliveryParts;
  /** Accepted events without a known acknowledgement. The value is true while the acknowledgement is held back. */
  private readonly isHeldBack = new Map<string, boolean>();
  /** Events of this connection, in order. */
  private delivered: { cursor: number; eventId: string }[] = [];
  private acking = false;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Forgets the old connection: the hub delivers unacknowledged events again over the new one. */
  restart(): void {
    this.delivered = [];
  }

  deliver({ cursor, event }: Delivery): void {
    // The hub stores no offer for an agent, so an offer needs no acknowledgement.
    if (event.kind === 'offer') return this.parts.offer(event);
    const { eventId } = event;
    this.delivered.push({ cursor, eventId });
    if (!this.isHeldBack.has(eventId)) {
      this.isHeldBack.set(eventId, true);
      if (!this.parts.take(event)) this.isHeldBack.set(eventId, false);
    }
    void this.settle();
  }

  release(eventIds: Iterable<string>): void {
    for (const eventId of eventIds) if (this.isHeldBack.has(eventId)) this.isHeldBack.set(eventId, false);
    void this.settle();
  }

  /** Acknowledges all events before the first one that is held back, one acknowledgement at a time. */
  private async settle(): Promise<void> {
    if (this.acking) return;
    this.acking = true;
    try {
      for (;;) {
        // Events that came in the same moment are acknowledged together.
        await Promise.resolve();
        const { delivered } = this;
        const firstHeld = delivered.findIndex(({ eventId }) => this.isHeldBack.get(eventId) === true);
        const safe = firstHeld === -1 ? [...delivered] : delivered.slice(0, firstHeld);
        const last = safe.at(-1);
        if (!last) return;
        await this.parts.ack(last.cursor);
        // A new connection delivers the events again, and starts its own list.
        if (delivered !== this.delivered) continue;
        this.delivered = delivered.slice(safe.length);
        for (const { eventId } of safe) this.isHeldBack.delete(eventId);
      }
    } catch {
      // The connection was lost. The hub repeats an unacknowledged event, which is acknowledged then.
    } finally {
      this.acking = false;
    }
  }
}
