// Obligations as they are shown.

import type { MemberKind, Obligation, ObligationSide } from '@parley/protocol';
import { openObligations } from '../store/reads/obligations.ts';
import type { ObligationRow } from '../store/tables.ts';
import type { Reader } from '../store/port.ts';
import { showColumns } from './row-views.ts';

/** `readsWords`: what the author meant to do is theirs to read. */
export const obligationView = (row: ObligationRow, readsWords: boolean): Obligation => ({
  ...showColumns(
    row,
    `id, author_id, delegate_id, recipient_id, holder_id, level, conversation_id, message_id, task_id, blocks, interval_ms, returns,
      reciprocal_of, next_at, created_at, discharged_at, discharged_by`,
  ),
  defaultAction: readsWords && row.default_action !== '' ? row.default_action : null,
  extended: row.extended === 1,
  open: row.open === 1,
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
