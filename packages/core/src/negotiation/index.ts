export { nextTick } from './clock.ts';
export { decide, type NegotiationDecision } from './decide.ts';
export type { ConfirmationSignatures, DecisionTools } from './group-line.ts';
export type {
  ContextContent,
  ContextType,
  InputOf,
  NegotiationEffect,
  NegotiationInput,
  NegotiationNotice,
  NegotiationRefusal,
  NegotiationVerdict,
  NewFork,
  ProposalContent,
} from './inputs.ts';
export { forkRefusal } from './fork.ts';
export { forkNegotiation } from './inheritance.ts';
export { isExpansion } from './intent.ts';
export {
  type LineGroup,
  type Negotiation,
  negotiationLimits,
  type NegotiationOpening,
  openNegotiation,
  type Participant,
} from './negotiation.ts';
export { compareOutcome, needsComparison, type OutcomeComparison } from './outcome.ts';
export { isReceipt, receiptOf } from './receipt.ts';
export { isEnded, type NegotiationRole, type NegotiationState, negotiationStates, stateSteps } from './states.ts';
