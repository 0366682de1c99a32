// The audit log, a page at a time: bounded by count and by bytes of arguments.

import { type AuditEntry, type AuditPage, type AuditQuery, idPrefixes } from '@parley/protocol';
import { isErased } from '../engine/steps/facts/audit-entries.ts';
import type { Reader } from '../store/port.ts';
import { auditRows } from '../store/reads/facts.ts';
import type { AuditRow } from '../store/tables.ts';
import { showColumns } from './row-views.ts';

const ofKind = (id: string | null, prefix: string): string | null => (id?.startsWith(`${prefix}_`) ? id : null);

function entryView(row: AuditRow): AuditEntry {
  return {
    ...showColumns(row, 'id, seq, at, kind, name, target_id, outcome, ended_at, approver_id, conversation_id, chain_id'),
    actorId: row.actor_id ?? 'platform',
    onBehalfOf: row.for_id,
    arguments: isErased(row) ? null : (JSON.parse(row.arguments) as unknown),
    kept: !isErased(row),
    taskId: ofKind(row.subject_id, idPrefixes.task),
    invocationId: ofKind(row.subject_id, idPrefixes.invocation),
  };
}

/** The latest first. */
export async function auditPage(store: Reader, query: AuditQuery): Promise<AuditPage> {
  const { rows, more } = await auditRows(store, query);
  return { entries: rows.map(entryView), next: more ? rows.at(-1)!.seq : null };
}
