// The notices about a message, as sentences for its author.

import type { Notice } from '@parley/protocol';
import type { HubAccess } from './hub-access.ts';

const spaced = (word: string): string => word.replaceAll('_', ' ');

export async function noticeLines(access: HubAccess, notices: readonly Notice[]): Promise<string[]> {
  return Promise.all(notices.map((notice) => noticeLine(access, notice)));
}

async function noticeLine(access: HubAccess, { kind, memberId, nearest, reason }: Notice): Promise<string> {
  if (kind === 'not_here' && memberId !== null) {
    const member = await access.call('getMember', { params: { memberId } });
    return `${member.kind === 'agent' ? '^' : '@'}${member.handle} was not in this conversation and did not get this.`;
  }
  return `You got a notice: ${spaced(kind)}${nearest === null ? '' : ` (did you mean ^${nearest}?)`}${reason === null ? '' : ` (${spaced(reason)})`}.`;
}
