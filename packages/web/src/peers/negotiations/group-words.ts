// A group's progress in words.

import type { GroupProgress, GroupStatusName } from '@parley/protocol';

const statuses: Readonly<Record<GroupStatusName, string>> = {
  waiting: 'No answer yet',
  answered: 'Answered',
  asked: 'Asked to confirm',
  confirmed: 'Confirmed',
  conflict: 'Wants something different',
  declined: 'Declined',
  missed: 'Enough people confirmed first',
};
const over = new Set(['CONFIRMED', 'EXECUTING', 'COMPLETED', 'DECLINED', 'EXPIRED', 'FAILED', 'ROLLBACK']);

/** Members cannot know how the others answered. */
export function memberText({ status }: GroupProgress['members'][number], state: string, isCoordinator: boolean): string {
  if (status === null) return isCoordinator ? 'Collects the answers' : 'Answers the coordinator';
  const isSilent = over.has(state) && (status === 'asked' || status === 'waiting');
  return isSilent ? 'Never answered' : statuses[status];
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

export function quorumText(state: string, { members, quorum, confirmed }: GroupProgress): string {
  const needed = quorum ?? members.length;
  const rule = needed === members.length ? `All ${needed} have to confirm` : `${needed} of ${members.length} have to confirm`;
  if (confirmed === null || ['INITIATED', 'NEGOTIATING', 'STALLED'].includes(state)) return rule;
  return over.has(state) ? `${confirmed} of ${members.length} confirmed` : `${confirmed} of ${needed} confirmed`;
}
