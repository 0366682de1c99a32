// Budget exhausted (SYS-10): the task ends there, and the fact names the purse.

import type { Purse } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { append } from '../facts/append.ts';
import { endTask } from './tasks.ts';

export function endForBudget(task: TaskRow, purse: Purse, set: WorkingSet, context: Context): TaskRow {
  append(set, context, {
    type: 'budget.exhausted',
    actor: { type: 'operator' },
    scope: 'record',
    member_id: task.agent_id,
    subject_id: task.id,
    chain_id: task.chain_id,
    data: { purse },
  });
  return endTask(task, 'failed', 'budget', set, context);
}
