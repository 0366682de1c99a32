// Budget exhausted (SYS-10): the task ends there, and the fact names the purse.

import type { BudgetKind } from '@parley/core';
import type { TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { aboutTask, append } from '../facts/append.ts';
import { endTask } from './tasks.ts';

export function endForBudget(task: TaskRow, purse: BudgetKind, tx: Tx): TaskRow {
  append(tx, { type: 'budget.exhausted', ...aboutTask(task), data: { purse } });
  return endTask(task, { state: 'failed', cause: 'budget' }, tx);
}
