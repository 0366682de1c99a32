// Whom a group still waits for, and whether its coordinator may propose (A2C-27).

import type { Negotiation } from '../negotiation/negotiation.ts';
import type { NegotiationState } from '../negotiation/states.ts';
import type { GroupLines, NegotiationGroup } from './group.ts';

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
