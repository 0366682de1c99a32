// The end of an attempt, as its runner reports it.

import type { AttemptEnd } from '@parley/core/provoke';
import { ParleyError } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem } from '../../command.ts';
import { type KnownCost, payBack } from '../../steps/invocations/costs.ts';
import { failAttempt, giveUp, type InvocationOutput, succeed } from '../../steps/invocations/attempt-ends.ts';
import { invocationFact } from '../../steps/invocations/transitions.ts';
import { notifyOwner } from '../../steps/invocations/owner-notices.ts';
import { manifestOf } from '../../steps/invocations/acting-agent.ts';
import { isHalted } from '../../steps/tasks/task-access.ts';
import { heldInvocation, onInvocation } from './invocation-runs.ts';

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
            /** The step after the attempt could not be done. */ last?: true;
          };
    },
    { invocation: InvocationRow },
  ];
  /** The address that the manifest names took the result; or never will, and why. */
  'invocation.sent': [{ invocationId: string; refused: string | null }, void];
}

const end: Handler<'invocation.end'> = {
  ...onInvocation,
  decide: (c, tx) => {
    const row = heldInvocation(c, tx);
    const { outcome } = c;
    if (!outcome.ok && outcome.last) return { invocation: giveUp(row, outcome.end, outcome.error, tx) };
    payBack(row, c.known ?? [], tx);
    const manifest = manifestOf(row, tx);
    // While everything is stopped, no result is posted and the attempt is returned, like those that still ran.
    if (outcome.ok && isHalted(tx)) throw new ParleyError('halted');
    return {
      invocation: outcome.ok ? succeed(row, manifest, outcome.output, tx) : failAttempt(row, manifest, outcome.end, outcome.error, tx),
    };
  },
};

const sent: Handler<'invocation.sent'> = {
  ...onInvocation,
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = tx.get('invocations', c.invocationId);
    if (!row) return;
    if (c.refused === null) invocationFact('delivered', row, { webhook: true }, tx);
    else {
      invocationFact('not_delivered', tx.update('invocations', row, { error: c.refused }), { webhook: true }, tx);
      notifyOwner(row, manifestOf(row, tx), 'not_delivered', tx);
    }
  },
};

export const invocationEndHandlers = { 'invocation.end': end, 'invocation.sent': sent };
