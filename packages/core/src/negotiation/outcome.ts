// The ends of a negotiation between two: only the coordinator decides one, so that both sides have the same (A2C-28).

import type { PacketContents } from '@parley/protocol/relay';
import { type NegotiationDraft, moveTo, notify } from './draft.ts';
import { agreedBy, type DecisionTools } from './group-line.ts';
import type { InputOf, NegotiationVerdict } from './inputs.ts';
import type { Negotiation } from './negotiation.ts';
import { otherOutcome, shareOutcome } from './other-outcomes.ts';

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
