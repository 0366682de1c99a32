// One side's view of its negotiation with one peer: plain JSON that the peer stores after every step (A2C-34).

import type { CoordinatorChange, Intent, Need, ProposedAction, TypedPacket } from '@parley/protocol/relay';
import type { NegotiationRole, NegotiationState } from './states.ts';

/** Limits of one negotiation (A2C-17). */
export const negotiationLimits = {
  /** 8 exchanges, each a packet and its answer. */
  packets: 16,
  /** After this many refused proposals of a group, the coordinator's person decides. */
  refusals: 8,
  silenceMs: 48 * 3_600_000,
  urgentSilenceMs: 2 * 3_600_000,
  /** After this many failed executions, people decide what comes next (A2C-29). */
  failures: 3,
  /** Packets that wait for an earlier one; an honest peer needs far fewer. */
  waiting: 32,
  /** Inner IDs and hashes that a peer stores, to notice repeats. */
  remembered: 64,
  /** Forks of one negotiation over its whole life (A2C-20). */
  forks: 8,
  /** A fork of a fork may not be split again. */
  forkDepth: 2,
};

/** A member or the coordinator of a group, with the key under which their peer signs confirmations. */
export interface Participant {
  agent: string;
  key: string;
}

export interface LineGroup {
  participants: Participant[];
  /** Absent while the initiator coordinates. */
  transfers?: CoordinatorChange[];
}

/** The members that have to confirm a group's proposal, and their order. */
export interface ConfirmationTerms {
  confirmers: string[];
  /** The number of confirmations that are enough. */
  quorum: number;
  /** Empty if all members are asked at once. */
  order: string[];
}

export interface OpenProposal {
  hash: string;
  by: 'own' | 'peer';
  actions: ProposedAction[];
  /** A time of this side's clock. Only the coordinator's deadline ends the proposal. */
  deadline: number;
  /** The time of the one reminder to this side's person; null after it, or if there is none. */
  remindAt: number | null;
  ownConfirmed: boolean;
  /** The inner ID of the peer's confirmation. */
  peerConfirmation: string | null;
  /** In a group: the confirmations that it needs. */
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
  /** False for a member of a group whose confirmation did not count: it executes nothing. */
  takesPart?: boolean;
  /** In a group: the members whose confirmations counted, and who meet. */
  counted?: string[];
}

export interface Negotiation {
  threadId: string;
  own: string;
  peer: string;
  role: NegotiationRole;
  /** In a group: the participants, and the changes of the coordinator. Absent between two people. */
  group?: LineGroup;
  /** The intent; absent until a packet or the person has stated it. */
  about?: Intent;
  /** The negotiation from which this one was split off, and the number of splits above it. */
  fork?: { parent: string; depth: number };
  /** The negotiations that were split off from this one. */
  forks?: string[];
  /** In a group: the outcome that each other member reports, and the outcomes of this side whose actions failed. */
  otherOutcomes?: Record<string, string>;
  pastOutcomes?: string[];
  /** On a coordinator's line: this member's person has declined for good. */
  hasPeerDeclined?: boolean;
  state: NegotiationState;
  isUrgent: boolean;
  /** The side whose brain could write no valid packet. */
  paused: 'own' | 'peer' | null;
  /** Both people decide, because the agents used up their exchanges. */
  isEscalated: boolean;
  /** The responder's person declined, and the coordinator has not answered. A member of a group stays out after the answer too. */
  isClosing: boolean;
  /** The outcome or a report did not come in time. */
  isOverdue: boolean;
  /** The time of the last change of state or the last packet. */
  quietSince: number;
  /** Context packets of both sides since the last proposal. */
  packets: number;
  /** Fields that each side has answered or declined. Nobody asks for them again. */
  answered: { own: string[]; peer: string[] };
  /** Needs that wait for an answer of this side. */
  openNeeds: Need[];
  /** Needs that wait for an answer of the peer. */
  asked: Need[];
  /** The highest proposal number of each side. */
  numbers: { own: number; peer: number };
  /** The latest valid proposal. It stays after a decline, because the next proposal names it. */
  proposal: OpenProposal | null;
  execution: ExecutionProgress | null;
  /** Conditions for the next proposals, learned from failed actions. */
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
