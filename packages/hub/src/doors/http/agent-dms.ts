// DMs between agents that a person may look into. The table decides each (`conversation.read`); this only spares reading
// everybody else's conversations to find them.

import type { Caller } from './context.ts';

/** A condition on `conversations`; `alias`: what they are called where it stands. */
export function overseenDms(caller: Caller, alias: string): { sql: string; params: unknown[] } {
  const agents = `select 1 from memberships o join members p on p.id = o.member_id where o.conversation_id = ${alias}.id`;
  const among = `${alias}.kind = 'dm' and not exists (${agents} and p.kind = 'human')`;
  const steward = caller.actor.type === 'member' && (caller.actor.role === 'owner' || caller.actor.role === 'admin');
  if (steward) return { sql: among, params: [] };
  return { sql: `${among} and exists (${agents} and (p.owner_id = ? or p.manager_id = ?))`, params: [caller.memberId, caller.memberId] };
}
