// A group's progress in words.

import { agreedStates, decidedStates, memberStatusTexts, nameList, talkingStates } from '@parley/core';
import type { GroupProgress } from '@parley/protocol';

/** Members cannot know how the others answered. */
export function memberText({ status }: GroupProgress['members'][number], state: string, isCoordinator: boolean): string {
  const isAgreed = agreedStates.has(state);
  if (status === null)
    return isCoordinator ? 'Collects the answers' : isAgreed ? 'Not among those who confirmed' : 'Answers the coordinator';
  const isOver = decidedStates.has(state);
  // They may have shared, or were still thinking when the others were enough.
  return isOver && status === 'asked' ? 'Did not confirm' : isOver && status === 'waiting' ? 'Never answered' : memberStatusTexts[status];
}

/** Before anything is proposed; one offer at a time. */
export const mayHandOver = (state: string, { coordinates, offeredTo }: GroupProgress): boolean =>
  coordinates && offeredTo === null && ['INITIATED', 'NEGOTIATING'].includes(state);

/** Null where no offer is open. */
export function offerText({ members, offeredTo }: GroupProgress): string | null {
  if (offeredTo === null) return null;
  const name = members.find(({ address }) => address === offeredTo)?.name ?? offeredTo;
  return `You offered the coordination to ${name}. Your peer coordinates until theirs answers, and proposes nothing before.`;
}

/** A member learns with the proposal how many are needed, and never how many have confirmed: null before it, and after the end. */
export function quorumText(state: string, { members, quorum: needed, confirmed }: GroupProgress): string | null {
  if (needed === null || (confirmed === null && decidedStates.has(state))) return null;
  const rule = needed === members.length ? `All ${needed} have to confirm` : `${needed} of ${members.length} have to confirm`;
  if (confirmed === null || talkingStates.has(state)) return rule;
  return decidedStates.has(state) ? `${confirmed} of ${members.length} confirmed` : `${confirmed} of ${needed} confirmed`;
}

/** The others agreed, and one’s own confirmation was not among those that counted. */
export function isWithoutMe(state: string, group: GroupProgress | undefined): boolean {
  const mine = group?.members.find(({ isMe }) => isMe)?.status;
  return agreedStates.has(state) && (mine === 'missed' || mine === 'conflict');
}

/** Why a card of a group’s member closed before the person answered it; null where it says nothing more than that. */
export function closedText(state: string, group: GroupProgress | undefined): string | null {
  const mine = group?.members.find(({ isMe }) => isMe)?.status;
  if (mine === 'declined') return 'You declined';
  if (mine === 'missed') return 'Enough people confirmed before you answered. The meeting takes place without you';
  if (state === 'DECLINED') return 'The negotiation was declined';
  return state === 'EXPIRED' ? 'The proposal expired' : null;
}

/** At the coordinator, before a proposal: for whom it waits, until when, and what then. */
export function waitingText({ members, quorum, answersBy }: GroupProgress, whenOf: (at: number) => string): string | null {
  const silent = members.filter(({ isMe, status }) => !isMe && status === 'waiting').map(({ name }) => name);
  if (answersBy === null || silent.length === 0) return null;
  const isQuorum = quorum !== null && quorum < members.length;
  const then = isQuorum
    ? `Then your peer goes on without ${silent.length === 1 ? 'this answer' : 'these answers'}, if enough have answered.`
    : 'Then your peer asks you whether to go on waiting.';
  return `Waiting for ${nameList(silent)} until ${whenOf(answersBy)}. ${then}`;
}

/** Who will be asked, on the button that asks them (A2C-16). */
export function askText(names: readonly string[]): string {
  if (names.length === 0) return 'Choose who to ask';
  return `Ask ${names.length > 3 ? nameList([...names.slice(0, 2), `${names.length - 2} more`]) : nameList(names)}`;
}
