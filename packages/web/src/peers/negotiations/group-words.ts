// A group's progress in words.

import { agreedStates, decidedStates, memberStatusTexts, nameList, talkingStates } from '@parley/core';
import type { GroupProgress } from '@parley/protocol';

/** Members cannot know how the others answered. */
export function memberText({ status }: GroupProgress['members'][number], state: string, isCoordinator: boolean): string {
  if (status === null) {
    if (isCoordinator) return 'Collects the answers';
    return agreedStates.has(state) ? 'Not among those who confirmed' : 'Answers the coordinator';
  }
  if (!decidedStates.has(state)) return memberStatusTexts[status];
  // The member may have shared values, but had not confirmed when enough others had.
  if (status === 'asked') return 'Did not confirm';
  return status === 'waiting' ? 'Never answered' : memberStatusTexts[status];
}

/** A coordinator may offer its part to another before the first proposal, one offer at a time. */
export const mayHandOver = (state: string, { coordinates, offeredTo }: GroupProgress): boolean =>
  coordinates && offeredTo === null && ['INITIATED', 'NEGOTIATING'].includes(state);

/** Null if no offer is open. */
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

/** The others agreed, and the person's own confirmation did not count. */
export function isWithoutMe(state: string, group: GroupProgress | undefined): boolean {
  const mine = group?.members.find(({ isMe }) => isMe)?.status;
  return agreedStates.has(state) && (mine === 'missed' || mine === 'conflict');
}

/** The reason that a card closed before the person answered it; null if there is nothing to add. */
export function closedText(state: string, group: GroupProgress | undefined): string | null {
  const mine = group?.members.find(({ isMe }) => isMe)?.status;
  if (mine === 'declined') return 'You declined';
  if (mine === 'missed') return 'Enough people confirmed before you answered. The meeting takes place without you';
  if (state === 'DECLINED') return 'The negotiation was declined';
  return state === 'EXPIRED' ? 'The proposal expired' : null;
}

/** The coordinator's wait before a proposal: the missing members, its end, and the next step. */
export function waitingText({ members, quorum, answersBy }: GroupProgress, whenOf: (at: number) => string): string | null {
  const silent = members.filter(({ isMe, status }) => !isMe && status === 'waiting').map(({ name }) => name);
  if (answersBy === null || silent.length === 0) return null;
  const isQuorum = quorum !== null && quorum < members.length;
  const then = isQuorum
    ? `Then your peer goes on without ${silent.length === 1 ? 'this answer' : 'these answers'}, if enough have answered.`
    : 'Then your peer asks you whether to go on waiting.';
  return `Waiting for ${nameList(silent)} until ${whenOf(answersBy)}. ${then}`;
}

/** The label of the button that opens a group: it names the people (A2C-16). */
export function askText(names: readonly string[]): string {
  if (names.length === 0) return 'Choose who to ask';
  return `Ask ${names.length > 3 ? nameList([...names.slice(0, 2), `${names.length - 2} more`]) : nameList(names)}`;
}
