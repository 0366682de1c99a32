// A group's progress in words.

import type { GroupProgress, GroupStatusName } from '@parley/protocol';

const statuses: Readonly<Record<GroupStatusName, string>> = {
  waiting: 'No answer yet',
  answered: 'Answered',
  asked: 'Asked to confirm',
  confirmed: 'Confirmed',
  conflict: 'Wants something different',
  declined: 'Declined',
};
const over = new Set(['CONFIRMED', 'EXECUTING', 'COMPLETED', 'DECLINED', 'EXPIRED', 'FAILED', 'ROLLBACK']);

/** Members cannot know how the others answered. */
export function memberText({ status }: GroupProgress['members'][number], state: string, isCoordinator: boolean): string {
  if (status === null) return isCoordinator ? 'Collects the answers' : 'Answers the coordinator';
  const isSilent = over.has(state) && (status === 'asked' || status === 'waiting');
  return isSilent ? 'Never answered' : statuses[status];
}

export function quorumText(state: string, { members, quorum, confirmed }: GroupProgress): string {
  const needed = quorum ?? members.length;
  const rule = needed === members.length ? `All ${needed} have to confirm` : `${needed} of ${members.length} have to confirm`;
  if (confirmed === null || ['INITIATED', 'NEGOTIATING', 'STALLED'].includes(state)) return rule;
  return over.has(state) ? `${confirmed} of ${members.length} confirmed` : `${confirmed} of ${needed} confirmed`;
}
