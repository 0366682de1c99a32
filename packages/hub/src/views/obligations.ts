// Obligations as they are shown.

import type { MemberKind, Obligation, ObligationSide } from '@parley/protocol';
import { openObligations } from '../store/reads/obligations.ts';
import type { ObligationRow } from '../store/tables.ts';
import type { Reader } from '../store/port.ts';

/** `readsWords`: what the author meant to do is theirs to read. */
export const obligationView = (row: ObligationRow, readsWords: boolean): Obligation => ({
  id: row.id,
  authorId: row.author_id,
  delegateId: row.delegate_id,
  recipientId: row.recipient_id,
  holderId: row.holder_id,
  level: row.level,
  conversationId: row.conversation_id,
  messageId: row.message_id,
  taskId: row.task_id,
  blocks: row.blocks,
  defaultAction: readsWords && row.default_action !== '' ? row.default_action : null,
  intervalMs: row.interval_ms,
  returns: row.returns,
  extended: row.extended === 1,
  reciprocalOf: row.reciprocal_of,
  open: row.open === 1,
  nextAt: row.next_at,
  createdAt: row.created_at,
  dischargedAt: row.discharged_at,
  dischargedBy: row.discharged_by,
});

/**
 * What is open of a member's, the oldest first. Agents get none of the author's words: what an agent reads it reads
 * inside a task, and this is asked outside of any.
 */
export async function obligationsOf(reader: Reader, memberId: string, side: ObligationSide, kind: MemberKind): Promise<Obligation[]> {
  const rows = await openObligations(reader, memberId, side);
  // The present holder may have no part in that conversation.
  const party = (row: ObligationRow): boolean => [row.author_id, row.delegate_id, row.recipient_id].includes(memberId);
  return rows.map((row) => obligationView(row, kind === 'human' && party(row)));
}
