// A group from its coordinator's side (A2C-30): one line with each member, all under one thread ID, and one proposal for all of them. The
// coordinator may propose when enough members have answered (A2C-27).

import type { CoordinatorChange, ProposedAction } from '@parley/protocol/relay';
import type { ProposalContent } from '../negotiation/inputs.ts';
import {
  type ConfirmationTerms,
  type ExecutionProgress,
  type LineGroup,
  type Negotiation,
  openNegotiation,
  type Participant,
} from '../negotiation/negotiation.ts';
import type { NegotiationState } from '../negotiation/states.ts';
import { mostParticipants } from '../negotiation/group-line.ts';

export interface GroupProposalState {
  hash: string;
  content: ProposalContent;
  number: number;
  after: string | null;
  actions: ProposedAction[];
  /** The deadline as the proposal names it. */
  expiresAt?: string;
  /** A time of the coordinator's clock, which counts for everybody. */
  deadline: number;
  /** The time of the one reminder to the coordinator's person; null after it, or if there is none. */
  remindAt: number | null;
  /** The coordinator's person was asked to confirm. In an order, this happens when it is their turn. */
  isOwnAsked: boolean;
  /** The signature of the coordinator's own confirmation. */
  ownSignature: string | null;
}

export interface NegotiationGroup {
  threadId: string;
  own: string;
  /** All members and the coordinator. */
  participants: Participant[];
  /** The number of confirmations that are enough, with the coordinator's. */
  quorum: number;
  /** The order of confirmations; empty if all are asked at once. */
  order: string[];
  state: NegotiationState;
  /** With a quorum, the coordinator waits for answers until this time. */
  answersBy: number;
  /** How long members have for an answer. */
  patienceMs: number;
  /** The coordinator has noticed that this time is over. */
  isPatienceOver: boolean;
  isEscalated: boolean;
  /** The reason is that too few have answered. Later answers still count. */
  isSilent?: boolean;
  /** Proposals that members refused since the coordinator's person last decided something. */
  refusals?: number;
  proposal: GroupProposalState | null;
  execution: Pick<ExecutionProgress, 'shared' | 'own'> | null;
  constraints: string[];
  /** The changes of the coordinator; absent if this side opened the group. */
  transfers?: CoordinatorChange[];
  /** The offer of the role to a member. Nothing is proposed until the member answers, or the offer expires. */
  offer?: TransferOffer;
}

export interface TransferOffer {
  to: string;
  number: number;
  until: number;
}

/** The lines, by the member's address. */
export type GroupLines = Readonly<Record<string, Negotiation>>;

export interface GroupOpening {
  threadId: string;
  own: string;
  participants: Participant[];
  quorum?: number | undefined;
  order?: readonly string[] | undefined;
  /** How long members have for their first answer. */
  patienceMs?: number | undefined;
  transfers?: CoordinatorChange[] | undefined;
}

/** The time for answers if the opening names none. */
const usualPatienceMs = 12 * 3_600_000;

/** Explains why an opening is refused; undefined if it is valid. */
export function groupProblem({ own, participants, quorum, order = [] }: GroupOpening): string | undefined {
  const agents = participants.map(({ agent }) => agent);
  if (agents.length < 3 || agents.length > mostParticipants)
    return `A group has 3 to ${mostParticipants} participants with you; this one has ${agents.length}.`;
  const twice = agents.find((agent, at) => agents.indexOf(agent) !== at);
  if (twice !== undefined) return `${twice} is named twice. Name each participant once.`;
  if (quorum !== undefined && !(Number.isInteger(quorum) && quorum >= 2 && quorum <= agents.length))
    return `quorum: ${quorum} of ${agents.length} cannot confirm. Use a number from 2 to ${agents.length}; you count too.`;
  const stranger = order.find((agent) => !agents.includes(agent));
  if (stranger !== undefined) return `order: ${stranger} takes no part. Name only participants.`;
  if (new Set(order).size !== order.length) return 'order: name each participant once.';
  return agents.includes(own) ? undefined : `${own} coordinates and is no participant.`;
}

export function openGroup(opening: GroupOpening, now: number): { group: NegotiationGroup; lines: GroupLines } {
  const { threadId, own, participants, quorum = participants.length, order = [], patienceMs = usualPatienceMs, transfers } = opening;
  const group: NegotiationGroup = {
    threadId,
    own,
    participants: participants.toSorted((a, b) => (a.agent < b.agent ? -1 : 1)),
    quorum,
    order: [...order],
    state: 'INITIATED',
    answersBy: now + patienceMs,
    patienceMs,
    isPatienceOver: false,
    isEscalated: false,
    proposal: null,
    execution: null,
    constraints: [],
    ...(transfers ? { transfers } : {}),
  };
  const members = group.participants.filter(({ agent }) => agent !== own);
  const line = ({ agent: peer }: Participant): [string, Negotiation] => [
    peer,
    openNegotiation({ threadId, own, peer, role: 'initiator', group: lineGroupOf(group) }, now),
  ];
  return { group, lines: Object.fromEntries(members.map(line)) };
}

export const lineGroupOf = ({ participants, transfers }: NegotiationGroup): LineGroup => ({
  participants,
  ...(transfers ? { transfers } : {}),
});

export const termsOf = ({ participants, quorum, order }: NegotiationGroup): ConfirmationTerms => ({
  confirmers: participants.map(({ agent }) => agent),
  quorum,
  order,
});

/** The time at which the next tick changes the group. The lines have times of their own. */
export function nextGroupTick({ state, proposal, answersBy, isPatienceOver, offer }: NegotiationGroup): number | null {
  if (state === 'PROPOSED') return proposal!.remindAt ?? proposal!.deadline;
  if (!isTalking(state)) return null;
  const times = [...(offer ? [offer.until] : []), ...(isPatienceOver ? [] : [answersBy])];
  return times.length === 0 ? null : Math.min(...times);
}

export const isTalking = (state: NegotiationState): boolean => state === 'INITIATED' || state === 'NEGOTIATING';

/** Whether the coordinator may propose (A2C-27): all members have answered, or enough have and the time for answers is over. */
export function isReadyToPropose(
  { state, quorum, isPatienceOver, isEscalated, isSilent, offer }: NegotiationGroup,
  lines: GroupLines,
): boolean {
  if (!isTalking(state) || (isEscalated && !isSilent) || offer) return false;
  const members = Object.values(lines).filter((line) => !line.hasPeerDeclined);
  const answered = members.filter((line) => !hasNotAnswered(line));
  return answered.length === members.length || (isPatienceOver && answered.length + 1 >= quorum);
}

const hasNotAnswered = ({ state, asked, hasPeerDeclined }: Negotiation): boolean =>
  hasPeerDeclined !== true && (state === 'INITIATED' || asked.length > 0);

/** The members whose answers the group still needs. */
export const silentMembers = (lines: GroupLines): string[] =>
  Object.values(lines)
    .filter(hasNotAnswered)
    .map(({ peer }) => peer);

/** Whether the time for answers is over, and nobody has decided how to continue. */
export const isOutOfPatience = ({ state, isPatienceOver, isEscalated, offer }: NegotiationGroup): boolean =>
  isTalking(state) && isPatienceOver && !isEscalated && !offer;
