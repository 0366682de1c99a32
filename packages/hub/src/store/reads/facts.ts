import type { Reader, Store } from '../port.ts';
import type { FactRow, AuditRow } from '../tables.ts';
import type { AuditQuery } from '@parley/protocol';
import { allOf, conditionOf, type Sql } from '../where.ts';
import { type Page, rowPage } from './pages.ts';

/** The facts of the offer rounds in which it is the agent's turn to answer. */
export const openRoundFacts = (reader: Store, agentId: string): ReturnType<typeof reader.intact<'facts'>> =>
  reader.intact(
    'facts',
    `where type = 'round.asked' and member_id = ? and subject_id in (select message_id from offers where agent_id = ? and state = 'open')
     order by seq`,
    [agentId, agentId],
  );

/** A member's notices after a place, the latest first. The type stands in the text: the index of notices is found by it. */
export const latestNotices = (reader: Reader, memberId: string, after: number, limit: number): Promise<FactRow[]> =>
  reader.rows('facts', "where member_id = ? and type = 'notice' and seq > ? order by seq desc limit ?", [memberId, after, limit]);

export interface Following {
  memberId: string;
  /** Whether the caller may read facts for the whole workspace. */
  browses: boolean;
  conversationIds: readonly string[];
  after: number;
  upTo: number;
  limit: number;
}

/** The facts that concern a member who was away. */
export const factsFor = (
  reader: Store,
  { memberId, browses, conversationIds, after, upTo, limit }: Following,
): ReturnType<typeof reader.intact<'facts'>> =>
  reader.intact(
    'facts',
    `where seq > ? and seq <= ? and scope <> 'record'
       and (${browses ? "scope = 'workspace' or " : ''}(scope = 'conversation' and conversation_id in {list}) or member_id = ?)
     order by seq limit ?`,
    [after, upTo, conversationIds, memberId, limit],
  );

/** Members whom facts about invocations and approvals between two numbers name. */
export const membersInInvocationFacts = (reader: Reader, after: number, upTo: number): Promise<{ member_id: string }[]> =>
  reader.all(
    `select distinct member_id from facts
     where seq > ? and seq <= ? and member_id is not null and (type like 'invocation.%' or type = 'approval.asked')`,
    [after, upTo],
  );

/** Agents that came into a conversation or left it after a place in the stream, in order. */
export const agentMoves = (reader: Reader, homeId: string, seq: number): Promise<(Pick<FactRow, 'type'> & { id: string })[]> =>
  reader.all(
    `select f.member_id as id, f.type as type from facts f join members m on m.id = f.member_id
     where f.conversation_id = ? and f.seq > ? and f.type in ('membership.added', 'membership.removed') and m.kind = 'agent' order by f.seq`,
    [homeId, seq],
  );

/** Whom an entry can name: each has an index, of which the newest are enough. */
const names = ['actor_id', 'for_id', 'target_id', 'approver_id'] as const;

function naming(memberId: string, asked: Sql, limit: number): Sql {
  const newest = names.map((column) => {
    const where = allOf([{ sql: `${column} = ?`, params: [memberId] }, asked]);
    return {
      ...where,
      sql: `select seq from (select seq from audit_entries where ${where.sql} order by seq desc limit ${limit + 1}) as part`,
    };
  });
  return { sql: `seq in (${newest.map(({ sql }) => sql).join(' union all ')})`, params: newest.flatMap(({ params }) => params) };
}

/** The latest first, as many as fit one page. */
export function auditRows(reader: Reader, { kind, memberId, since, until, before, limit }: AuditQuery): Promise<Page<'audit_entries'>> {
  const condition = conditionOf<AuditRow>({
    ...(kind === undefined ? {} : { kind }),
    at: { ...(since === undefined ? {} : { '>=': since }), ...(until === undefined ? {} : { '<': until }) },
    ...(before === undefined ? {} : { seq: { '<': before } }),
  });
  const where = memberId === undefined ? condition : naming(memberId, condition, limit);
  return rowPage(reader, { table: 'audit_entries', where, key: 'seq', order: 'desc', text: ['arguments'], limit });
}
