// A negotiation that a task waits for: its row among the contacts says how it stands with the task.

import { type Want, wantBy } from '../../../store/port.ts';
import type { ContactRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { addEffect } from '../../outbox.ts';

export const awaitNegotiation = (task: TaskRow, threadId: string, tx: Tx): void => addContact(task.id, threadId, 'pending', tx);

/** A fork: the task does not wait for it, but its outcome is posted there, and a task that is stopped ends it. */
export const joinTask = (taskId: string, threadId: string, tx: Tx): void => addContact(taskId, threadId, 'given', tx);

function addContact(taskId: string, threadId: string, state: 'pending' | 'given', tx: Tx): void {
  tx.insert('contacts', {
    task_id: threadId,
    parent_id: taskId,
    action: 'negotiation',
    priority: 'normal',
    state,
    until: null,
    result_id: null,
    at: tx.now,
  });
}

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
