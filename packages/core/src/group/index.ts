export { decideGroup, type GroupDecision, type GroupEffect, type GroupInput, isReadyToPropose, nextGroupTick } from './decide-group.ts';
export { type NegotiationGroup, type GroupLines, type GroupOpening, groupProblem, openGroup } from './group.ts';
