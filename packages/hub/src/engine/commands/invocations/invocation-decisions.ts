// A person's decisions about an invocation: it is cancelled, or its approval is requested again.

import { may } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import { actorId, actorOf, type By, type Handler, require, type Tx } from '../../command.ts';
import { askAgain, withdrawApproval } from '../../steps/invocations/invocation-approvals.ts';
import { forgetSteps, leftOpen } from '../../steps/invocations/journal.ts';
import { moveInvocation } from '../../steps/invocations/transitions.ts';
import { chainLock, settleChain } from '../../steps/tasks/tasks.ts';
import { setTimer } from '../../steps/facts/timers.ts';
import { onInvocation } from './invocation-runs.ts';

export interface InvocationDecisionCommands {
  /** An approval that expired, or that was for an older version, is requested again. */
  'invocation.ask_again': [{ invocationId: string }, { invocation: InvocationRow }];
  /** By its owner, or an admin: it does not begin any more, and a run is let go. */
  'invocation.cancel': [{ invocationId: string }, { invocation: InvocationRow }];
}

/** The invocation, for its owner and admins; to all others it does not exist. */
function editable(c: { by: By; invocationId: string }, tx: Tx): InvocationRow {
  const actor = actorOf(c.by, tx, tx.now);
  const row = tx.get('invocations', c.invocationId);
  const relations = row?.owner_id === actorId(actor) ? (['owner'] as const) : [];
  if (!row || !may('trigger.see', actor, relations).allowed) throw new ParleyError('not_found', 'There is no such invocation.');
  require('trigger.edit', actor, relations);
  return row;
}

const again: Handler<'invocation.ask_again'> = {
  ...onInvocation,
  decide: (c, tx) => ({ invocation: askAgain(editable(c, tx), tx) }),
};

const cancel: Handler<'invocation.cancel'> = {
  ...onInvocation,
  decide: (c, tx) => {
    const row = editable(c, tx);
    if (row.open === 0) return { invocation: row };
    tx.lock(chainLock(row.chain_id));
    withdrawApproval(row, tx);
    setTimer('invocation.due', row.id, 'wall', null, tx);
    if (row.state === 'running') {
      leftOpen(row, tx);
      forgetSteps(row, tx);
      const attempt = tx.get('invocation_attempts', row.id, row.attempt)!;
      tx.update('invocation_attempts', attempt, { state: 'cancelled', ended_at: tx.now });
    }
    const cancelled = moveInvocation(
      tx.get('invocations', row.id)!,
      'cancelled',
      { due_at: null, error: 'A person stopped it.' },
      tx,
      'stopped',
    );
    if (tx.get('chains', row.chain_id)) settleChain(row.chain_id, tx);
    return { invocation: cancelled };
  },
};

export const invocationDecisionHandlers = { 'invocation.ask_again': again, 'invocation.cancel': cancel };
