// Reads about members, and about who shares a conversation with whom.

import type { Reader } from '../port.ts';
import type { MemberRow, RoleRow, TokenRow } from '../tables.ts';
import type { Sql } from '../where.ts';

const inConversation = 'id in (select member_id from memberships where conversation_id = ?)';

export const activeMembersIn = (reader: Reader, conversationId: string): Promise<MemberRow[]> =>
  reader.rows('members', `where status = 'active' and ${inConversation} order by kind, handle_fold limit 500`, [conversationId]);

/** The active members among `ids`, and those in one of the conversations. */
export async function activeMembersAmong(
  reader: Reader,
  ids: readonly string[],
  conversationIds: readonly string[],
): Promise<Pick<MemberRow, 'id' | 'role'>[]> {
  // Two reads: of one with both, PostgreSQL would make a look at all members.
  const joined = await reader.all<{ id: string }>('select distinct member_id as id from memberships where conversation_id in {list}', [
    conversationIds,
  ]);
  const all = [...new Set([...ids, ...joined.map(({ id }) => id)])];
  return reader.all("select id, role from members where id in {list} and status = 'active'", [all]);
}

/** The agents and guests among these members. They see only members with whom they share a conversation. */
export const agentsAndGuests = (reader: Reader, ids: readonly string[]): Promise<Pick<MemberRow, 'id'>[]> =>
  reader.all("select id from members where id in {list} and (kind = 'agent' or role = 'guest')", [ids]);

/** The active members who share a conversation with each of these. */
export const acquaintedWithAll = (reader: Reader, ids: readonly string[]): Promise<MemberRow[]> =>
  reader.rows(
    'members',
    `where status = 'active' and id in (
       select b.member_id from memberships a join memberships b on b.conversation_id = a.conversation_id
       where a.member_id in {list} group by b.member_id having count(distinct a.member_id) = ?)
     order by kind, handle_fold limit 500`,
    [ids, ids.length],
  );

/** Agents whose identity was read from a folder. */
export const folderAgents = (reader: Reader): Promise<MemberRow[]> =>
  reader.rows('members', "where id in (select agent_id from identities where source = 'folder')");

/** Members and team roles from before handles were compared by their looks. */
export const handlesToIndex = (reader: Reader): Promise<{ id: string }[]> =>
  reader.all(
    `select id from members where status <> 'erased' and id not in (select subject_id from handle_skeletons)
     union all select id from roles where id not in (select subject_id from handle_skeletons)`,
  );

/** The agents with these ids, and those of this owner with one of the handles. */
export const agentsNamed = (
  reader: Reader,
  ids: readonly string[],
  own: { handles: readonly string[]; ownerId: string },
): Promise<MemberRow[]> =>
  reader.rows('members', "where kind = 'agent' and status <> 'erased' and (id in {list} or (handle_fold in {list} and owner_id = ?))", [
    ids,
    own.handles,
    own.ownerId,
  ]);

/** The members who share a conversation with this one. */
export const acquaintancesOf = (reader: Reader, memberId: string): Promise<{ id: string }[]> =>
  reader.all(
    'select distinct b.member_id as id from memberships a join memberships b on b.conversation_id = a.conversation_id where a.member_id = ?',
    [memberId],
  );

export const activeAgentsIn = (reader: Reader, conversationId: string, limit: number): Promise<MemberRow[]> =>
  reader.rows('members', `where kind = 'agent' and status = 'active' and ${inConversation} order by handle_fold limit ?`, [
    conversationId,
    limit,
  ]);

/** The agents in a conversation that were there at a place in the stream. */
export const agentsJoinedBy = (reader: Reader, conversationId: string, seq: number): Promise<{ id: string }[]> =>
  reader.all(
    `select s.member_id as id from memberships s join members m on m.id = s.member_id
     where s.conversation_id = ? and s.joined_seq <= ? and m.kind = 'agent'`,
    [conversationId, seq],
  );

/** Agents of these owners that these manifests have brought. */
export const agentsOfManifests = (
  reader: Reader,
  ownerIds: readonly string[],
  manifestIds: readonly string[],
): Promise<(Pick<MemberRow, 'id' | 'owner_id' | 'handle_fold'> & { manifest_id: string })[]> =>
  reader.all(
    `select id, owner_id, handle_fold, manifest_id from members join agents on member_id = id
     where owner_id in {list} and manifest_id in {list}`,
    [ownerIds, manifestIds],
  );

/** The condition for the team roles that a member holds. */
export const heldBy = (memberId: string): Sql => ({
  sql: 'id in (select role_id from role_holders where member_id = ?)',
  params: [memberId],
});

/** The active holders of these team roles, in the order they became members. */
export async function activeHolders(reader: Reader, roleIds: readonly string[]): Promise<{ role: string; member: string }[]> {
  // The state is left out, because PostgreSQL would start with it and read all members.
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

/** The first token of an active owner that is still valid. */
export async function firstOwnerToken(reader: Reader): Promise<TokenRow | undefined> {
  const [token] = await reader.rows(
    'tokens',
    `where kind = 'person' and revoked_at is null
       and member_id in (select id from members where role = 'owner' and status = 'active') order by created_at limit 1`,
  );
  return token;
}

/** Whether an owner has a session. */
export async function ownerHasSession(reader: Reader, now: number): Promise<boolean> {
  const [session] = await reader.rows(
    'tokens',
    `where purpose = 'session' and revoked_at is null and (expires_at is null or expires_at > ?)
       and member_id in (select id from members where role = 'owner' and status = 'active' and kind = 'human') limit 1`,
    [now],
  );
  return session !== undefined;
}

/** The valid tokens of a member and of the agents they own. */
export const tokensOf = (reader: Reader, memberId: string): Promise<TokenRow[]> =>
  reader.rows(
    'tokens',
    `where revoked_at is null and member_id in (select id from members where id = ? or owner_id = ?)
     order by created_at limit 1000`,
    [memberId, memberId],
  );

export async function membersById(reader: Reader, ids: readonly (string | null)[]): Promise<Map<string, MemberRow>> {
  const memberIds = [...new Set(ids.flatMap((id) => id ?? []))];
  const rows = memberIds.length === 0 ? [] : await reader.rows('members', { id: memberIds });
  return new Map(rows.map((member) => [member.id, member]));
}
