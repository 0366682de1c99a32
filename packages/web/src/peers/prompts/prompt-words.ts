// Prompts and trust in words.

import { agreedStates, nameList, negotiationStateText } from '@parley/core';
import type { GroupProgress, NegotiationSummary, PeerPerson, PromptAnswer, PromptCard, ProposalCard } from '@parley/protocol';
import { fieldLabel } from '../field-words.ts';
import { isWithoutMe } from '../negotiations/group-words.ts';

const possessive = (name: string): string => `${name}${/s$/i.test(name) ? '’' : '’s'}`;

export const peerOf = (name: string): string => `${possessive(name)} peer`;

export function promptHeadline(card: PromptCard): string {
  if (card.kind === 'consent') return `${peerOf(card.peerName)} ${card.isEarly ? 'usually asks' : 'is asking'} for:`;
  if (card.kind === 'escalation' && card.peer.startsWith('outside:')) return `Your request to ${card.peerName} needs your decision.`;
  if (card.kind === 'proposal') return `${card.reminded ? 'Reminder: a' : 'A'} proposal ${proposedTo(card)}:`;
  if (card.kind === 'escalation' && card.isSilent)
    return card.group ? 'Your peer waits for answers of the group.' : `${peerOf(card.peerName)} has not answered.`;
  if (card.kind === 'escalation' && card.isPaused) return `The negotiation with ${card.peerName} is paused.`;
  if (card.kind === 'escalation' && card.group) return `Your peer found no way with ${card.peerName}.`;
  if (card.kind === 'escalation') return `Your peer and ${peerOf(card.peerName)} could not agree.`;
  if (card.kind === 'expansion')
    return card.isFork ? `${card.peerName} split something off:` : `${card.peerName} changed what it is about:`;
  if (card.kind === 'key_change') return `The key of ${card.peerName} has changed. Nothing is sent until you decide.`;
  // Anybody can choose a name: the address is what the relay vouches for.
  return `Somebody unverified wants to negotiate: ${card.peer}`;
}

/** Only the coordinator’s person knows who of a group declined. */
function proposedTo({ peerName, group }: ProposalCard): string {
  if (!group) return `for you and ${peerName}`;
  if (!group.coordinates) return `of ${peerOf(group.coordinatorName)} for the group`;
  const names = group.members.filter(({ isMe, status }) => !isMe && status !== 'declined').map(({ name }) => name);
  return `for ${nameList(['you', ...names])}`;
}

/** Who else is asked, and who gets the answer; null where the card is of no group, or of one’s own. */
export function audienceText({ kind, group }: PromptCard & { group?: GroupProgress | undefined }): string | null {
  if (kind !== 'consent' || !group || group.coordinates) return null;
  const others = group.members.filter(({ isMe, address }) => !isMe && address !== group.coordinator).map(({ name }) => name);
  return `A group with ${nameList(others)}. Your answer goes to ${peerOf(group.coordinatorName)} alone.`;
}

/** One's own answer, in place of the question. */
export function answerText(answer: PromptAnswer): string {
  switch (answer.kind) {
    case 'consent': {
      const shared = answer.fields.filter((one) => one.answer !== 'decline').map(({ field }) => fieldLabel(field));
      return shared.length === 0 ? 'You shared nothing' : `You shared: ${shared.join(', ')}`;
    }
    case 'confirm':
      return 'You confirmed';
    case 'different':
      return `You suggested “${answer.text}”`;
    case 'excuse':
      return 'Your peer sent an excuse';
    case 'decline':
      return 'You declined';
    case 'continue':
      return answer.text === undefined ? 'Your peer goes on' : `You suggested “${answer.text}”`;
    case 'go_on':
      return 'You let it go on';
    case 'keep_intent':
      return 'You kept it as it was';
    case 'accept_key':
      return 'You accepted the new key';
    case 'keep_key':
      return 'You kept the old key';
    case 'answer_stranger':
      return answer.isOn ? 'Your peer answers them' : 'You ignore them';
  }
}

/** A peer reads words as a place only where they say so. */
export const suggestionOf = (wish: 'time' | 'place', text: string): string =>
  wish === 'time' || /^\s*(?:at|in|near)\s/i.test(text) ? text.trim() : `at ${text.trim()}`;

/** Where nothing waits for oneself, a proposal waits for the other person. A group’s coordinator counts. */
export function progressText({
  state,
  role,
  waitsForMe,
  peerName,
  group,
}: Pick<NegotiationSummary, 'state' | 'role' | 'waitsForMe' | 'peerName' | 'group'>): string {
  if (group && state === 'PROPOSED' && group.confirmed !== null)
    return `${group.confirmed} of ${group.quorum ?? group.members.length} confirmed`;
  if (isWithoutMe(state, group)) return 'Agreed without you';
  const isWaiting = !waitsForMe && (state === 'PROPOSED' || (state === 'INITIATED' && role === 'initiator'));
  return isWaiting ? `Waiting for ${group ? 'the others' : peerName}` : negotiationStateText(state);
}

/** One's own confirmation, then for whom it waits, then how it ended. */
export function confirmedText(
  negotiation: Pick<NegotiationSummary, 'state' | 'role' | 'waitsForMe' | 'peerName' | 'isOutside' | 'group'>,
): string {
  const { state, waitsForMe, peerName, isOutside, group } = negotiation;
  if (waitsForMe) return 'You confirmed';
  const others = !agreedStates.has(state) || isOutside ? '' : `, and so did ${group ? 'enough others' : peerName}`;
  return `You confirmed${others} · ${progressText(negotiation)}`;
}

/** `times`: prompts about sharing. */
export const askedText = (times: number): string =>
  times === 0 ? 'nothing was asked of you' : `you were asked ${times === 1 ? 'once' : `${times} times`} what to share`;

export type StateTone = 'done' | 'ended' | 'wait' | 'run';

export function stateTone(state: string, waitsForMe: boolean): StateTone {
  if (waitsForMe || state === 'STALLED') return 'wait';
  if (state === 'COMPLETED') return 'done';
  return state === 'DECLINED' || state === 'EXPIRED' || state === 'FAILED' ? 'ended' : 'run';
}

const trusts: Readonly<Record<PeerPerson['trust'], string>> = {
  unverified: 'Unverified',
  pinned: 'Pinned by their card',
  introduced: 'Introduced by this hub',
  verified: 'Verified',
};

export const trustText = ({ trust, stranger }: Pick<PeerPerson, 'trust' | 'stranger'>): string =>
  `${trusts[trust]}${stranger ? ', wrote first' : ''}`;
