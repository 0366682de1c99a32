// A negotiation that a task waits for: its row among the contacts says how it stands with the task.

import { type Want, wantBy } from '../../../store/port.ts';
import type { ContactRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { addEffect } from '../facts/effects.ts';

export const awaitNegotiation = (task: TaskRow, threadId: string, set: WorkingSet, context: Context): void =>
  addContact(task.id, threadId, 'pending', set, context);

/** A fork: the task does not wait for it, but its outcome is posted there, and a task that is stopped ends it. */
export const joinTask = (taskId: string, threadId: string, set: WorkingSet, context: Context): void =>
  addContact(taskId, threadId, 'given', set, context);

function addContact(taskId: string, threadId: string, state: 'pending' | 'given', set: WorkingSet, context: Context): void {
  set.insert('contacts', {
    task_id: threadId,
    parent_id: taskId,
    action: 'negotiation',
    priority: 'normal',
    state,
    until: null,
    result_id: null,
    at: context.now,
  });
}

const undelivered = ['pending', 'ended', 'given'] as const;
export const negotiationWants = (taskId: string): Want[] => undelivered.map((state) => wantBy('contacts', 'parent', taskId, state));

/** The task has ended without it. Nothing goes on for a request that was stopped: the peer declines what is still open. */
export function dropNegotiations(task: TaskRow, set: WorkingSet, context: Context): void {
  for (const state of undelivered)
    for (const contact of set.find('contacts', 'parent', task.id, state).filter(isUndelivered)) drop(contact, set, context);
}

/** A task has the results of all of its own negotiations, and of none of their forks. */
const isUndelivered = ({ action, state, result_id }: ContactRow): boolean =>
  action === 'negotiation' && (state !== 'given' || result_id === null);

function drop(contact: ContactRow, set: WorkingSet, context: Context): void {
  set.update('contacts', contact, { state: 'late' });
  const row = set.find('negotiations', 'task', contact.parent_id).find(({ thread_id }) => thread_id === contact.task_id);
  if (row?.open === 1) addEffect('negotiation.decline', { memberId: row.member_id, threadId: row.thread_id }, set, context);
}
