// Sets of states that the peer, the page and the terminal ask for. A state is a text, because a newer peer may send another one.

import type { NegotiationState } from './states.ts';

const setOf = (...states: readonly NegotiationState[]): ReadonlySet<string> => new Set(states);

/** No proposal is open, and one may still come. */
export const talkingStates = setOf('INITIATED', 'NEGOTIATING', 'STALLED');

/** Everyone whose confirmation was needed has confirmed. */
export const agreedStates = setOf('CONFIRMED', 'EXECUTING', 'COMPLETED');

/** No person can answer any more, although peers may still be at work. */
export const decidedStates = setOf('CONFIRMED', 'EXECUTING', 'COMPLETED', 'DECLINED', 'EXPIRED', 'FAILED', 'ROLLBACK');
