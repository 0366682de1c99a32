// Timeouts of a negotiation. Only the coordinator's clock ends a proposal (A2C-28).

import { type NegotiationDraft, moveTo, notify } from './draft.ts';
import { type Negotiation, negotiationLimits } from './negotiation.ts';
import { endExpired } from './outcome.ts';
import { isExecuting, lineRoleOf } from './states.ts';

const silenceEnd = ({ quietSince, isUrgent }: Negotiation): number =>
  quietSince + (isUrgent ? negotiationLimits.urgentSilenceMs : negotiationLimits.silenceMs);

/** The outcome is on its way when a proposal ends: only one that does not come is overdue. */
const graceMs = 60_000;
const proposalEnd = ({ role, proposal }: Negotiation): number => proposal!.deadline + (role === 'initiator' ? 0 : graceMs);

/** When a tick would next change something. */
export function nextTick(negotiation: Negotiation): number | null {
  const { state, proposal, isOverdue } = negotiation;
  if (state === 'INITIATED' || state === 'NEGOTIATING') return silenceEnd(negotiation);
  if (isExecuting(state)) return isOverdue ? null : silenceEnd(negotiation);
  // The group's own clock ends its proposals.
  if (state !== 'PROPOSED' || !proposal || lineRoleOf(negotiation) === 'coordinator') return null;
  return proposal.remindAt ?? (isOverdue ? null : proposalEnd(negotiation));
}

export function applyClock(draft: NegotiationDraft): 'accepted' {
  const { value, now } = draft;
  const due = nextTick(value);
  if (due === null || now < due) return 'accepted';
  if (isExecuting(value.state)) {
    value.isOverdue = true;
    notify(draft, 'overdue', { hash: value.proposal!.hash });
    return 'accepted';
  }
  if (value.state !== 'PROPOSED') {
    moveTo(draft, 'STALLED');
    notify(draft, 'stalled', { unanswered: value.asked.map(({ field }) => field) });
    return 'accepted';
  }
  const proposal = value.proposal!;
  if (now >= proposalEnd(value)) {
    proposal.remindAt = null;
    if (value.role === 'initiator') endExpired(draft);
    else if (!value.isOverdue) {
      value.isOverdue = true;
      notify(draft, 'overdue', { hash: proposal.hash });
    }
    return 'accepted';
  }
  proposal.remindAt = null;
  if (!proposal.ownConfirmed && !value.isClosing) notify(draft, 'reminder', { hash: proposal.hash });
  return 'accepted';
}
