import type { AuditQuery } from '@parley/protocol';
import type { Reader } from '../port.ts';
import type { AuditRow } from '../tables.ts';
import { allOf, conditionOf, type Sql } from '../where.ts';
import { type Page, rowPage } from './pages.ts';

const names = (memberId: string): Sql => ({
  sql: '(actor_id = ? or for_id = ? or target_id = ? or approver_id = ?)',
  params: [memberId, memberId, memberId, memberId],
});

/** The latest first, as many as fit one page. */
export function auditRows(reader: Reader, { kind, memberId, since, until, before, limit }: AuditQuery): Promise<Page<'audit_entries'>> {
  const asked = conditionOf<AuditRow>({
    ...(kind === undefined ? {} : { kind }),
    at: { ...(since === undefined ? {} : { '>=': since }), ...(until === undefined ? {} : { '<': until }) },
    ...(before === undefined ? {} : { seq: { '<': before } }),
  });
  const where = allOf([asked, ...(memberId === undefined ? [] : [names(memberId)])]);
  return rowPage(reader, { table: 'audit_entries', where, key: 'seq', order: 'desc', text: ['arguments'], limit });
}
