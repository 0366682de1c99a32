// The limits of agents at work, with the defaults of a new workspace.

import { approvalLimits, chainLimits, defaultBudgets, obligationLimits, windowLimits } from '@parley/core';

export const workLimits = {
  ...chainLimits,
  /** `^ALL` to more agents than this needs a second confirmation. */
  allWithoutConfirmation: 10,
  /** The time an agent has for a first word after a claim. */
  claimMs: 120_000,
  /** The time an agent has to claim an offer on an open floor; then it is the next one's turn. */
  offerMs: 30_000,
  budgets: defaultBudgets,
  /** How long agents wait for more before they begin, where the conversation says nothing else. */
  window: windowLimits,
  obligations: obligationLimits,
  /** How long a person is asked for approval, and when they are reminded. */
  approvals: approvalLimits,
  /** How long events are kept, and what they started; 0: for ever. */
  eventsKeptMs: 30 * 24 * 3_600_000,
  /** How many bytes of files one member keeps. */
  uploadBytes: 2_000_000_000,
  /** How many agents a plain member keeps, with those of the people they invited. */
  agentsPerMember: 20,
};

export type WorkLimits = typeof workLimits;
