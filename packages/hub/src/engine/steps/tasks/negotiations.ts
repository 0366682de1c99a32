// A negotiation that a task waits for: its row among the contacts says how it stands with the task.

import { type Want, wantBy } from '../../../store/port.ts';
import type { ContactRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { addContact } from './callbacks.ts';
import { addEffect } from '../../outbox.ts';

export const awaitNegotiation = (task: TaskRow, threadId: string, tx: Tx): void =>
  addContact({ task_id: threadId, parent_id: task.id, action: 'negotiation', state: 'pending' }, tx);

/** A fork: the task does not wait for it, but its outcome is posted there, and a task that is stopped ends it. */
export const joinTask = (taskId: string, threadId: string, tx: Tx): void =>
  addContact({ task_id: threadId, parent_id: taskId, action: 'negotiation', state: 'given' }, tx);

const undelivered = ['pending', 'ended', 'given'] as const;
export const negotiationWants = (taskId: string): Want[] => undelivered.map((state) => wantBy('contacts', 'parent', taskId, state));

/** The task has ended before its negotiations. Nothing goes on for a stopped request: the peer declines what is still open. */
export function dropNegotiations(task: TaskRow, tx: Tx): void {
  for (const state of undelivered)
    for (const contact of tx.find('contacts', 'parent', task.id, state).filter(isUndelivered)) drop(contact, tx);
}

/** A task has the results of all of its own negotiations, and of none of their forks. */
const isUndelivered = ({ action, state, result_id }: ContactRow): boolean =>
  action === 'negotiation' && (state !== 'given' || result_id === null);

function drop(contact: ContactRow, tx: Tx): void {
  tx.update('contacts', contact, { state: 'late' });
  const row = tx.find('negotiations', 'task', contact.parent_id).find(({ thread_id }) => thread_id === contact.task_id);
  if (row?.open === 1) addEffect('negotiation.decline', { memberId: row.member_id, threadId: row.thread_id }, tx);
}
