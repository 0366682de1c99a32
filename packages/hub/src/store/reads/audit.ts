import type { AuditQuery } from '@parley/protocol';
import type { Reader } from '../port.ts';
import type { AuditRow } from '../tables.ts';
import { allOf, conditionOf, type Sql } from '../where.ts';
import { type Page, rowPage } from './pages.ts';

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
  const asked = conditionOf<AuditRow>({
    ...(kind === undefined ? {} : { kind }),
    at: { ...(since === undefined ? {} : { '>=': since }), ...(until === undefined ? {} : { '<': until }) },
    ...(before === undefined ? {} : { seq: { '<': before } }),
  });
  const where = memberId === undefined ? asked : naming(memberId, asked, limit);
  return rowPage(reader, { table: 'audit_entries', where, key: 'seq', order: 'desc', text: ['arguments'], limit });
}
