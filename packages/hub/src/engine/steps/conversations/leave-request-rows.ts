// Leave requests of a conversation, from the rows.

import { maySayGoodbye } from '@parley/core';
import { type Want, wantBy } from '../../../store/port.ts';
import type { ConversationRow, LeaveRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

/** A thread, and where it hangs: who left that left all of it. */
const placesOf = (conversation: ConversationRow): string[] =>
  conversation.parent_id === null ? [conversation.id] : [conversation.id, conversation.parent_id];

export const leftWants = (conversation: ConversationRow): Want[] =>
  placesOf(conversation).map((id) => wantBy('leaves', 'conversation', id));

/** The rows of leave requests here, by the agent that was asked. */
export function leaveRequestsIn(conversation: ConversationRow, set: WorkingSet): Map<string, LeaveRow[]> {
  const rows = set.each(placesOf(conversation), (id) => set.find('leaves', 'conversation', id)).flat();
  return rows.length === 0 ? new Map<string, LeaveRow[]>() : Map.groupBy(rows, (row) => row.member_id);
}

export const hasGoodbye = (row: LeaveRow, now: number): boolean => maySayGoodbye({ at: row.at, said: row.goodbye_id !== null }, now);
