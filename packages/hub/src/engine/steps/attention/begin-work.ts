// The requester has stopped writing: the turn may begin, or the offer goes out.

import { isOpen } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { notify } from '../facts/notices.ts';
import { takersOf } from '../offers/offers.ts';
import { chainLock, gatherTasks, homeOf, moveTask, setWaiting, settleChain, taskFact } from '../tasks/tasks.ts';

/** The timer needs no removal: the transaction that fires it removes it. */
export function makeReady(taskId: string, tx: Tx): void {
  const window = tx.get('windows', taskId);
  const task = tx.get('tasks', taskId);
  if (!window || !task) return;
  tx.lock(chainLock(task.chain_id));
  gatherTasks([task], tx);
  tx.remove('windows', window);
  if (!isOpen(task.state)) return;
  // Kept until now, so that the rest of an answer found its task.
  const ready = task.asked_in === null ? task : tx.update('tasks', task, { asked_in: null });
  taskFact('task.ready', ready, tx, {});
  if (ready.agent_id === null) offer(ready, tx);
}

function offer(task: TaskRow, tx: Tx): void {
  const able = takersOf([task], tx, tx.now, { lock: tx.lock }).get(task.id)!.length > 0;
  if (able) moveTask(task, 'offer', {}, tx);
  // The author gets this notice only once: not when one came already as the request was made.
  else if (task.waiting_since === null) {
    setWaiting(task, true, tx);
    const about = { conversation: task.conversation_id, message: task.message_id, task: task.id };
    if (task.requester_id !== null)
      notify(task.requester_id, homeOf(task.conversation_id, tx).id, { kind: 'nobody_available', ...about }, tx, task.chain_id);
  }
  settleChain(task.chain_id, tx);
}
