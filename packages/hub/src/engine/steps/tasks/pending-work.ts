// The work that a task still waits for when its turn ends (IAC-6, IAC-14): the task is not completed then, and goes on when
// the work is done.

import { isOpen, negotiationTexts } from '@parley/core';
import { wantBy } from '../../../store/port.ts';
import type { NegotiationRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { answeredIn, approvalWants } from '../approvals/approvals.ts';
import { addContact, postResult, undeliveredResults, waitsForOthers } from './callbacks.ts';
import { endTask, gatherTasks, moveTask, settleChain } from './tasks.ts';
import { taintTask } from './transitions.ts';
import { endTurns } from '../budget/turn-budget.ts';

const delegations = (task: TaskRow, set: WorkingSet) =>
  set.find('contacts', 'parent', task.id, 'pending').filter(({ action }) => action !== 'ask');

/** These words delegated, and their author gets the result (IAC-16). */
export function waitForWoken(taskId: string, messageId: string, tx: Tx): void {
  for (const child of tx.find('tasks', 'parent', taskId, 1).filter(({ message_id }) => message_id === messageId))
    addContact({ task_id: child.id, parent_id: taskId, action: 'channel', state: 'pending' }, tx);
}

/** An agent works on each of these; a negotiation has none. */
const delegatedTasks = (task: TaskRow, set: WorkingSet) => delegations(task, set).filter(({ action }) => action !== 'negotiation');

const isAsked = (task: TaskRow, set: WorkingSet): boolean =>
  set.find('approvals', 'whole', task.id).some(({ state }) => state === 'pending');

/** A person is asked whether it may; another agent works for it. Undefined: nothing holds it up. */
export function waitsFor(task: TaskRow, set: WorkingSet): 'awaiting_approval' | 'awaiting_delegation' | undefined {
  set.need([
    ...approvalWants(task.id),
    ...(['pending', 'ended', 'asked'] as const).map((state) => wantBy('contacts', 'parent', task.id, state)),
  ]);
  if (isAsked(task, set)) return 'awaiting_approval';
  return delegations(task, set).length + undeliveredResults(task.id, set).length > 0 ? 'awaiting_delegation' : undefined;
}

/**
 * The task's delegations wait for its answer, and its agent had its turn without giving one: nothing else would ever resume
 * the task.
 */
export function isAskedInVain(task: TaskRow, set: WorkingSet): boolean {
  if (undeliveredResults(task.id, set).length > 0 || isAsked(task, set)) return false;
  const delegated = delegatedTasks(task, set);
  if (delegated.length < delegations(task, set).length) return false;
  const states = set.each(delegated, ({ task_id }) => set.get('tasks', task_id)!.state);
  return states.length > 0 && states.every((state) => state === 'waiting');
}

/** The turn is over: the task waits, or goes on at once with the results that came meanwhile. */
export function hold(task: TaskRow, why: 'awaiting_approval' | 'awaiting_delegation', tx: Tx): TaskRow {
  endTurns(task.id, tx);
  // An agent that was asked and did not answer has answered: its callers cannot go on, and it gets that as a refusal.
  if (isAskedInVain(task, tx))
    for (const { task_id } of delegatedTasks(task, tx))
      endTask(tx.get('tasks', task_id)!, { state: 'timed_out', cause: 'waited_too_long' }, tx);
  const now = tx.get('tasks', task.id)!;
  const came = undeliveredResults(task.id, tx).length > 0 || answeredIn(task, tx);
  const heldTask = came
    ? moveTask(now, 'yield', {}, tx, { why: 'came' })
    : moveTask(now, why === 'awaiting_approval' ? 'await' : 'pause', {}, tx);
  settleChain(task.chain_id, tx);
  return heldTask;
}

// A negotiation has ended: the platform says so where it was asked for, and the task that waits resumes. Of the words of the
// negotiation only the outcome is posted, which both people confirmed for that audience.

/** `outcome`: null, there is none for this audience. Safe to repeat: each is posted once. */
export function deliverResult(row: NegotiationRow, outcome: string | null, tx: Tx): void {
  const contact = row.task_id === null ? undefined : tx.get('contacts', row.thread_id);
  if (!contact || contact.state === 'late' || row.outcome === 1) return;
  const isFirst = contact.state === 'pending';
  if (!isFirst && outcome === null) return;
  gatherTasks([tx.get('tasks', contact.parent_id)!], tx);
  const task = tx.get('tasks', contact.parent_id)!;
  // An outcome may come after the end, when its action was carried out again.
  if (isFirst && !isOpen(task.state)) return void tx.update('contacts', contact, { state: 'late' });
  const body = outcome ?? negotiationTexts.ended(tx.get('members', row.member_id)!.handle);
  const message = postResult(task, row.thread_id, body, tx);
  if (outcome !== null) tx.update('negotiations', tx.get('negotiations', row.member_id, row.thread_id)!, { outcome: 1 });
  if (!isFirst) return;
  if (outcome !== null) taintTask(task, { kind: 'peer', address: row.thread_id }, tx);
  tx.update('contacts', contact, { state: 'ended', result_id: message.id });
  if (waitsForOthers(task)) moveTask(task, 'resume', {}, tx, { of: row.thread_id });
  settleChain(task.chain_id, tx);
}
