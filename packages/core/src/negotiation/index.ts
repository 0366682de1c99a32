export { nextTick } from './clock.ts';
export { decide, type DecisionTools, type NegotiationDecision } from './decide.ts';
export type {
  ContextContent,
  ContextType,
  InputOf,
  NegotiationEffect,
  NegotiationInput,
  NegotiationNotice,
  NegotiationRefusal,
  NegotiationVerdict,
  ProposalContent,
} from './inputs.ts';
export { forkNegotiation, type Negotiation, negotiationLimits, type NegotiationOpening, openNegotiation } from './negotiation.ts';
export { isReceipt, receiptOf } from './receipt.ts';
export { isEnded, type NegotiationRole, type NegotiationState, negotiationStates, stateSteps } from './states.ts';
