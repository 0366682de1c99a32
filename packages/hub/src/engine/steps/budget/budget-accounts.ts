// The account that pays for work (SYS-10): a plain member pays for everyone they invited, so that nobody gets a second
// day's budget by inviting themselves.

import type { MemberRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isBounded } from '../triggers/triggers-in-force.ts';

/** The plain member whose invitation came first; for all others, the member. */
export function accountOf(memberId: string, set: WorkingSet): string {
  const seen = new Set<string>();
  for (let at = memberId; ;) {
    seen.add(at);
    const inviter = set.find('links', 'user', at).find(({ purpose }) => purpose === 'invite')?.created_by ?? null;
    const above: MemberRow | undefined = inviter === null ? undefined : set.get('members', inviter);
    if (!above || !isBounded(above) || seen.has(above.id)) return at;
    at = above.id;
  }
}

/** The active agents of everyone on this account. */
export const agentsOn = (accountId: string, set: WorkingSet): MemberRow[] =>
  membersOn(accountId, set).flatMap((id) => set.find('members', 'owner', id).filter(({ status }) => status === 'active'));

/** Everyone whose acts go on this account. */
export function membersOn(accountId: string, set: WorkingSet): string[] {
  const found = new Set([accountId]);
  for (const id of found)
    for (const { purpose, used_by } of set.find('links', 'creator', id)) {
      const invited = purpose === 'invite' && used_by !== null ? set.get('members', used_by) : undefined;
      if (invited && isBounded(invited)) found.add(invited.id);
    }
  return [...found];
}
