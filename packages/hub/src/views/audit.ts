// The audit log, a page at a time: bounded by count and by bytes of arguments.

import { type AuditEntry, type AuditPage, type AuditQuery, idPrefixes } from '@parley/protocol';
import { isErased } from '../engine/steps/facts/audit-entries.ts';
import type { Reader } from '../store/port.ts';
import { auditRows } from '../store/reads/facts.ts';
import type { AuditRow } from '../store/tables.ts';

const ofKind = (id: string | null, prefix: string): string | null => (id?.startsWith(`${prefix}_`) ? id : null);

function entryView(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    actorId: row.actor_id ?? 'platform',
    onBehalfOf: row.for_id,
    name: row.name,
    targetId: row.target_id,
    arguments: isErased(row) ? null : (JSON.parse(row.arguments) as unknown),
    kept: !isErased(row),
    outcome: row.outcome,
    endedAt: row.ended_at,
    approverId: row.approver_id,
    taskId: ofKind(row.subject_id, idPrefixes.task),
    invocationId: ofKind(row.subject_id, idPrefixes.invocation),
    conversationId: row.conversation_id,
    chainId: row.chain_id,
  };
}

/** The latest first. */
export async function auditPage(store: Reader, query: AuditQuery): Promise<AuditPage> {
  const { rows, more } = await auditRows(store, query);
  return { entries: rows.map(entryView), next: more ? rows.at(-1)!.seq : null };
}
