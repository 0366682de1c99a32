// The ends of a negotiation between two: only the coordinator decides one, so that both sides have the same (A2C-28).

import type { PacketContents, Packet } from '@parley/protocol/relay';
import { type NegotiationDraft, moveTo, notify, draftOf } from './draft.ts';
import { agreedBy, type DecisionTools, isSigned } from './group-line.ts';
import type { InputOf, NegotiationVerdict, CountedConfirmation, NegotiationEffect } from './inputs.ts';
import type { Negotiation, ConfirmationTerms } from './negotiation.ts';

/** The person's open question about the proposal is over. */
export function withdraw({ value, effects }: NegotiationDraft): void {
  effects.push({ kind: 'withdraw_confirmation', hash: value.proposal!.hash });
}

/** The real reason stays on the device (A2C-26). */
export const declineContent = (hash: string | null, reasonClass: string, message: string | undefined): Record<string, unknown> => ({
  status: 'declined',
  proposal_hash: hash,
  reason_class: reasonClass,
  ...(message === undefined ? {} : { message_to_other_agent: message }),
  actual_reason: null,
});

/** Two ends at once would differ, so only the coordinator ends; the responder's person is heard by it. */
export function decline(draft: NegotiationDraft, { message }: InputOf<'decline'>): NegotiationVerdict {
  const { value, effects } = draft;
  if (value.role === 'initiator') return endDeclined(draft, message);
  value.isClosing = true;
  if (value.state === 'PROPOSED') withdraw(draft);
  const content = declineContent(value.proposal?.hash ?? null, 'user_declined', message);
  effects.push({ kind: 'send', type: 'resolution_response', content });
  return 'accepted';
}

/** The initiator passes a decline on as its outcome; the responder only follows. */
export function endDeclined(draft: NegotiationDraft, message: string | undefined): NegotiationVerdict {
  const { value, effects } = draft;
  if (value.state === 'PROPOSED') withdraw(draft);
  moveTo(draft, 'DECLINED');
  endClosing(value);
  if (value.role === 'initiator') {
    const words = message === undefined ? {} : { message_to_other_agent: message };
    const content = { status: 'declined', proposal_hash: value.proposal?.hash ?? null, confirmations: [], ...words };
    effects.push({ kind: 'send', type: 'resolution_outcome', content });
  }
  notify(draft, 'declined', { message });
  return 'accepted';
}

/** A member of a group who declined is out, however the others end it, unless its confirmation came first and counts. */
function endClosing(value: Negotiation, isCounted = false): void {
  if (!value.group || isCounted) value.isClosing = false;
}

export function receiveOutcome(
  draft: NegotiationDraft,
  outcome: PacketContents<'resolution_outcome'>,
  tools: DecisionTools,
): NegotiationVerdict {
  const { value } = draft;
  const { proposal } = value;
  // Its hash is known from one that was refused.
  if (!proposal) return 'stale';
  if (outcome.status === 'expired') {
    // A proposal that crossed the expiry never counted.
    if (proposal.hash !== outcome.proposal_hash) Object.assign(proposal, { hash: outcome.proposal_hash, actions: [] });
    return endExpired(draft);
  }
  if (proposal.hash !== outcome.proposal_hash || proposal.hasFailed) return 'stale';
  const agents = outcome.confirmations.map(({ agent }) => agent);
  const isCounted = agents.includes(value.own);
  // Nobody can confirm for this side's person.
  if (isCounted && !proposal.ownConfirmed) return 'false_outcome';
  let counted: string[] | undefined;
  if (value.group) {
    counted = agreedBy(value, outcome.confirmations, tools);
    if (!counted) return 'false_outcome';
    if (otherOutcome(value, proposal.hash)) return 'second_outcome';
    if (!isCounted) withdraw(draft);
    if (value.state === 'STALLED') moveTo(draft, 'NEGOTIATING');
    if (value.state === 'NEGOTIATING') moveTo(draft, 'PROPOSED');
  } else if (!isCounted || !agents.includes(value.peer)) return 'false_outcome';
  moveTo(draft, 'CONFIRMED');
  value.execution = {
    shared: 'waiting',
    own: 'waiting',
    peerDone: false,
    ...(isCounted ? {} : { takesPart: false }),
    ...(counted ? { counted } : {}),
  };
  const notice = value.isClosing ? 'confirmed_before_decline' : 'confirmed';
  notify(draft, isCounted ? notice : 'confirmed_without_you', { hash: proposal.hash });
  endClosing(value, isCounted);
  value.isOverdue = false;
  if (value.group) shareOutcome(draft, outcome.confirmations, tools);
  return 'accepted';
}

/** By the coordinator's clock, or at the responder by the coordinator's word. */
export function endExpired(draft: NegotiationDraft): NegotiationVerdict {
  const { value, effects } = draft;
  if (value.state === 'PROPOSED') withdraw(draft);
  if (value.state === 'STALLED') moveTo(draft, 'NEGOTIATING');
  if (value.state === 'NEGOTIATING') moveTo(draft, 'PROPOSED');
  moveTo(draft, 'EXPIRED');
  endClosing(value);
  if (value.role === 'initiator') {
    const content = { status: 'expired', proposal_hash: value.proposal!.hash, confirmations: [] };
    effects.push({ kind: 'send', type: 'resolution_outcome', content });
  }
  notify(draft, 'expired', { hash: value.proposal!.hash });
  return 'accepted';
}

// One negotiation has one outcome (A2C-27). A coordinator that lies could agree on one proposal with some members and on another with the
// rest, where few confirmations are enough. So members who know each other compare what they got.

/** The other members than the coordinator and this side. */
const otherMembers = ({ group, own, peer }: Negotiation): string[] =>
  (group?.participants ?? []).map(({ agent }) => agent).filter((agent) => agent !== own && agent !== peer);

/** Whether two sets of confirmations may share no member but the coordinator, who can lie and be in both. */
export const needsComparison = (quorum: number, participants: number): boolean => 2 * (quorum - 1) <= participants - 1;
/** Of all who take part: a coordinator could ask each half of them for its own proposal. */
const isMajority = ({ group }: Negotiation, { quorum }: ConfirmationTerms): boolean => !needsComparison(quorum, group!.participants.length);

const knownMembers = (value: Negotiation, { signatures }: DecisionTools): string[] =>
  otherMembers(value).filter((agent) => signatures?.knows(agent));

/** Without a majority this side has to know somebody to compare the outcome with. */
export const isSafe = (value: Negotiation, terms: ConfirmationTerms, tools: DecisionTools): boolean =>
  isMajority(value, terms) || knownMembers(value, tools).length > 0;

/** After an outcome that a majority need not know of. */
function shareOutcome({ value, effects }: NegotiationDraft, confirmations: CountedConfirmation[], tools: DecisionTools): void {
  const members = knownMembers(value, tools);
  const { hash, terms } = value.proposal!;
  if (members.length > 0 && !isMajority(value, terms!)) effects.push({ kind: 'compare_outcome', hash, confirmations, members });
}

/** An outcome that another member got for something else, and that no failure explains. */
export const otherOutcome = ({ otherOutcomes = {} }: Negotiation, hash: string): { by: string; hash: string } | undefined =>
  Object.entries(otherOutcomes)
    .map(([by, one]) => ({ by, hash: one }))
    .find((one) => one.hash !== hash);

export interface OutcomeComparison {
  verdict: NegotiationVerdict;
  negotiation: Negotiation;
  effects: NegotiationEffect[];
}

/** A member says which outcome it got. The coordinator's signature proves it: a member alone can raise no alarm. */
export function compareOutcome(
  negotiation: Negotiation,
  { from, proposal_hash: hash, status, confirmations }: Packet & PacketContents<'resolution_outcome'>,
  tools: DecisionTools,
): OutcomeComparison {
  const draft = draftOf(negotiation, tools.now);
  const { value } = draft;
  const refuse = (verdict: NegotiationVerdict): OutcomeComparison => ({ verdict, negotiation, effects: [] });
  if (!otherMembers(value).includes(from) || value.role !== 'responder') return refuse('wrong_sender');
  const word = confirmations.find(({ agent }) => agent === value.peer);
  if (status !== 'confirmed' || hash === null || !word || !isSigned(value, hash, word, tools)) return refuse('unsigned');
  // Of a proposal whose actions failed, everybody had the same outcome.
  if (value.otherOutcomes?.[from] === hash || value.pastOutcomes?.includes(hash)) return refuse('repeated');
  value.otherOutcomes = { ...value.otherOutcomes, [from]: hash };
  const { proposal, execution } = value;
  if (execution !== null && proposal!.hash !== hash) notify(draft, 'second_outcome', { by: from, hash });
  return { verdict: 'accepted', negotiation: value, effects: draft.effects };
}
