// The ballot about a group's proposal (A2C-27): the confirmations, the refusals, and the members whose turn it is.

import { isEnough } from '../negotiation/group-line.ts';
import type { CountedConfirmation } from '../negotiation/inputs.ts';
import type { Negotiation } from '../negotiation/negotiation.ts';
import { type GroupLines, type NegotiationGroup, termsOf } from './group.ts';

export interface Ballot {
  confirmations: CountedConfirmation[];
  isAgreed: boolean;
  /** Why too many refused: `declined` by people who left the group, `conflict` if another proposal may suit. */
  failure: 'declined' | 'conflict' | null;
  /** The members whose persons are asked now or next. */
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

/** Whether the group can no longer agree without the refusing members. */
function isLost({ participants, quorum, order }: NegotiationGroup, refusing: readonly string[]): boolean {
  const remaining = participants.length - new Set(refusing).size;
  return remaining < quorum || order.some((agent) => refusing.includes(agent));
}

/** The first in the order who has not confirmed; after the order, everybody else. */
function turnOf({ participants, order, own }: NegotiationGroup, confirmed: ReadonlySet<string>): string[] {
  const next = order.find((agent) => !confirmed.has(agent));
  const others = participants.map(({ agent }) => agent).filter((agent) => !order.includes(agent));
  if (next === undefined) return others;
  // The coordinator confirms first, unless the order names it elsewhere.
  return order.includes(own) || confirmed.has(own) ? [next] : [own];
}
