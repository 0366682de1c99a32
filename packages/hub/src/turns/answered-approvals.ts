// Calls of a task that a person has answered, or nobody has: for its agent, when it goes on.

import { approvalResults } from '@parley/core';
import type { AnsweredApproval } from '@parley/protocol';
import { wordOf } from '../store/stored-words.ts';
import type { Reader } from '../store/port.ts';
import { answeredApprovals } from '../store/reads/approvals.ts';

/** Used approvals are left out; but a resumed turn gets those that it has used itself. */
export async function answeredCalls(store: Reader, taskId: string, agentId: string, turnId?: string): Promise<AnsweredApproval[]> {
  const rows = await answeredApprovals(store, taskId, agentId, turnId);
  if (rows.length === 0) return [];
  const targets = await store.rows('members', { id: rows.flatMap(({ target_id }) => target_id ?? []) });
  return rows.map(({ id, name, input, state, target_id }) => {
    const outcome = state === 'used' ? 'approved' : (wordOf(state) as AnsweredApproval['state']);
    const target = targets.find((member) => member.id === target_id)?.handle;
    return { id, name, input: JSON.parse(input) as unknown, state: outcome, text: approvalResults[outcome]({ agent: '', name, target }) };
  });
}
