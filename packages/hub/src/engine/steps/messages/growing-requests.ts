// A request goes on after its turn has begun (C2A-28): a row for as long as its author's next words may belong to it. Anyone
// else's post removes it, and so does the agent's first word.

import { type Want, wantBy } from '../../../store/port.ts';
import type { CompositionRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

export const compositionWants = (conversationId: string): Want[] => [wantBy('compositions', 'conversation', conversationId)];

export const compositionOf = (task: TaskRow, set: WorkingSet): CompositionRow | undefined => set.find('compositions', 'task', task.id)[0];

/** Begins a request that its author may still be writing. `fresh`: the task is new, and has none. */
export function startComposition(task: TaskRow, conversationId: string, tx: Tx, fresh = false): void {
  if (task.requester_id === null) return;
  const change = { conversation_id: conversationId, requester_id: task.requester_id, since: tx.now, restarts: 0 };
  const before = fresh ? undefined : compositionOf(task, tx);
  if (before && before.conversation_id === conversationId) {
    tx.update('compositions', before, change);
    return;
  }
  if (before) tx.remove('compositions', before);
  tx.insert('compositions', { task_id: task.id, ...change });
}

export function endComposition(task: TaskRow, set: WorkingSet): void {
  const row = compositionOf(task, set);
  if (row) set.remove('compositions', row);
}

/** Somebody posts: what others are writing here is whole from now on. */
export function endCompositionsOfOthers(conversationId: string, authorId: string | null, set: WorkingSet): void {
  for (const row of set.find('compositions', 'conversation', conversationId))
    if (row.requester_id !== authorId) set.remove('compositions', row);
}
