import type { Reader } from '../port.ts';
import { storedState } from '../stored-words.ts';
import type { ApprovalRow } from '../tables.ts';

/** The approvals of a task that were answered or have expired, without those that a turn other than `turnId` has used. */
export const answeredApprovals = (reader: Reader, taskId: string, agentId: string, turnId = ''): Promise<ApprovalRow[]> =>
  reader.rows(
    'approvals',
    `where task_id = ? and agent_id = ? and input <> 'null' and why <> 'unknown'
       and (state in ('approved', 'denied', ?) or (state = 'used' and used_in = ?)) order by answered_at, id`,
    [taskId, agentId, storedState('expired'), turnId],
  );
