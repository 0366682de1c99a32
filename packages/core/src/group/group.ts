// A group as its coordinator sees it (A2C-30): a line with each member, all under one thread ID, and one proposal for all of them.

import type { CoordinatorChange, ProposedAction } from '@parley/protocol/relay';
import type { ProposalContent, CountedConfirmation } from '../negotiation/inputs.ts';
import {
  type ConfirmationTerms,
  type ExecutionProgress,
  type LineGroup,
  type Negotiation,
  openNegotiation,
  type Participant,
} from '../negotiation/negotiation.ts';
import type { NegotiationState } from '../negotiation/states.ts';
import { isEnough, mostParticipants } from '../negotiation/group-line.ts';

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

// Whom a group still waits for, and whether its coordinator may propose (A2C-27).

/** When a tick would next change something, beside the lines' own. */
export function nextGroupTick({ state, proposal, answersBy, isPatienceOver, offer }: NegotiationGroup): number | null {
  if (state === 'PROPOSED') return proposal!.remindAt ?? proposal!.deadline;
  if (!isTalking(state)) return null;
  const times = [...(offer ? [offer.until] : []), ...(isPatienceOver ? [] : [answersBy])];
  return times.length === 0 ? null : Math.min(...times);
}

export const isTalking = (state: NegotiationState): boolean => state === 'INITIATED' || state === 'NEGOTIATING';

/** Whether the coordinator may propose: everybody has answered, or enough have and the others let the time pass (A2C-27). */
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

/** Those whom the group still waits for. */
export const silentMembers = (lines: GroupLines): string[] =>
  Object.values(lines)
    .filter(hasNotAnswered)
    .map(({ peer }) => peer);

/** The time for answers is over, and nobody has decided what follows from it. */
export const isOutOfPatience = ({ state, isPatienceOver, isEscalated, offer }: NegotiationGroup): boolean =>
  isTalking(state) && isPatienceOver && !isEscalated && !offer;

// Who confirmed a group's proposal, who refused it, and whose turn it is (A2C-27).

export interface Ballot {
  confirmations: CountedConfirmation[];
  isAgreed: boolean;
  /** Too many refused: `declined` by people who are out for good, `conflict` where another proposal may suit. */
  failure: 'declined' | 'conflict' | null;
  /** Whose person is asked next, or now. */
  turn: string[];
}

export function countBallot(group: NegotiationGroup, lines: GroupLines): Ballot {
  const { own, proposal } = group;
  const members = Object.values(lines);
  const confirmations = members.flatMap((line) => confirmationOf(line, proposal?.hash));
  if (proposal?.ownSignature) confirmations.unshift({ agent: own, packet_id: null, signature: proposal.ownSignature });
  const confirmed = new Set(confirmations.map(({ agent }) => agent));
  const declined = members.filter((line) => line.hasPeerDeclined).map(({ peer }) => peer);
  const conflicts = members
    .filter((line) => line.proposal?.hash === proposal?.hash && line.proposal?.hasPeerConflict)
    .map(({ peer }) => peer);
  return {
    confirmations,
    isAgreed: proposal !== null && isEnough(termsOf(group), own, confirmed),
    failure: isLost(group, declined) ? 'declined' : isLost(group, [...declined, ...conflicts]) ? 'conflict' : null,
    turn: turnOf(group, confirmed),
  };
}

function confirmationOf({ peer, proposal, hasPeerDeclined }: Negotiation, hash: string | undefined): CountedConfirmation[] {
  if (!proposal || proposal.hash !== hash || proposal.peerConfirmation === null || hasPeerDeclined) return [];
  return [{ agent: peer, packet_id: proposal.peerConfirmation, signature: proposal.peerSignature }];
}

/** Without these, the group can no longer agree. */
function isLost({ participants, quorum, order }: NegotiationGroup, refusing: readonly string[]): boolean {
  const left = participants.length - new Set(refusing).size;
  return left < quorum || order.some((agent) => refusing.includes(agent));
}

/** The first of the order who has not confirmed; after the order everybody else. */
function turnOf({ participants, order, own }: NegotiationGroup, confirmed: ReadonlySet<string>): string[] {
  const next = order.find((agent) => !confirmed.has(agent));
  const others = participants.map(({ agent }) => agent).filter((agent) => !order.includes(agent));
  if (next === undefined) return others;
  // The coordinator's own wish to go ahead comes first, unless the order says another place.
  return order.includes(own) || confirmed.has(own) ? [next] : [own];
}
