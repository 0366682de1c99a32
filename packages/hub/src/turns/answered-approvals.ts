// Calls of a task that a person was asked about and has answered, or nobody has: what its agent is told when it goes on.

import { approvalResults } from '@parley/core';
import type { AnsweredApproval } from '@parley/protocol';
import { wordOf } from '../store/stored-words.ts';
import type { Reader } from '../store/port.ts';
import { answeredApprovals } from '../store/reads/approvals.ts';

/** What was made use of is told no more; but a turn that is gone on with is told of what it has used itself. */
export async function answeredCalls(store: Reader, taskId: string, agentId: string, turnId?: string): Promise<AnsweredApproval[]> {
  const rows = await answeredApprovals(store, taskId, agentId, turnId);
  if (rows.length === 0) return [];
  const targets = await store.rows('members', { id: rows.flatMap(({ target_id }) => target_id ?? []) });
  return rows.map(({ id, name, input, state, target_id }) => {
    const told = state === 'used' ? 'approved' : (wordOf(state) as AnsweredApproval['state']);
    const target = targets.find((member) => member.id === target_id)?.handle;
    return { id, name, input: JSON.parse(input) as unknown, state: told, text: approvalResults[told]({ agent: '', name, target }) };
  });
}
