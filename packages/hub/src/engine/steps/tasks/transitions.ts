// A task moves on, or is tainted, with a fact: the rows for what core's table of transitions allows.

import { isOpen, nextState, type TaskEvent, type TaintSource, taints } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { FactData, FactType, NoticeData } from '../../../store/fact-data.ts';
import type { TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { agentOf, homeOf, isHere, waitTimer } from './chains.ts';
import { aboutTask, append, type FactInput, heardIn, notify } from '../facts/append.ts';
import { setTimer } from '../facts/timers.ts';
import type { WorkingSet } from '../../working-set.ts';

type TaskFactType = FactType & `task.${string}`;
/** The argument is optional if every field of the data is. */
type DataArgument<D> = Partial<D> extends D ? [data?: D] : [data: D];

/** Appends a fact about a task for the members of the conversation where it was opened. */
export function taskFact<T extends TaskFactType>(type: T, task: TaskRow, tx: Tx, data: FactData[T]): void {
  append(tx, { type, ...heardIn(homeOf(task.conversation_id, tx).id), ...aboutTask(task), data } as FactInput);
}

/** A notice about a task, for the person who asked for it. The task above gets what becomes of a sub-task. */
export function notifyRequester(task: TaskRow, kind: NoticeData['kind'], tx: Tx, details: Partial<NoticeData> = {}): void {
  if (task.requester_id === null || task.parent_id !== null) return;
  const about = { conversation: task.conversation_id, message: task.message_id, task: task.id };
  notify(task.requester_id, homeOf(task.conversation_id, tx).id, { kind, ...about, ...details }, tx, task.chain_id);
}

/** Moves a task on; refuses what the table of transitions does not have. */
export function moveTask<E extends TaskEvent>(
  task: TaskRow,
  event: E,
  change: Partial<TaskRow>,
  tx: Tx,
  ...[data]: DataArgument<FactData[`task.${E}`]>
): TaskRow {
  const state = nextState(task.state, event);
  if (state === undefined) throw new ParleyError(isOpen(task.state) ? 'task_not_active' : 'task_over');
  const next = tx.update('tasks', task, { updated_at: tx.now, ...change, state });
  taskFact(`task.${event}`, next, tx, data ?? ({} as FactData[`task.${E}`]));
  const isWaiting = state === 'waiting' || (state === 'queued' && (next.agent_id === null || !isHere(agentOf(next.agent_id, tx))));
  if (isWaiting !== (task.waiting_since !== null)) return setWaiting(next, isWaiting, tx);
  return next;
}

/** Since when nobody is there to act in it. */
export function setWaiting(task: TaskRow, waits: boolean, tx: Tx): TaskRow {
  const next = tx.update('tasks', task, { waiting_since: waits ? tx.now : null });
  if (waits) waitTimer(next, tx.get('chains', task.chain_id)!, tx);
  else setTimer('task.wait', task.id, 'wall', null, tx);
  return next;
}

// A task whose agent was given words from outside its requester's trust is tainted from then on (SYS-13). The taint is
// stored before the words are handed over, so that every later act counts as done with them.

export const isTainted = (taskId: string, set: WorkingSet): boolean => set.find('taints', 'task', taskId).length > 0;

export function taintTask(task: TaskRow, source: TaintSource, tx: Tx): void {
  const chainRequesterId = tx.get('chains', task.chain_id)?.requester_id ?? null;
  if (!taints(source, { chainRequesterId, agentId: task.agent_id ?? '' })) return;
  if (tx.get('taints', task.id, source.kind)) return;
  tx.insert('taints', { task_id: task.id, kind: source.kind, at: tx.now });
  append(tx, { type: 'task.tainted', ...aboutTask(task), data: { by: source.kind } });
}
