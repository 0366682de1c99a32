// One negotiation has one outcome (A2C-27). A coordinator that lies could agree on one proposal with some members and on another with the
// rest, where few confirmations are enough. So members who know each other compare what they got.

import type { Packet, PacketContents } from '@parley/protocol/relay';
import { type NegotiationDraft, draftOf, notify } from './draft.ts';
import { type DecisionTools, isSigned } from './group-line.ts';
import type { CountedConfirmation, NegotiationEffect, NegotiationVerdict } from './inputs.ts';
import type { ConfirmationTerms, Negotiation } from './negotiation.ts';

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
export function shareOutcome({ value, effects }: NegotiationDraft, confirmations: CountedConfirmation[], tools: DecisionTools): void {
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
