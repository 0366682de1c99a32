// An invocation goes from one state to the next, with the fact that says so. Facts name what happened, never what was said.

import { movedInvocation } from '@parley/core';
import { type InvocationState, invocationStates } from '@parley/protocol';
import type { FactData, FactType } from '../../../store/fact-data.ts';
import { storedState, wordOf } from '../../../store/stored-words.ts';
import type { InvocationRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { chainLock } from '../tasks/chains.ts';
import { dropTags } from '../conversations/egress.ts';
import { forgetAllSteps } from './journal.ts';
import { append, type FactInput } from '../facts/append.ts';
import { manifestOf } from './acting-agent.ts';
import { setTimer } from '../facts/timers.ts';

export const invocationLock = (id: string): string => `invocation:${id}`;

/** Nothing more happens to it by itself. */
const ended: ReadonlySet<InvocationState> = new Set(['completed', 'failed', 'expired', 'denied', 'cancelled']);
export const openStates = invocationStates.filter((state) => !ended.has(state));

type InvocationFact = Extract<FactType, `invocation.${string}`> extends `invocation.${infer W}` ? W : never;

export function invocationFact<W extends InvocationFact>(
  what: W,
  row: InvocationRow,
  data: Omit<FactData[`invocation.${W}`], 'trigger' | 'attempt'>,
  set: WorkingSet,
  context: Context,
): number {
  return append(set, context, {
    type: `invocation.${what}`,
    member_id: row.agent_id ?? row.owner_id,
    subject_id: row.id,
    chain_id: row.chain_id,
    data: { trigger: row.trigger_id, attempt: row.attempt, ...data },
  } as FactInput);
}

/** `reason`: a code, for the fact; the words are in `error`. */
export function moveInvocation(
  row: InvocationRow,
  state: InvocationState,
  change: Partial<InvocationRow>,
  set: WorkingSet,
  context: Context,
  reason?: string,
): InvocationRow {
  const over = ended.has(state);
  if (over) forgetAllSteps(row, set);
  const moved = set.update('invocations', row, {
    state: storedState(movedInvocation(wordOf(row.state), state)),
    open: over ? 0 : 1,
    ended_at: over ? context.now : null,
    ...change,
  });
  invocationFact(moved.state, moved, reason === undefined ? {} : { reason }, set, context);
  return moved;
}

/** It ends without a result: no event reports it, and its chain may have been open for it alone. */
export function closeInvocation(
  row: InvocationRow,
  state: 'expired' | 'denied' | 'cancelled',
  change: Partial<InvocationRow>,
  set: WorkingSet,
  context: Context,
  reason?: string,
): InvocationRow {
  context.lock(chainLock(row.chain_id));
  const closed = moveInvocation(row, state, change, set, context, reason);
  dropTags(row.chain_id, set);
  return closed;
}

/** After its pause it may begin; the timer is what a restart finds. */
export function retryAt(row: InvocationRow, at: number, set: WorkingSet, context: Context, reason: string): InvocationRow {
  if (at <= context.now) return moveInvocation(row, 'queued', { due_at: null }, set, context, reason);
  setTimer('invocation.due', row.id, 'wall', at, set, context);
  return moveInvocation(row, 'waiting_retry', { due_at: at }, set, context, reason);
}

/** Before its time, it is the clock that was set back: then its pause begins again, unless less than that is left of it. */
export function retryDue(id: string, set: WorkingSet, context: Context): void {
  const row = set.get('invocations', id);
  if (row?.state !== 'waiting_retry') return;
  context.lock(invocationLock(id));
  if (row.due_at !== null && row.due_at > context.now) {
    const at = context.provoke.core.retryBy(manifestOf(row, set), row.due_at, context.now);
    setTimer('invocation.due', row.id, 'wall', at, set, context);
    const waits = set.update('invocations', row, { due_at: at });
    invocationFact('waiting_retry', waits, { reason: 'clock' }, set, context);
    return;
  }
  moveInvocation(row, 'queued', { due_at: null }, set, context);
}
