// How an attempt ended, as its runner says it; what a person decides about an invocation.

import { may } from '@parley/core';
import type { AttemptEnd } from '@parley/core/provoke';
import { ParleyError } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import { actorId, actorOf, type By, type Context, type Handler, mustBeSystem, require } from '../../command.ts';
import { askAgain, withdrawApproval } from '../../steps/invocations/invocation-approvals.ts';
import { type KnownCost, payBack } from '../../steps/invocations/costs.ts';
import { failAttempt, giveUp, type InvocationOutput, succeed } from '../../steps/invocations/attempt-ends.ts';
import { forgetSteps, leftOpen } from '../../steps/invocations/journal.ts';
import { invocationFact, invocationLock, moveInvocation } from '../../steps/invocations/transitions.ts';
import { tellOwner } from '../../steps/invocations/owner-notices.ts';
import { manifestOf } from '../../steps/invocations/acting-agent.ts';
import { chainLock, settleChain } from '../../steps/tasks/tasks.ts';
import { runningWants, setTimer } from '../../steps/facts/timers.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isHalted } from '../../steps/tasks/task-access.ts';
import { heldInvocation } from './invocations.ts';

export interface InvocationEndCommands {
  'invocation.end': [
    {
      invocationId: string;
      lease: number;
      /** Calls of the model that came to no end. */
      known?: readonly KnownCost[];
      outcome:
        | { ok: true; output: InvocationOutput }
        | {
            ok: false;
            end: Exclude<AttemptEnd, 'succeeded' | 'denied'>;
            error: string;
            /** What follows could not be done. */ last?: true;
          };
    },
    { invocation: InvocationRow },
  ];
  /** An approval that expired, or that was for an older version, is requested again. */
  'invocation.ask_again': [{ invocationId: string }, { invocation: InvocationRow }];
  /** By its owner, or an admin: it does not begin any more, and a run is let go. */
  'invocation.cancel': [{ invocationId: string }, { invocation: InvocationRow }];
  /** What it came to was taken at the address its manifest names; or never will be, and why. */
  'invocation.sent': [{ invocationId: string; refused: string | null }, Record<string, never>];
}

const end: Handler<'invocation.end'> = {
  locks: (c) => [invocationLock(c.invocationId)],
  needs: (c) => [{ table: 'invocations', values: [c.invocationId] }, ...runningWants],
  decide: (c, set, context) => {
    const row = heldInvocation(c, set, context);
    const { outcome } = c;
    if (!outcome.ok && outcome.last) return { invocation: giveUp(row, outcome.end, outcome.error, set, context) };
    payBack(row, c.known ?? [], set, context);
    const manifest = manifestOf(row, set);
    // Nothing is said while everything is stopped: it is given back, as what still ran was.
    if (outcome.ok && isHalted(set)) throw new ParleyError('halted');
    return {
      invocation: outcome.ok
        ? succeed(row, manifest, outcome.output, set, context)
        : failAttempt(row, manifest, outcome.end, outcome.error, set, context),
    };
  },
};

/** Its owner and admins; to all others it is not there. */
function mine(c: { by: By; invocationId: string }, set: WorkingSet, context: Context): InvocationRow {
  const actor = actorOf(c.by, set, context.now);
  const row = set.get('invocations', c.invocationId);
  const relations = row?.owner_id === actorId(actor) ? (['owner'] as const) : [];
  if (!row || !may('trigger.see', actor, relations).allowed) throw new ParleyError('not_found', 'There is no such invocation.');
  require('trigger.edit', actor, relations);
  return row;
}

const again: Handler<'invocation.ask_again'> = {
  locks: (c) => [invocationLock(c.invocationId)],
  needs: (c) => [{ table: 'invocations', values: [c.invocationId] }],
  decide: (c, set, context) => ({ invocation: askAgain(mine(c, set, context), set, context) }),
};

const cancel: Handler<'invocation.cancel'> = {
  locks: (c) => [invocationLock(c.invocationId)],
  needs: (c) => [{ table: 'invocations', values: [c.invocationId] }, ...runningWants],
  decide: (c, set, context) => {
    const row = mine(c, set, context);
    if (row.open === 0) return { invocation: row };
    context.lock(chainLock(row.chain_id));
    withdrawApproval(row, set, context);
    setTimer('invocation.due', row.id, 'wall', null, set, context);
    if (row.state === 'running') {
      leftOpen(row, set);
      forgetSteps(row, set);
      const attempt = set.get('invocation_attempts', row.id, row.attempt)!;
      set.update('invocation_attempts', attempt, { state: 'cancelled', ended_at: context.now });
    }
    const cancelled = moveInvocation(
      set.get('invocations', row.id)!,
      'cancelled',
      { due_at: null, error: 'A person stopped it.' },
      set,
      context,
      'stopped',
    );
    if (set.get('chains', row.chain_id)) settleChain(row.chain_id, set, context);
    return { invocation: cancelled };
  },
};

const sent: Handler<'invocation.sent'> = {
  locks: (c) => [invocationLock(c.invocationId)],
  needs: (c) => [{ table: 'invocations', values: [c.invocationId] }],
  decide: (c, set, context) => {
    mustBeSystem(c.by, set, context);
    const row = set.get('invocations', c.invocationId);
    if (!row) return {};
    if (c.refused === null) invocationFact('delivered', row, { webhook: true }, set, context);
    else {
      invocationFact('not_delivered', set.update('invocations', row, { error: c.refused }), { webhook: true }, set, context);
      tellOwner(row, manifestOf(row, set), 'not_delivered', set, context);
    }
    return {};
  },
};

export const invocationEndHandlers = {
  'invocation.end': end,
  'invocation.ask_again': again,
  'invocation.cancel': cancel,
  'invocation.sent': sent,
};
