// What a task still waits for when its turn ends.

import type { TaskRow } from '../../store/tables.ts';
import type { WorkingSet } from '../working-set.ts';

/** A person is asked whether it may; another agent works for it. Undefined: nothing holds it up. */
export function waitsFor(task: TaskRow, set: WorkingSet): 'awaiting_approval' | 'awaiting_delegation' | undefined {
  if (set.find('approvals', 'whole', task.id).some(({ state }) => state === 'pending')) return 'awaiting_approval';
  return set.find('contacts', 'parent', task.id, 'pending').length > 0 ? 'awaiting_delegation' : undefined;
}
