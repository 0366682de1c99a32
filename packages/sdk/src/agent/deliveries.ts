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
  /** Events that were taken and are not known to be acknowledged; true while one is held back. */
  private readonly taken = new Map<string, boolean>();
  /** Events of this connection, in order. */
  private delivered: { cursor: number; eventId: string }[] = [];
  private acking = false;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** A new connection: the hub delivers again what it does not know to be acknowledged. */
  restart(): void {
    this.delivered = [];
  }

  deliver({ cursor, event }: Delivery): void {
    // An offer is made to agents that are there, and kept for nobody: there is nothing to acknowledge.
    if (event.kind === 'offer') return this.parts.offer(event);
    const { eventId } = event;
    this.delivered.push({ cursor, eventId });
    if (!this.taken.has(eventId)) {
      this.taken.set(eventId, true);
      if (!this.parts.take(event)) this.taken.set(eventId, false);
    }
    void this.settle();
  }

  release(eventIds: Iterable<string>): void {
    for (const eventId of eventIds) if (this.taken.has(eventId)) this.taken.set(eventId, false);
    void this.settle();
  }

  /** One acknowledgement at a time, of everything up to the first that is held back. */
  private async settle(): Promise<void> {
    if (this.acking) return;
    this.acking = true;
    try {
      for (;;) {
        // Events that came in the same moment are acknowledged together.
        await Promise.resolve();
        const { delivered } = this;
        const held = delivered.findIndex(({ eventId }) => this.taken.get(eventId) === true);
        const safe = held === -1 ? [...delivered] : delivered.slice(0, held);
        const last = safe.at(-1);
        if (!last) return;
        await this.parts.ack(last.cursor);
        // A connection made meanwhile has delivered, and counts, again.
        if (delivered !== this.delivered) continue;
        this.delivered = delivered.slice(safe.length);
        for (const { eventId } of safe) this.taken.delete(eventId);
      }
    } catch {
      // The connection was lost. The hub repeats an unacknowledged event, which is acknowledged then.
    } finally {
      this.acking = false;
    }
  }
}
