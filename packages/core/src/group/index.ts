export {
  decideGroup,
  type GroupDecision,
  type GroupEffect,
  type GroupInput,
  isOutOfPatience,
  isReadyToPropose,
  nextGroupTick,
  silentMembers,
} from './decide-group.ts';
export { type NegotiationGroup, type GroupLines, type GroupOpening, groupProblem, openGroup } from './group.ts';
export {
  answerOffer,
  followTransfer,
  isProvenOpening,
  offerMs,
  offerTransfer,
  takeAnswer,
  takeOver,
  type TransferRefusal,
} from './transfer.ts';
