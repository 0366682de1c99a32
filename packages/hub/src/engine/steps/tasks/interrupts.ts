// Urgent words for a task that is being worked on, and the answer to an approval (C2A-9): its turn is taken away in the
// transaction that records them, so that its runner is refused from then on. The steps done already stay in its journal.

import { wantBy } from '../../../store/port.ts';
import type { JournalRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { agentOf, moveTask, taskFact } from './tasks.ts';
import { beginTurn, endTurns } from '../budget/turn-budget.ts';
import { isHalted } from './task-access.ts';
import { urgentSince } from './turn-knowledge.ts';

/**
 * An agent in the hub is begun again by the scheduler; one outside is given its new lease with the words themselves. A call that
 * cannot be repeated is not cut: the words wait for its end (`interruptAfterCall`).
 */
export function interrupt(task: TaskRow, messageId: string, tx: Tx): TaskRow {
  const lease = task.lease + 1;
  const data = { message: messageId, urgent: true } as const;
  const change = { lease, mode: urgentMode(task) };
  if (isInCall(task, tx)) {
    const next = tx.update('tasks', task, { mode: change.mode, updated_at: tx.now });
    taskFact('task.continued', next, tx, data);
    return next;
  }
  endTurns(task.id, tx, 'interrupted');
  if (agentOf(task.agent_id!, tx).brain === 'remote' && !isHalted(tx)) {
    const begun = beginTurn(task, lease, { turns: 1, micros: 0 }, tx);
    if ('turn' in begun) {
      const next = tx.update('tasks', task, { ...change, updated_at: tx.now });
      taskFact('task.continued', next, tx, { ...data, lease });
      return next;
    }
  }
  return moveTask(task, 'yield', change, tx, { ...data, why: 'urgent' });
}

/**
 * A person has answered an approval while the turn goes on: another turn begins with the answer. A remote agent hears the answer
 * at once in the turn that it holds. While a call runs that cannot be repeated, nobody could say later whether it happened; then
 * the answer waits for the end of the turn.
 */
export function interruptWithAnswer(task: TaskRow, data: { approval: string; state: string }, tx: Tx): void {
  if (isInCall(task, tx) || agentOf(task.agent_id!, tx).brain === 'remote') return taskFact('task.approval', task, tx, data);
  endTurns(task.id, tx, 'interrupted');
  moveTask(task, 'yield', { lease: task.lease + 1, mode: urgentMode(task) }, tx, { ...data, why: 'approval' });
}

/** A call of its turn has ended that was not cut: urgent words that came meanwhile take the turn away now. */
export function interruptAfterCall(task: TaskRow, call: JournalRow, tx: Tx): void {
  if (!isUnrepeatable(call) || isInCall(task, tx)) return;
  const message = urgentSince(task, tx);
  if (message !== undefined) interrupt(task, message, tx);
}

/** A call of its turn is under way that cannot be repeated. */
function isInCall(task: TaskRow, set: WorkingSet): boolean {
  const running = set.find('turns', 'task', task.id, 'running');
  set.need(running.map(({ id }) => wantBy('journal', 'turn', id)));
  return running.flatMap(({ id }) => set.find('journal', 'turn', id)).some((step) => step.done_at === null && isUnrepeatable(step));
}

const isUnrepeatable = ({ kind, read_only, key }: JournalRow): boolean => kind === 'tool' && read_only === 0 && key === null;

/** The task goes before what else is queued for its agent. A knock stays one: the agent that takes it asks for the words. */
export const urgentMode = ({ mode }: TaskRow): TaskRow['mode'] => (mode === 'notify' ? mode : 'immediate');
