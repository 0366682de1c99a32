// How an attempt ended, as its runner says it.

import type { AttemptEnd } from '@parley/core/provoke';
import { ParleyError } from '@parley/protocol';
import type { InvocationRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem } from '../../command.ts';
import { type KnownCost, payBack } from '../../steps/invocations/costs.ts';
import { failAttempt, giveUp, type InvocationOutput, succeed } from '../../steps/invocations/attempt-ends.ts';
import { invocationFact, invocationLock } from '../../steps/invocations/transitions.ts';
import { tellOwner } from '../../steps/invocations/owner-notices.ts';
import { manifestOf } from '../../steps/invocations/acting-agent.ts';
import { runningWants } from '../../steps/facts/timers.ts';
import { isHalted } from '../../steps/tasks/task-access.ts';
import { heldInvocation } from './invocation-runs.ts';

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
  'invocation.sent': sent,
};
