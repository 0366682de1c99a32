// The notices about a message, as sentences for its author.

import { noticeText, pointedAt, sigilOf } from '@parley/core';
import type { Notice } from '@parley/protocol';
import { everyMember } from '@parley/sdk/pages';
import { sigilHandle } from './commands/members.ts';
import type { HubAccess } from './hub-access.ts';

/** `body`: of the message; null where it cannot be read. */
export async function noticeLines(access: HubAccess, notices: readonly Notice[], body: string | null): Promise<string[]> {
  if (notices.length === 0) return [];
  const { members } = await everyMember(access);
  const byId = new Map(members.map((member) => [member.id, member]));
  return notices.map((notice) => {
    const written = pointedAt(notice, body);
    const agent = byId.get(notice.agentId ?? '');
    const member = (id: string | null) => (byId.has(id ?? '') ? sigilHandle(byId.get(id!)!) : 'Somebody');
    const said = noticeText(notice, { agents: agent ? [agent.handle] : [], member, written });
    const meant = notice.nearest === null ? '' : ` Did you mean ${sigilOf(written ?? '^')}${notice.nearest}?`;
    return `${said ?? `You got a notice: ${notice.kind.replaceAll('_', ' ')}.`}${meant}`;
  });
}
