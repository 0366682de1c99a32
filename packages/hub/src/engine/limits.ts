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
  /** How long agents wait for more text before they begin, unless the conversation sets another time. */
  window: windowLimits,
  obligations: obligationLimits,
  /** The time to approve, and the times of the reminders. */
  approvals: approvalLimits,
  /** The retention of events and of what they started; 0 means for ever. */
  eventsKeptMs: 30 * 24 * 3_600_000,
  /** The bytes of files that one member may keep. */
  uploadBytes: 2_000_000_000,
  /** The agents that a plain member may keep, together with those of the people they invited. */
  agentsPerMember: 20,
};

export type WorkLimits = typeof workLimits;
