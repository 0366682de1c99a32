// Budget exhausted (SYS-10): the task ends there, and the fact names the purse.

import type { BudgetKind } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboutTask, append } from '../facts/append.ts';
import { endTask } from './tasks.ts';

export function endForBudget(task: TaskRow, purse: BudgetKind, set: WorkingSet, context: Context): TaskRow {
  append(set, context, { type: 'budget.exhausted', ...aboutTask(task), data: { purse } });
  return endTask(task, 'failed', 'budget', set, context);
}
