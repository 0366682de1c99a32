// The limits of agents at work, with the defaults of a new workspace.

import {
  type ApprovalLimits,
  approvalLimits,
  type Budgets,
  type ChainLimits,
  chainLimits,
  defaultBudgets,
  type ObligationLimits,
  obligationLimits,
  type WindowLimits,
  windowLimits,
} from '@parley/core';

export interface WorkLimits extends ChainLimits {
  /** `^ALL` to more agents than this needs a second confirmation. */
  allWithoutConfirmation: number;
  /** The time an agent has for a first word after a claim. */
  claimMs: number;
  /** The time an agent has to claim an offer on an open floor; then it is the next one's turn. */
  offerMs: number;
  budgets: Budgets;
  /** How long agents wait for more before they begin, where the conversation says nothing else. */
  window: WindowLimits;
  obligations: ObligationLimits;
  /** How long a person is asked for approval, and when they are reminded. */
  approvals: ApprovalLimits;
  /** How long events are kept, and what they started; 0: for ever. */
  eventsKeptMs: number;
  /** How many agents a plain member keeps, with those of the people they invited. */
  agentsPerMember: number;
  /** How many bytes of files one member keeps. */
  uploadBytes: number;
}

export const workLimits: WorkLimits = {
  ...chainLimits,
  allWithoutConfirmation: 10,
  claimMs: 120_000,
  offerMs: 30_000,
  budgets: defaultBudgets,
  window: windowLimits,
  obligations: obligationLimits,
  approvals: approvalLimits,
  eventsKeptMs: 30 * 24 * 3_600_000,
  uploadBytes: 2_000_000_000,
  agentsPerMember: 20,
};
