// A negotiation that a task waits for: its row among the contacts says how it stands with the task.

import { type Want, wantBy } from '../../../store/port.ts';
import type { ContactRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { addEffect } from '../facts/effects.ts';

export function awaitNegotiation(task: TaskRow, threadId: string, set: WorkingSet, context: Context): void {
  set.insert('contacts', {
    task_id: threadId,
    parent_id: task.id,
    action: 'negotiation',
    priority: 'normal',
    state: 'pending',
    until: null,
    result_id: null,
    at: context.now,
  });
}

const undelivered = ['pending', 'ended'] as const;
export const negotiationWants = (taskId: string): Want[] => undelivered.map((state) => wantBy('contacts', 'parent', taskId, state));

/** The task has ended without it. Nothing goes on for a request that was stopped: the peer declines what is still open. */
export function dropNegotiations(task: TaskRow, set: WorkingSet, context: Context): void {
  for (const state of undelivered)
    for (const contact of set.find('contacts', 'parent', task.id, state).filter(({ action }) => action === 'negotiation'))
      drop(contact, set, context);
}

function drop(contact: ContactRow, set: WorkingSet, context: Context): void {
  set.update('contacts', contact, { state: 'late' });
  const row = set.find('negotiations', 'task', contact.parent_id).find(({ thread_id }) => thread_id === contact.task_id);
  if (row?.open === 1) addEffect('negotiation.decline', { memberId: row.member_id, threadId: row.thread_id }, set, context);
}
