// A brain's view in the middle of a negotiation about a dinner, for tests of brains.

import type { BrainView } from '../../src/negotiate/peer-brain.ts';
import { utc } from '../../src/negotiate/meetings/local-time.ts';
import { freeWindows } from '../../src/negotiate/meetings/windows.ts';

/** A Tuesday. */
export const tuesday = Date.parse('2026-11-17T10:00Z');

/** Bob's: Ann has asked him for a dinner on Friday, and told when she is free. */
export const viewOf = (changes: Partial<BrainView> = {}): BrainView => ({
  own: 'agent:bob@relay.example',
  peer: 'agent:ann@relay.example',
  role: 'responder',
  state: 'NEGOTIATING',
  isFirst: false,
  intent: { summary: 'Dinner on Friday' },
  intentBy: 'peer',
  isOwnTimeKnown: true,
  visible: {},
  answers: null,
  wanted: [],
  received: { time_windows: ['2026-11-20T17:00Z/2026-11-20T22:00Z'] },
  remembered: {},
  habits: { shares: [], declines: [], flexibility: {} },
  expected: {},
  unavailable: ['cuisine_preference', 'transport_mode'],
  asked: [],
  sent: [],
  constraints: [],
  rejected: [],
  peerWish: null,
  ownWish: null,
  lastStart: null,
  searchDays: 14,
  isGroup: false,
  awaitsProposal: false,
  siblings: [],
  now: tuesday,
  zone: utc,
  travel: () => [],
  free: (span) => freeWindows([], span, utc),
  ...changes,
});

/** Of the person who asks, before the first packet. */
export const openingView = (changes: Partial<BrainView> = {}): BrainView =>
  viewOf({ role: 'initiator', intentBy: 'own', state: 'INITIATED', isFirst: true, received: {}, unavailable: [], ...changes });
