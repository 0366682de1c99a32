// The budget of an invocation (SYS-10): its owner's share of the chain, its agent's day, its owner's and the workspace's. A
// call of the model is reserved before it is made, retries included, and settled after. If nobody saw its end, the
// reservation is spent, unless its runner knows the cost.

import { add, type Amount, dayOf, type BudgetBalance, type BudgetKind, reserve } from '@parley/core';
import type { Want } from '../../../store/port.ts';
import type { InvocationRow, JournalRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { accountOf, memberPurse, sharePurse } from '../budget/budget-accounts.ts';
import { asideOf, asideText, journalId } from './journal.ts';
import { invocationChain } from './acting-agent.ts';
import { isBounded } from '../triggers/triggers-in-force.ts';
import { agentPurse, drawnFrom, putPurse } from '../budget/turn-budget.ts';

function pursesOf({ chain_id, owner_id, started_at }: InvocationRow, agentId: string, now: number, set: WorkingSet) {
  const at = started_at ?? now;
  return {
    chain: sharePurse(chain_id, owner_id),
    agent_day: agentPurse(agentId, at),
    member_day: memberPurse(accountOf(owner_id, set), at),
    workspace_day: `workspace:${dayOf(at)}`,
  };
}

/** The purse that has too little; undefined: it is taken from all of them. */
export function drawFor(invocation: InvocationRow, agentId: string, wanted: Amount, tx: Tx): BudgetKind | undefined {
  const purses = pursesOf(invocation, agentId, tx.now, tx);
  tx.need([
    { table: 'members', values: [invocation.owner_id] },
    ...Object.values(purses).map((id): Want => ({ table: 'purses', values: [id] })),
  ]);
  const owner = tx.get('members', invocation.owner_id);
  const drawn: BudgetBalance = {
    chain: drawnFrom(purses.chain, tx),
    agent_day: drawnFrom(purses.agent_day, tx),
    ...(owner && isBounded(owner) ? { member_day: drawnFrom(purses.member_day, tx) } : {}),
    workspace_day: drawnFrom(purses.workspace_day, tx),
  };
  const reserved = reserve(drawn, wanted, tx.limits.budgets);
  if (!reserved.ok) return reserved.purse;
  settleFor(invocation, agentId, wanted, tx);
  return undefined;
}

/** More or less than was reserved: it is spent, and counted, whatever is left. */
function settleFor(invocation: InvocationRow, agentId: string, difference: Amount, tx: Tx): void {
  const chain = invocationChain(invocation, tx);
  tx.update('chains', chain, { turns: chain.turns + difference.turns, micros: Math.max(0, chain.micros + difference.micros) });
  for (const id of Object.values(pursesOf(invocation, agentId, tx.now, tx))) {
    const { turns, micros } = add(drawnFrom(id, tx), difference);
    putPurse(id, { turns, micros: Math.max(0, micros) }, tx);
  }
}

/** More than was reserved for a step under way. Returns the purse that has too little: then nothing is taken. */
export function raise(row: InvocationRow, step: JournalRow, micros: number, tx: Tx): BudgetKind | undefined {
  const overrun = micros - asideOf(step);
  if (overrun <= 0) return undefined;
  const exhausted = drawFor(row, row.agent_id!, { turns: 0, micros: overrun }, tx);
  if (!exhausted) tx.update('journal', step, { input: asideText(micros) });
  return exhausted;
}

/** The cost of a model call: its reservation is settled. */
export function settleStep(row: InvocationRow, step: JournalRow, micros: number, tx: Tx): void {
  settleFor(row, row.agent_id!, { turns: 0, micros: micros - asideOf(step) }, tx);
  const attempt = tx.get('invocation_attempts', row.id, row.attempt)!;
  tx.update('invocation_attempts', attempt, { micros: attempt.micros + micros });
  const now = tx.get('invocations', row.id)!;
  tx.update('invocations', now, { micros: now.micros + micros });
}

/** The cost of a model call that came to no end, as its runner knows it. */
export interface KnownCost {
  n: number;
  micros: number;
}

/** Their reservations beyond that return to the budget. */
export function payBack(row: InvocationRow, known: readonly KnownCost[], tx: Tx): void {
  for (const { n, micros } of known) {
    const step = tx.get('journal', journalId(row), n);
    if (step?.kind !== 'model' || step.done_at !== null) continue;
    settleStep(row, step, micros, tx);
    tx.update('journal', step, { input: 'null', done_at: tx.now });
  }
}
