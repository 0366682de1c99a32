// What a fork has of its parent (A2C-20).

import type { NewFork } from './inputs.ts';
import { type Negotiation, openNegotiation } from './negotiation.ts';

/** The roles stay, also where the responder splits it off. At the limit of its exchanges it is at the limit too: a fork gives agents no more of them. */
export const forkNegotiation = (parent: Negotiation, { thread_id: threadId, intent }: NewFork, now: number): Negotiation => ({
  ...openNegotiation({ threadId, own: parent.own, peer: parent.peer, role: parent.role }, now),
  about: intent,
  fork: { parent: parent.threadId, depth: (parent.fork?.depth ?? 0) + 1 },
  isUrgent: parent.isUrgent,
  isEscalated: parent.isEscalated,
  packets: parent.packets,
  answered: structuredClone(parent.answered),
});

/** Until the peer has sent something there: its own copy of the packet that split it off may still be on the way. */
export const forkHead = ({ fork: split, about, seen }: Negotiation): Record<string, unknown> =>
  split && seen.length === 0 ? { parent_thread_id: split.parent, intent: about } : {};
