// A task whose agent was given words from outside its requester's trust is tainted from then on (SYS-13). The taint is
// stored before the words are handed over, so that every later act counts as done with them.

import { type TaintSource, taints } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboutTask, append } from '../facts/append.ts';

export const isTainted = (taskId: string, set: WorkingSet): boolean => set.find('taints', 'task', taskId).length > 0;

export function taintTask(task: TaskRow, source: TaintSource, tx: Tx): void {
  const chainRequesterId = tx.get('chains', task.chain_id)?.requester_id ?? null;
  if (!taints(source, { chainRequesterId, agentId: task.agent_id ?? '' })) return;
  if (tx.get('taints', task.id, source.kind)) return;
  tx.insert('taints', { task_id: task.id, kind: source.kind, at: tx.now });
  append(tx, { type: 'task.tainted', ...aboutTask(task), data: { by: source.kind } });
}
