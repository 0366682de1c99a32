// What a brain is given, and what it may answer. It sees nothing of the person that the peer may not get (A2C-21).

import type { RelationshipHabits } from '@parley/core/memory';
import type { ContextContent, ContextType, NegotiationRole, NegotiationState, ProposalContent } from '@parley/core/negotiation';
import type { FreeFields, Intent, Need, UnavailableField } from '@parley/protocol/relay';
import type { LocalZone, TimeWindow } from './meetings/local-time.ts';

export interface NeedAnswers {
  context_provided: FreeFields;
  context_unavailable: UnavailableField[];
}

export interface SiblingView {
  intent: string;
  /** Both confirmed it; else it is proposed, or will be. */
  isAgreed: boolean;
  summary: string;
  /** Such as dinner. */
  event: string | null;
  /** This one was split off from it. */
  isParent: boolean;
  /** When it is proposed, or will probably be; null where nobody knows. */
  window: TimeWindow | null;
}

export interface BrainView {
  /** Addresses of this person and of the other. */
  own: string;
  peer: string;
  role: NegotiationRole;
  /** Whether more than two take part. Then the coordinator proposes to all at once, and no brain does on one line. */
  isGroup: boolean;
  state: NegotiationState;
  /** Nothing was sent or received yet. */
  isFirst: boolean;
  intent: Intent;
  /** Whose words it is in: each side can change it (A2C-19). */
  intentBy: 'own' | 'peer';
  /** Values of this person that the peer may get. */
  visible: FreeFields;
  /** What the peer's needs get: all of it goes into the next packet. Null where the peer needs nothing. */
  answers: NeedAnswers | null;
  /** Needs that the person gave with the intent. */
  wanted: readonly Need[];
  received: FreeFields;
  /** Values that this peer gave in earlier negotiations and that still count: they need not be asked for again. */
  remembered: FreeFields;
  /** What this peer usually gives and declines, and which of their wishes they usually call how flexible. */
  habits: Pick<RelationshipHabits, 'shares' | 'declines' | 'flexibility'>;
  /** Values that this peer may get and will probably ask for: they go into the first packet. */
  expected: FreeFields;
  /** Fields that the peer does not give. */
  unavailable: readonly string[];
  /** Needs that wait for the peer. */
  asked: readonly Need[];
  /** Fields that this side has sent. */
  sent: readonly string[];
  constraints: readonly string[];
  /** Starts that somebody did not want. */
  rejected: readonly number[];
  peerWish: string | null;
  /** The words of this side's person about a proposal or a conflict: they were written for the peer. */
  ownWish: string | null;
  /** The start of the latest proposal. */
  lastStart: number | null;
  /** How many days ahead to look. */
  searchDays: number;
  awaitsProposal: boolean;
  /** Its parent and forks, with the same peer: what was proposed there is known to both. */
  siblings: readonly SiblingView[];
  now: number;
  zone: LocalZone;
  /** The other person's, where they told it. */
  peerZone?: LocalZone;
  /** Times that a meeting in person would touch because the person is on the way to or from an event elsewhere. */
  travel: (span: TimeWindow) => TimeWindow[];
  /** False: the peer may not know the person's free time, and `free` has usual hours. */
  isOwnTimeKnown: boolean;
  /** The tool for the person's free time: windows, never events. */
  free: (span: TimeWindow) => TimeWindow[];
}

/** Which model took a step, for the person to read. */
export interface MoveOrigin {
  task: string;
  size: string;
  provider: string;
  model: string;
  /** From 0 to 1, as the model stated it. */
  confidence: number;
  /** The model had read words of the peer (SYS-13). */
  isTainted: boolean;
  /** Names of what the model wanted and may not; it did not happen. */
  dropped: string[];
}

export type BrainMove = (
  | { kind: 'send'; type: ContextType; content: ContextContent }
  | { kind: 'propose'; content: ProposalContent }
  /** Narrows what it is about; only a person widens it. */
  | { kind: 'change_intent'; intent: Intent; reason?: string }
  | { kind: 'wait' }
) & { origin?: MoveOrigin };

export interface BrainAttempt {
  /** Why the last step was refused. */
  problem?: string | null;
  /** Ends a thought that nobody waits for any more. */
  signal?: AbortSignal;
}

/** Throws, or answers something that is no valid packet: then it gets the reason and tries again, up to three times (A2C-36). */
export type PeerBrain = (view: BrainView, attempt?: BrainAttempt) => Promise<BrainMove>;

/** No model answered. The packet waits, and is tried again later (A2C-35). */
export class BrainAway extends Error {}
