// States of a negotiation and of a group's members in words: one table for the page, the terminal and MCP.

import type { GroupStatusName } from '@parley/protocol';
import type { NegotiationState } from './states.ts';

/** A hub opens one before the peer knows it, and withdraws it when its person leaves. */
export const negotiationStateTexts: Readonly<Record<NegotiationState | 'OPENING' | 'WITHDRAWN', string>> = {
  OPENING: 'Opening',
  INITIATED: 'Opened',
  NEGOTIATING: 'Negotiating',
  PROPOSED: 'Waiting for confirmation',
  STALLED: 'Stalled',
  CONFIRMED: 'Confirmed',
  EXECUTING: 'Carrying it out',
  FAILED: 'Failed',
  ROLLBACK: 'Undoing',
  COMPLETED: 'Completed',
  DECLINED: 'Declined',
  EXPIRED: 'Expired',
  WITHDRAWN: 'Withdrawn',
};

/** A state of a newer peer is shown as it is. */
export const negotiationStateText = (state: string): string =>
  Object.hasOwn(negotiationStateTexts, state) ? negotiationStateTexts[state as keyof typeof negotiationStateTexts] : state;

export const memberStatusTexts: Readonly<Record<GroupStatusName, string>> = {
  waiting: 'No answer yet',
  answered: 'Answered',
  asked: 'Asked to confirm',
  confirmed: 'Confirmed',
  conflict: 'Wants something different',
  declined: 'Declined',
  missed: 'Enough people confirmed first',
};
