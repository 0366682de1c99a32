// A group as its coordinator sees it (A2C-30): a line with each member, all under one thread ID, and one proposal for all of them.

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

export interface GroupProposalState {
  hash: string;
  content: ProposalContent;
  number: number;
  after: string | null;
  actions: ProposedAction[];
  /** The deadline as the proposal names it. */
  expiresAt?: string;
  /** By the coordinator's clock, for everybody. */
  deadline: number;
  /** When the coordinator's person gets the one reminder; null after it, or without one. */
  remindAt: number | null;
  /** The coordinator's person was asked: in an order, when it is their turn. */
  isOwnAsked: boolean;
  /** The signature of the coordinator's own confirmation. */
  ownSignature: string | null;
}

export interface NegotiationGroup {
  threadId: string;
  own: string;
  /** Everybody, the coordinator too. */
  participants: Participant[];
  /** So many confirmations are enough, the coordinator's among them. */
  quorum: number;
  /** Who confirms in which order; empty where everybody is asked at once. */
  order: string[];
  state: NegotiationState;
  /** With a quorum, members who have not answered by then are not waited for. */
  answersBy: number;
  /** How long members have for an answer. */
  patienceMs: number;
  /** That time is over, and the coordinator has looked at it. */
  isPatienceOver: boolean;
  isEscalated: boolean;
  /** It is because too few have answered: answers that come later still count. */
  isSilent?: boolean;
  /** Proposals that members refused since the coordinator's person last decided something. */
  refusals?: number;
  proposal: GroupProposalState | null;
  execution: Pick<ExecutionProgress, 'shared' | 'own'> | null;
  constraints: string[];
  /** How the role came here; absent: this side opened the group. */
  transfers?: CoordinatorChange[];
  /** The role is offered to a member. Nothing is proposed until the member answers, or time is over. */
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

/** Members answer within this time, where nothing else is said. */
const usualPatienceMs = 12 * 3_600_000;
const mostParticipants = 50;

/** Words about an opening that makes no group. */
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
