// Urgent words for a task that is being worked on (C2A-9): its turn is taken away in the transaction that places them, so
// that whoever ran it is refused from then on. What it did already stays in its journal.

import type { TaskRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { agentOf, moveTask, taskFact } from './tasks.ts';
import { beginTurn, endTurns } from './turns.ts';
import { isHalted } from './work.ts';

/** An agent in the hub is begun anew by the scheduler; one outside is given its new lease with the words themselves. */
export function interrupt(task: TaskRow, messageId: string, set: WorkingSet, context: Context): TaskRow {
  endTurns(task.id, set, context, 'interrupted');
  const lease = task.lease + 1;
  const data = { message: messageId, urgent: true };
  const change = { lease, mode: urgentMode(task) };
  if (agentOf(task.agent_id!, set).brain === 'remote' && !isHalted(set)) {
    const begun = beginTurn(task, lease, { turns: 1, micros: 0 }, set, context);
    if ('turn' in begun) {
      const next = set.update('tasks', task, { ...change, updated_at: context.now });
      taskFact('task.continued', next, set, context, { ...data, lease });
      return next;
    }
  }
  return moveTask(task, 'yield', change, set, context, { ...data, why: 'urgent' });
}

/** It goes before what else is queued for its agent. A knock stays one: who takes it next is to ask for the words. */
export const urgentMode = ({ mode }: TaskRow): TaskRow['mode'] => (mode === 'notify' ? mode : 'immediate');
