// Inputs of a negotiation, and the effects that a peer performs after it has stored the next state.

import type { FreeFields, Intent, Need, PacketContents, TypedPacket, UnavailableField } from '@parley/protocol/relay';
import type { ConfirmationTerms } from './negotiation.ts';

/** Types that a brain sends while the two still talk. */
export type ContextType = 'context' | 'context_request' | 'context_response';

/** The members of a packet that the machine looks at; others pass as they are. */
export interface ContextContent {
  [member: string]: unknown;
  needs?: Need[] | undefined;
  additional_context_needed?: Need[] | undefined;
}

/** What a fork is about, under its own ID. */
export interface NewFork {
  thread_id: string;
  intent: Intent;
}

type ResolutionMembers = PacketContents<'resolution'>;
/** A proposal as a brain writes it; number, predecessor and confirmers are added here. */
export type ProposalContent = Pick<ResolutionMembers, 'proposal' | 'confirmation_timeout'> &
  Partial<Pick<ResolutionMembers, 'actions_on_confirm' | 'on_timeout'>> & {
    /** Answers to the peer's needs, which come with the proposal. */
    context_provided?: FreeFields;
    context_unavailable?: UnavailableField[];
  };

/** One member's confirmation, as the coordinator's outcome lists it. */
export type CountedConfirmation = PacketContents<'resolution_outcome'>['confirmations'][number];

/** On a coordinator's line: the group's proposal, equal on every line. */
export interface GroupProposal {
  terms: ConfirmationTerms;
  number: number;
  after: string | null;
  /** When it ends, by the coordinator's clock; absent in one that was stored before proposals said it. */
  expiresAt?: string | undefined;
}

export type NegotiationInput =
  | { kind: 'packet'; packet: TypedPacket }
  /** `person`: the person wrote it, so the exchanges are not counted against it. */
  | { kind: 'send'; type: ContextType; content: ContextContent; by: 'agent' | 'person' }
  /** A changed request (A2C-19). `context`: values from the new words of this side's person. Only a person widens the scope. */
  | { kind: 'change_intent'; intent: Intent; reason?: string; needs?: Need[]; context?: FreeFields; by: 'agent' | 'person' }
  /** The person splits something off (A2C-20). `shared`: what both know already. */
  | { kind: 'fork'; threads: NewFork[]; shared?: FreeFields }
  | { kind: 'propose'; content: ProposalContent; of?: GroupProposal }
  /** No valid packet after three tries (A2C-36). */
  | { kind: 'give_up'; reason: string }
  /** The person confirms, suggests something different, or declines for good. */
  | {
      kind: 'confirm';
      hash: string;
      /** On a coordinator's line: those that made the group's agreement. */ counted?: CountedConfirmation[];
    }
  /** `isSaid`: this member said so itself. */
  | { kind: 'suggest'; hash: string; message?: string; isSaid?: boolean }
  | { kind: 'decline'; message?: string }
  /** The person lets a paused or escalated negotiation go on. */
  | { kind: 'continue' }
  | { kind: 'begin'; hash: string }
  | { kind: 'done'; hash: string; scope: 'shared' | 'own' }
  /** `completed`: how many actions of this side were done before; they are to be undone. */
  | { kind: 'failed'; hash: string; scope: 'shared' | 'own'; constraint: string; completed: number }
  | { kind: 'undone'; hash: string; irreversible: number[] }
  /** The group's time is over. */
  | { kind: 'expire' }
  | { kind: 'tick' };

/** The members of one kind of input. */
export type InputOf<K extends NegotiationInput['kind']> = Extract<NegotiationInput, { kind: K }>;

export type NegotiationNotice =
  | 'stalled'
  | 'escalated'
  | 'paused'
  | 'intent_changed'
  | 'forked'
  | 'fork_refused'
  | 'reminder'
  | 'overdue'
  | 'peer_suggested'
  | 'confirmed'
  | 'confirmed_without_you'
  | 'confirmed_before_decline'
  | 'false_outcome'
  | 'impossible_time'
  | 'second_outcome'
  | 'unsafe_quorum'
  | 'expired'
  | 'declined'
  | 'failed'
  | 'irreversible'
  | 'completed';

export type NegotiationEffect =
  | { kind: 'send'; type: string; content: Record<string, unknown> }
  /** The brain looks at the negotiation again; it answers these needs, and no others. */
  | { kind: 'evaluate'; needs: Need[] }
  | { kind: 'ask_confirmation'; hash: string }
  | { kind: 'withdraw_confirmation'; hash: string }
  /** What it is about now. A wider scope needs this side's person before anything more goes out. */
  | { kind: 'change_intent'; by: 'own' | 'peer'; before: Intent | null; intent: Intent; isExpanded: boolean; reason: string | null }
  /** These members get the outcome, so that nobody can have another one. */
  | { kind: 'compare_outcome'; hash: string; confirmations: CountedConfirmation[]; members: string[] }
  | { kind: 'fork'; by: 'own' | 'peer'; threads: NewFork[]; shared: FreeFields }
  /** Actions to execute in this order, by their place in the proposal. */
  | { kind: 'run'; hash: string; scope: 'shared' | 'own'; actions: number[] }
  /** The executor undoes what it did for this proposal, last first. */
  | { kind: 'undo'; hash: string }
  | { kind: 'notify'; notice: NegotiationNotice; details?: Record<string, unknown> };

/** Why something cannot be split off. */
export type ForkRefusal = 'wrong_parent' | 'thread_id_in_use' | 'too_many_forks' | 'too_deep_fork';

export type NegotiationRefusal =
  | 'ended'
  | 'not_in_this_state'
  | 'not_for_this_role'
  | 'wrong_sender'
  | 'repeated'
  | 'stale'
  | 'crossed'
  | 'wrong_confirmers'
  | 'unsigned'
  | 'false_outcome'
  /** Of a proposal that nobody can keep. */
  | 'impossible_time'
  /** Another member got another outcome. */
  | 'second_outcome'
  /** Too few confirmations are enough for a member who can compare the outcome with nobody. */
  | 'unsafe_quorum'
  | 'already_confirmed'
  | 'closing'
  | 'paused'
  | 'exchange_limit'
  | 'nothing_to_ask'
  | 'too_many_needs'
  | 'required_need_open'
  | 'out_of_turn'
  /** An agent may narrow the scope, and not widen it. */
  | 'widens_scope'
  | 'nothing_changes'
  | ForkRefusal
  /** A type that two peers have no use for, such as a transfer of the coordinator's role. */
  | 'not_handled';

/** `held`: the packet waits inside the negotiation for one that it refers to. */
export type NegotiationVerdict = 'accepted' | 'held' | NegotiationRefusal;
