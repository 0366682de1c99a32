// Roles as they are shown, in a constant number of reads.

import type { CalledRole } from '@parley/protocol';
import { inList } from '../engine/look.ts';
import type { Reader } from '../store/port.ts';
import type { RoleRow } from '../store/tables.ts';

/** With their active holders, in the order they became members. */
export async function roleViews(reader: Reader, roles: RoleRow[]): Promise<CalledRole[]> {
  if (roles.length === 0) return [];
  const list = inList(roles.map(({ id }) => id));
  const held = await reader.all<{ role: string; member: string }>(
    `select h.role_id as role, h.member_id as member from role_holders h join members m on m.id = h.member_id
     where m.status = 'active' and h.role_id in ${list.sql} order by m.created_at, m.id`,
    list.params,
  );
  const holders = Map.groupBy(held, ({ role }) => role);
  return roles.map(({ id, handle, about, created_at: createdAt }) => ({
    id,
    handle,
    about,
    holderIds: (holders.get(id) ?? []).map(({ member }) => member),
    createdAt,
  }));
}
