export { decideGroup, type GroupDecision, type GroupEffect, type GroupInput } from './decide-group.ts';
export { type NegotiationGroup, type GroupLines, type GroupOpening, groupProblem, openGroup } from './group.ts';
export { isOutOfPatience, isReadyToPropose, nextGroupTick, silentMembers } from './group.ts';
export {
  answerOffer,
  followTransfer,
  isCoordinatorAgain,
  isProvenOpening,
  offerMs,
  offerTransfer,
  takeAnswer,
  takeOver,
  type TransferRefusal,
} from './transfer.ts';
