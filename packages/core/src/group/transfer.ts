// The coordinator's role goes to a member whose agent accepts it (A2C-30). Three packets: an offer, an acceptance, a grant. The old
// coordinator has the role until it stores the grant, and the new one from the moment that it reads it; between the two nobody has it.
// So there are never two. Each side signs its step, and members follow only both signatures.

import {
  type CoordinatorChange,
  fromBase64Url,
  mostTransfers,
  type Packet,
  type PacketContents,
  transferToSign,
} from '@parley/protocol/relay';
import { type DecisionTools, participantsContent } from '../negotiation/group-line.ts';
import { type LineGroup, type Negotiation, openNegotiation, type Participant } from '../negotiation/negotiation.ts';
import type { NegotiationState } from '../negotiation/states.ts';
import { type GroupLines, groupProblem, isTalking, type NegotiationGroup, openGroup } from './group.ts';

/** How long the member's agent has for its answer. */
export const offerMs = 3_600_000;

export type TransferRefusal =
  | 'not_in_this_state'
  | 'not_a_member'
  | 'to_itself'
  | 'has_declined'
  | 'already_offered'
  | 'too_many_transfers'
  | 'stale'
  | 'unsigned';

type TransferPacket = Packet & PacketContents<'coordinator_transfer'>;
type Refused = { verdict: TransferRefusal };

/** Nothing was confirmed yet, and nothing of an earlier agreement has to be undone. */
const mayChange = ({ state, constraints }: NegotiationGroup): boolean => isTalking(state) && constraints.length === 0;

export function offerTransfer(
  group: NegotiationGroup,
  lines: GroupLines,
  { to, reason }: { to: string; reason?: string | undefined },
  { now }: Pick<DecisionTools, 'now'>,
): Refused | { verdict: 'accepted'; group: NegotiationGroup; content: Record<string, unknown> } {
  const number = (group.transfers?.length ?? 0) + 1;
  if (to === group.own) return { verdict: 'to_itself' };
  const line = Object.hasOwn(lines, to) ? lines[to] : undefined;
  if (!line) return { verdict: 'not_a_member' };
  if (!mayChange(group)) return { verdict: 'not_in_this_state' };
  if (line.hasPeerDeclined) return { verdict: 'has_declined' };
  if (group.offer && now < group.offer.until) return { verdict: 'already_offered' };
  if (number > mostTransfers) return { verdict: 'too_many_transfers' };
  const content = {
    ...transferContent(group, to, number),
    ...(reason === undefined ? {} : { reason }),
    requires_acceptance: true,
    status: 'offered',
  };
  return { verdict: 'accepted', group: { ...group, offer: { to, number, until: now + offerMs } }, content };
}

const transferContent = ({ own, quorum, order }: NegotiationGroup, to: string, number: number) => ({
  from_coordinator: own,
  to_coordinator: to,
  number,
  quorum,
  ...(order.length > 0 ? { confirm_order: order } : {}),
});

const open: readonly NegotiationState[] = ['INITIATED', 'NEGOTIATING', 'STALLED', 'PROPOSED'];

/** Nothing of an agreement runs or has to be undone here. */
const mayMove = ({ state, constraints }: Negotiation): boolean => open.includes(state) && constraints.length === 0;

/** At the member. `isReachable`: it has a line with this participant under the key that the group names. */
export function answerOffer(
  line: Negotiation,
  packet: TransferPacket,
  isReachable: (participant: Participant) => boolean,
  tools: DecisionTools,
): Refused | { verdict: 'accepted'; content: Record<string, unknown> } {
  const { from_coordinator: from, to_coordinator: to, number = 0, quorum, confirm_order: order } = packet;
  if (!line.group || line.role !== 'responder' || from !== line.peer || to !== line.own) return { verdict: 'stale' };
  if (number !== (line.group.transfers?.length ?? 0) + 1) return { verdict: 'stale' };
  const answer = { from_coordinator: from, to_coordinator: to, number };
  const { participants } = line.group;
  const strangers = participants.filter((one) => one.agent !== line.own && !isReachable(one));
  const problem = groupProblem({ threadId: line.threadId, own: line.own, participants, quorum, order });
  if (!mayMove(line) || line.isClosing || strangers.length > 0 || problem !== undefined) {
    const reason = strangers.length > 0 ? `No line with ${strangers.map(({ agent }) => agent).join(', ')}`.slice(0, 1000) : undefined;
    return { verdict: 'accepted', content: { ...answer, status: 'declined', ...(reason === undefined ? {} : { reason }) } };
  }
  const signature = tools.signatures!.sign(bytesFor(line.threadId, { from, to, number }, 'accepted'));
  return { verdict: 'accepted', content: { ...answer, status: 'accepted', signature } };
}

const bytesFor = (
  threadId: string,
  { from, to, number }: Pick<CoordinatorChange, 'from' | 'to' | 'number'>,
  step: 'accepted' | 'granted',
) => transferToSign({ thread_id: threadId, from, to, number, step });

type Answered = { verdict: 'accepted'; group: NegotiationGroup } & (
  | { line: null }
  | { line: Negotiation; content: Record<string, unknown> }
);

/** At the coordinator. `line`: it has granted the role, and is a member from now on. */
export function takeAnswer(group: NegotiationGroup, lines: GroupLines, packet: TransferPacket, tools: DecisionTools): Refused | Answered {
  const { offer, threadId, own } = group;
  const { from: member, status, number, signature } = packet;
  if (!offer || offer.to !== member || offer.number !== number || tools.now >= offer.until) return { verdict: 'stale' };
  const { offer: _over, ...kept } = group;
  if (status === 'declined') return { verdict: 'accepted', group: kept, line: null };
  if (status !== 'accepted' || !mayChange(group) || lines[member]?.hasPeerDeclined) return { verdict: 'stale' };
  const step = { from: own, to: member, number };
  const participant = group.participants.find(({ agent }) => agent === member);
  const accepted = bytesFor(threadId, step, 'accepted');
  if (!participant || signature === undefined || !tools.signatures!.verify(participant, accepted, fromBase64Url(signature)))
    return { verdict: 'unsigned' };
  const change: CoordinatorChange = { ...step, acceptance: signature, grant: tools.signatures!.sign(bytesFor(threadId, step, 'granted')) };
  const changed: LineGroup = { participants: group.participants, transfers: [...(group.transfers ?? []), change] };
  const content = { ...transferContent(group, member, number), status: 'granted', ...participantsContent(changed) };
  return { verdict: 'accepted', group: kept, line: memberLine(threadId, own, member, changed, tools.now), content };
}

const memberLine = (threadId: string, own: string, peer: string, group: LineGroup, now: number): Negotiation =>
  openNegotiation({ threadId, own, peer, role: 'responder', group }, now);

/** At the new coordinator: the group begins here, with the terms that it had. What members told the old one stays there. */
export function takeOver(
  line: Negotiation,
  packet: TransferPacket,
  tools: DecisionTools,
): Refused | { verdict: 'accepted'; group: NegotiationGroup; lines: GroupLines; isClosing: boolean } {
  const { threadId, own, group } = line;
  const transfers = packet.aggregated_context?.transfers ?? [];
  if (!group || line.role !== 'responder' || packet.from !== line.peer || !mayMove(line)) return { verdict: 'stale' };
  const known = group.transfers?.length ?? 0;
  if (transfers.length !== known + 1 || transfers.at(-1)!.to !== own) return { verdict: 'stale' };
  if (!isChain(line, transfers, tools)) return { verdict: 'unsigned' };
  const { quorum, confirm_order: order } = packet;
  const opening = { threadId, own, participants: group.participants, quorum, order, transfers };
  if (groupProblem(opening) !== undefined) return { verdict: 'stale' };
  return { verdict: 'accepted', ...openGroup(opening, tools.now), isClosing: line.isClosing };
}

/** At a member: whether its coordinator had the role before, gave it away and has it again. What the line counted belongs to the time before. */
export const isCoordinatorAgain = ({ role, group }: Negotiation, { aggregated_context: context }: Packet): boolean =>
  role === 'responder' && group !== undefined && (context?.transfers?.length ?? 0) > (group.transfers?.length ?? 0);

/** `isClosing`: this side's person has declined, and the new coordinator does not know it. */
export type FollowVerdict = { verdict: 'accepted'; line: Negotiation; isClosing: boolean } | { verdict: 'stale' | 'false_transfer' };

/** At a member: a packet of somebody who says to be the coordinator now. */
export function followTransfer(line: Negotiation, { from, aggregated_context: context }: Packet, tools: DecisionTools): FollowVerdict {
  const { threadId, own, group } = line;
  const transfers = context?.transfers ?? [];
  if (!group || transfers.length === 0) return { verdict: 'stale' };
  const known = group.transfers ?? [];
  const isSame = (one: CoordinatorChange, at: number): boolean => one.from === transfers[at]?.from && one.to === transfers[at]?.to;
  // A former coordinator may have sent it before it gave up the role.
  if (transfers.length <= known.length)
    return { verdict: known.slice(0, transfers.length).every(isSame) && transfers.at(-1)!.to === from ? 'stale' : 'false_transfer' };
  if (line.role !== 'responder' || transfers.at(-1)!.to !== from || from === own) return { verdict: 'false_transfer' };
  if (!known.every(isSame) || !isChain(line, transfers, tools)) return { verdict: 'false_transfer' };
  // An agreement stays with those who made it.
  if (!mayMove(line)) return { verdict: 'stale' };
  const followed = memberLine(threadId, own, from, { participants: group.participants, transfers }, tools.now);
  return { verdict: 'accepted', line: followed, isClosing: line.isClosing };
}

/** Whether each change after those that the line knows goes on from the one before, with both signatures. */
function isChain({ threadId, peer, group }: Negotiation, transfers: readonly CoordinatorChange[], tools: DecisionTools): boolean {
  const known = group!.transfers?.length ?? 0;
  let coordinator = peer;
  return transfers.every((change, at) => {
    if (at < known) return true;
    const isNext = change.number === at + 1 && change.from === coordinator && change.to !== change.from;
    coordinator = change.to;
    return isNext && isProven(threadId, group!.participants, change, tools);
  });
}

function isProven(
  threadId: string,
  participants: readonly Participant[],
  change: CoordinatorChange,
  { signatures }: DecisionTools,
): boolean {
  const keyed = (agent: string): Participant | undefined => participants.find((one) => one.agent === agent);
  const [from, to] = [keyed(change.from), keyed(change.to)];
  if (!from || !to || !signatures) return false;
  return (
    signatures.verify(from, bytesFor(threadId, change, 'granted'), fromBase64Url(change.grant)) &&
    signatures.verify(to, bytesFor(threadId, change, 'accepted'), fromBase64Url(change.acceptance))
  );
}

/** Whether the first packet of a coordinator that did not open the group proves its role. */
export function isProvenOpening({ thread_id: threadId, from, aggregated_context: context }: Packet, tools: DecisionTools): boolean {
  const { transfers = [], participants = [] } = context ?? {};
  if (transfers.length === 0) return true;
  const follows = transfers.every(
    (change, at) => change.number === at + 1 && change.from !== change.to && (at === 0 || change.from === transfers[at - 1]!.to),
  );
  return follows && transfers.at(-1)!.to === from && transfers.every((change) => isProven(threadId, participants, change, tools));
}
