// The audit log, a page at a time: bounded by count and by bytes of arguments.

import { fitting } from '@parley/core';
import { type AuditEntry, type AuditPage, type AuditQuery, idPrefixes } from '@parley/protocol';
import { isErased } from '../engine/steps/facts/audit-entries.ts';
import type { Reader } from '../store/port.ts';
import type { AuditRow } from '../store/tables.ts';

const ofKind = (id: string | null, prefix: string): string | null => (id?.startsWith(`${prefix}_`) ? id : null);

function entryView(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    actorId: row.actor_id,
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
export async function auditPage(store: Reader, { kind, memberId, since, until, before, limit }: AuditQuery): Promise<AuditPage> {
  const conditions: [sql: string, ...values: unknown[]][] = [
    ...(kind === undefined ? [] : [['kind = ?', kind] as [string, string]]),
    ...(memberId === undefined
      ? []
      : [
          ['(actor_id = ? or for_id = ? or target_id = ? or approver_id = ?)', memberId, memberId, memberId, memberId] as [
            string,
            ...string[],
          ],
        ]),
    ...(since === undefined ? [] : [['at >= ?', since] as [string, number]]),
    ...(until === undefined ? [] : [['at < ?', until] as [string, number]]),
    ...(before === undefined ? [] : [['seq < ?', before] as [string, number]]),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.map(([sql]) => sql).join(' and ')}`;
  const values = conditions.flatMap(([, ...rest]) => rest);
  const found = await store.all<{ seq: number; size: number }>(
    `select seq, octet_length(arguments) as size from audit_entries ${where} order by seq desc limit ${limit + 1}`,
    values,
  );
  const taken = found.slice(0, fitting(found.slice(0, limit).map(({ size }) => size)));
  const last = taken.at(-1)?.seq;
  if (last === undefined) return { entries: [], next: null };
  const rows = await store.rows('audit_entries', `${where === '' ? 'where' : `${where} and`} seq <= ? and seq >= ? order by seq desc`, [
    ...values,
    taken[0]!.seq,
    last,
  ]);
  return { entries: rows.map(entryView), next: found.length > taken.length ? last : null };
}
