// An invocation goes from one state to the next, with the fact that says so. Facts name the event, never its words.

import { movedInvocation } from '@parley/core';
import { type InvocationState, invocationStates } from '@parley/protocol';
import type { FactData, FactType } from '../../../store/fact-data.ts';
import { storedState, wordOf } from '../../../store/stored-values.ts';
import type { InvocationRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { chainLock } from '../tasks/chains.ts';
import { dropTags } from '../conversations/egress.ts';
import { forgetAllSteps } from './journal.ts';
import { append, type FactInput } from '../facts/append.ts';
import { manifestOf } from './acting-agent.ts';
import { setTimer } from '../facts/timers.ts';

export const invocationLock = (id: string): string => `invocation:${id}`;

/** Final states. */
const ended: ReadonlySet<InvocationState> = new Set(['completed', 'failed', 'expired', 'denied', 'cancelled']);
export const openStates = invocationStates.filter((state) => !ended.has(state));

type InvocationFact = Extract<FactType, `invocation.${string}`> extends `invocation.${infer W}` ? W : never;

export function invocationFact<W extends InvocationFact>(
  what: W,
  row: InvocationRow,
  data: Omit<FactData[`invocation.${W}`], 'trigger' | 'attempt'>,
  tx: Tx,
): number {
  return append(tx, {
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
  tx: Tx,
  reason?: string,
): InvocationRow {
  const hasEnded = ended.has(state);
  if (hasEnded) forgetAllSteps(row, tx);
  const moved = tx.update('invocations', row, {
    state: storedState(movedInvocation(wordOf(row.state), state)),
    open: hasEnded ? 0 : 1,
    ended_at: hasEnded ? tx.now : null,
    ...change,
  });
  invocationFact(moved.state, moved, reason === undefined ? {} : { reason }, tx);
  return moved;
}

/** The invocation ends without a result: no event reports it, and its chain may have been open for it alone. */
export function closeInvocation(
  row: InvocationRow,
  state: 'expired' | 'denied' | 'cancelled',
  change: Partial<InvocationRow>,
  tx: Tx,
  reason?: string,
): InvocationRow {
  tx.lock(chainLock(row.chain_id));
  const closed = moveInvocation(row, state, change, tx, reason);
  dropTags(row.chain_id, tx);
  return closed;
}

/** Queues the invocation after its pause; the timer survives a restart. */
export function retryAt(row: InvocationRow, at: number, tx: Tx, reason: string): InvocationRow {
  if (at <= tx.now) return moveInvocation(row, 'queued', { due_at: null }, tx, reason);
  setTimer('invocation.due', row.id, 'wall', at, tx);
  return moveInvocation(row, 'waiting_retry', { due_at: at }, tx, reason);
}

/** Before its time, it is the clock that was set back: then its pause begins again, unless less than that is left of it. */
export function retryDue(id: string, tx: Tx): void {
  const row = tx.get('invocations', id);
  if (row?.state !== 'waiting_retry') return;
  tx.lock(invocationLock(id));
  if (row.due_at !== null && row.due_at > tx.now) {
    const at = tx.provoke.core.retryBy(manifestOf(row, tx), row.due_at, tx.now);
    setTimer('invocation.due', row.id, 'wall', at, tx);
    const waitingRow = tx.update('invocations', row, { due_at: at });
    invocationFact('waiting_retry', waitingRow, { reason: 'clock' }, tx);
    return;
  }
  moveInvocation(row, 'queued', { due_at: null }, tx);
}
