// A call that waits for a person's yes (IAC-14, SYS-13), bound to its exact arguments: a yes is for one call, and used up by it.

import { createHash } from 'node:crypto';
import type { ApprovalRow, TaskRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';

export interface ApprovalCall {
  task: TaskRow;
  agentId: string;
  name: string;
  input: object;
  why: ApprovalRow['why'];
  /** Of a contact: with whom. */
  pair?: string;
}

const lapseMs = 24 * 3_600_000;

export function approvalFor(call: ApprovalCall, set: WorkingSet, context: Context): 'granted' | 'pending' | 'denied' {
  const { task, agentId, name, input, why } = call;
  const digest = createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64url');
  const known = (state: ApprovalRow['state']) => set.find('approvals', 'task', task.id, state).find((row) => row.digest === digest);
  const approved = known('approved');
  if (approved) {
    set.update('approvals', approved, { state: 'used' });
    return 'granted';
  }
  if (known('denied')) return 'denied';
  if (known('pending')) return 'pending';
  set.insert('approvals', {
    id: context.ids.next('checkpoint'),
    task_id: task.id,
    agent_id: agentId,
    name,
    digest,
    input: JSON.stringify(input),
    why,
    state: 'pending',
    until: context.now + lapseMs,
    reminded: 0,
    at: context.now,
    answered_at: null,
  });
  return 'pending';
}
