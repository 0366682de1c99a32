// Roles as they are shown, in a constant number of reads.

import type { CalledRole } from '@parley/protocol';
import type { Reader } from '../store/port.ts';
import { activeHolders } from '../store/reads/team-roles.ts';
import type { RoleRow } from '../store/tables.ts';

/** With their active holders, in the order they became members. */
export async function roleViews(reader: Reader, roles: RoleRow[]): Promise<CalledRole[]> {
  if (roles.length === 0) return [];
  const held = await activeHolders(
    reader,
    roles.map(({ id }) => id),
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
