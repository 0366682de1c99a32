// The requester has stopped writing: the turn may begin, or the offer goes out.

import { isOpen } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { notify } from '../facts/notices.ts';
import { takersOf } from '../offers/offers.ts';
import { chainLock, gatherTasks, homeOf, moveTask, setWaiting, settleChain, taskFact } from '../tasks/tasks.ts';

/** Its timer is gone already: the firing transaction removes it. */
export function makeReady(taskId: string, set: WorkingSet, context: Context): void {
  const window = set.get('windows', taskId);
  const task = set.get('tasks', taskId);
  if (!window || !task) return;
  context.lock(chainLock(task.chain_id));
  gatherTasks([task], set, context);
  set.remove('windows', window);
  if (!isOpen(task.state)) return;
  // Kept until now, so that the rest of an answer found its task.
  const ready = task.asked_in === null ? task : set.update('tasks', task, { asked_in: null });
  taskFact('task.ready', ready, set, context, {});
  if (ready.agent_id === null) offer(ready, set, context);
}

function offer(task: TaskRow, set: WorkingSet, context: Context): void {
  const able = takersOf([task], set, context.now, { lock: context.lock }).get(task.id)!.length > 0;
  if (able) moveTask(task, 'offer', {}, set, context);
  // Said when it was asked, unless somebody was still there then.
  else if (task.waiting_since === null) {
    setWaiting(task, true, set, context);
    const about = { conversation: task.conversation_id, message: task.message_id, task: task.id };
    if (task.requester_id !== null)
      notify(task.requester_id, homeOf(task.conversation_id, set).id, { kind: 'nobody_available', ...about }, set, context, task.chain_id);
  }
  settleChain(task.chain_id, set, context);
}
