// One side's view of its line with one peer, as plain JSON that a peer stores after every step (A2C-34).

import type { CoordinatorChange, Intent, Need, ProposedAction, TypedPacket } from '@parley/protocol/relay';
import type { NegotiationRole, NegotiationState } from './states.ts';

/** A2C-17. */
export const negotiationLimits = {
  /** 8 exchanges: a packet and its answer. */
  packets: 16,
  /** Proposals of a group that members refuse, after which the coordinator's person decides. */
  refusals: 8,
  silenceMs: 48 * 3_600_000,
  urgentSilenceMs: 2 * 3_600_000,
  /** Failed executions, after which people decide what comes next (A2C-29). */
  failures: 3,
  /** Packets that wait for an earlier one; an honest peer needs far fewer. */
  waiting: 32,
  /** Inner IDs and hashes that are remembered against repeats. */
  remembered: 64,
  /** Of one negotiation, over its whole life (A2C-20). */
  forks: 8,
  /** A fork of a fork is the last. */
  forkDepth: 2,
};

/** One who takes part in a group, with the key under which their peer signs confirmations. */
export interface Participant {
  agent: string;
  key: string;
}

export interface LineGroup {
  participants: Participant[];
  /** Absent while the initiator coordinates. */
  transfers?: CoordinatorChange[];
}

/** Who has to confirm a group's proposal, and in which order. */
export interface ConfirmationTerms {
  confirmers: string[];
  /** So many of them are enough. */
  quorum: number;
  /** Empty where everybody is asked at once. */
  order: string[];
}

export interface OpenProposal {
  hash: string;
  by: 'own' | 'peer';
  actions: ProposedAction[];
  /** By this side's clock; only the coordinator's ends anything. */
  deadline: number;
  /** When this side's person gets the one reminder; null after it, or without one. */
  remindAt: number | null;
  ownConfirmed: boolean;
  /** The inner ID of the peer's confirmation. */
  peerConfirmation: string | null;
  /** In a group: whose confirmations it needs. */
  terms?: ConfirmationTerms;
  /** In a group: the signature of the peer's confirmation. */
  peerSignature?: string;
  /** In a group: the peer's person wants something different. */
  hasPeerConflict?: boolean;
  /** At a member of a group: its own person wants something different. */
  hasOwnConflict?: boolean;
  /** In a group: its actions failed, so its outcome does not count a second time. */
  hasFailed?: boolean;
}

/** How far the actions of a confirmed proposal are. */
export interface ExecutionProgress {
  shared: 'waiting' | 'running' | 'done';
  own: 'waiting' | 'running' | 'done';
  peerDone: boolean;
  /** False for a member of a group whose confirmation was not among those that counted: it executes nothing. */
  takesPart?: boolean;
  /** In a group: those whose confirmations counted. They meet. */
  counted?: string[];
}

export interface Negotiation {
  threadId: string;
  own: string;
  peer: string;
  role: NegotiationRole;
  /** On a line of a group: everybody who takes part, and how its coordinator changed. Absent between two. */
  group?: LineGroup;
  /** What it is about; absent until a packet or the person has said so. */
  about?: Intent;
  /** Where it was split off, and how often that happened on the way there. */
  fork?: { parent: string; depth: number };
  /** What was split off from it. */
  forks?: string[];
  /** In a group: the outcome that each other member says it got, and those of this side whose actions failed. */
  otherOutcomes?: Record<string, string>;
  pastOutcomes?: string[];
  /** On a coordinator's line: this member's person has declined for good. */
  hasPeerDeclined?: boolean;
  state: NegotiationState;
  isUrgent: boolean;
  /** A brain could write no valid packet: ours or the peer's. */
  paused: 'own' | 'peer' | null;
  /** Both people decide, because the agents used up their exchanges. */
  isEscalated: boolean;
  /** The responder's person declined, and the coordinator has not answered. A member of a group stays out after the answer too. */
  isClosing: boolean;
  /** No outcome, or no report, came in time. */
  isOverdue: boolean;
  /** When the negotiation last moved or a packet last came. */
  quietSince: number;
  /** Context packets, both ways, since the last proposal. */
  packets: number;
  /** Fields that each side has answered or declined: they are never asked for again. */
  answered: { own: string[]; peer: string[] };
  /** Needs that wait for an answer of this side. */
  openNeeds: Need[];
  /** Needs that wait for an answer of the peer. */
  asked: Need[];
  /** The highest proposal number of each side. */
  numbers: { own: number; peer: number };
  /** The latest proposal that counts; it stays after a decline, so that the next one names it. */
  proposal: OpenProposal | null;
  execution: ExecutionProgress | null;
  /** What failed actions taught. */
  constraints: string[];
  /** Hashes of all proposals, also of crossing ones. */
  hashes: string[];
  /** Inner IDs of the peer's packets. */
  seen: string[];
  /** Packets that came before one that they refer to. */
  waiting: TypedPacket[];
}

export interface NegotiationOpening {
  threadId: string;
  own: string;
  peer: string;
  role: NegotiationRole;
  group?: LineGroup | undefined;
}

export const openNegotiation = ({ threadId, own, peer, role, group }: NegotiationOpening, now: number): Negotiation => ({
  threadId,
  own,
  peer,
  role,
  ...(group ? { group } : {}),
  state: 'INITIATED',
  isUrgent: false,
  paused: null,
  isEscalated: false,
  isClosing: false,
  isOverdue: false,
  quietSince: now,
  packets: 0,
  answered: { own: [], peer: [] },
  openNeeds: [],
  asked: [],
  numbers: { own: 0, peer: 0 },
  proposal: null,
  execution: null,
  constraints: [],
  hashes: [],
  seen: [],
  waiting: [],
});

/** The roles stay, also where the responder splits it off. At the limit of its exchanges it is at the limit too: a fork gives agents no more of them. */
export const forkNegotiation = (
  parent: Negotiation,
  { thread_id: threadId, intent }: { thread_id: string; intent: Intent },
  now: number,
): Negotiation => ({
  ...openNegotiation({ threadId, own: parent.own, peer: parent.peer, role: parent.role }, now),
  about: intent,
  fork: { parent: parent.threadId, depth: (parent.fork?.depth ?? 0) + 1 },
  isUrgent: parent.isUrgent,
  isEscalated: parent.isEscalated,
  packets: parent.packets,
  answered: structuredClone(parent.answered),
});

/** Until the peer has sent something there: its own copy of the packet that split it off may still be on the way. */
export const forkHead = ({ fork: split, about, seen }: Negotiation): Record<string, unknown> =>
  split && seen.length === 0 ? { parent_thread_id: split.parent, intent: about } : {};
