import type { Reader } from '../port.ts';
import type { RoleRow } from '../tables.ts';
import type { Sql } from '../where.ts';

/** The condition for the team roles that a member holds. */
export const heldBy = (memberId: string): Sql => ({
  sql: 'id in (select role_id from role_holders where member_id = ?)',
  params: [memberId],
});

/** The active holders of these team roles, in the order they became members. */
export async function activeHolders(reader: Reader, roleIds: readonly string[]): Promise<{ role: string; member: string }[]> {
  // Without the state, by which PostgreSQL would begin, and read all members.
  const all = await reader.all<{ role: string; member: string; status: string }>(
    `select h.role_id as role, h.member_id as member, m.status as status from role_holders h join members m on m.id = h.member_id
     where h.role_id in {list} order by m.created_at, m.id`,
    [roleIds],
  );
  return all.flatMap(({ role, member, status }) => (status === 'active' ? { role, member } : []));
}

/** The team role that a task was given to. */
export async function roleOfTask(reader: Reader, taskId: string): Promise<RoleRow | undefined> {
  const [role] = await reader.rows('roles', 'where id = (select role_id from task_roles where task_id = ?)', [taskId]);
  return role;
}
