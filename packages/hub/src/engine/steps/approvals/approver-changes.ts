// Another person answers for an agent: open approvals, and calls that may have happened, are put to them instead (SYS-14).

import type { MemberRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { approverFor } from './approvals.ts';
import { redactedFor } from '../facts/audit-entries.ts';
import { dataOf, giveCheckpoint, inboxLock } from '../facts/checkpoints.ts';
import { audienceOf } from '../conversations/egress.ts';

/** Makes the change, and hands over open approvals where the approver is another one after it. */
export function withApprovals(agentId: string, edit: () => MemberRow, tx: Tx): MemberRow {
  const before = approverFor(agentId, tx);
  const changed = edit();
  const now = approverFor(agentId, tx);
  if (before !== undefined && now !== undefined && before !== now) handApprovals(agentId, before, now, tx);
  return changed;
}

function handApprovals(agentId: string, from: string, to: string, tx: Tx): void {
  tx.lock(inboxLock(from), inboxLock(to));
  const open = tx.find('checkpoints', 'member', from, 1);
  const checkpoints = open.filter(
    (row) => (row.kind === 'approval' || row.kind === 'may_have_happened') && dataOf(row).agents?.[0] === agentId,
  );
  tx.need(checkpoints.map(({ id }) => ({ table: 'approvals', values: [id] })));
  for (const row of checkpoints) {
    const approval = tx.get('approvals', row.id);
    // The arguments were shown as the earlier approver may read them.
    if (approval && row.chain_id !== null) {
      const input: unknown = JSON.parse(approval.input);
      tx.update('approvals', approval, { input: JSON.stringify(redactedFor(audienceOf([to], tx), input, row.chain_id, tx)) });
    }
    giveCheckpoint(row, to, tx);
  }
}
