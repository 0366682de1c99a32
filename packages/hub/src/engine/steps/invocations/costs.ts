// The budget of an invocation (SYS-10): its owner's share of the chain, its agent's day, its owner's and the workspace's. A
// call of the model is reserved before it is made, retries included, and settled after. If nobody saw its end, the
// reservation is spent, unless its runner knows the cost.

import { type Amount, type BudgetKind, noAmount } from '@parley/core';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { InvocationRow, JournalRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { accountOf } from '../budget/budget-accounts.ts';
import { agentPurse, book, exhaustedBy, memberPurse, type PurseDraw, sharePurse, workspacePurse } from '../budget/purses.ts';
import { addCost, asideOf, asideText, journalId } from './journal.ts';
import { invocationChain } from './acting-agent.ts';
import { isBounded } from '../triggers/triggers-in-force.ts';

function pursesOf({ chain_id, owner_id, started_at }: InvocationRow, agentId: string, tx: Tx): PurseDraw[] {
  const at = started_at ?? tx.now;
  tx.need([wantRow('members', owner_id), wantBy('links', 'user', owner_id)]);
  const owner = tx.get('members', owner_id);
  return [
    { purse: 'chain', id: sharePurse(chain_id, owner_id) },
    { purse: 'agent_day', id: agentPurse(agentId, at) },
    { purse: 'member_day', id: memberPurse(accountOf(owner_id, tx), at), unbounded: !owner || !isBounded(owner) },
    { purse: 'workspace_day', id: workspacePurse(at) },
  ];
}

/** The purse that has too little; undefined: it is taken from all of them. */
export function drawFor(invocation: InvocationRow, agentId: string, wanted: Amount, tx: Tx): BudgetKind | undefined {
  const exhausted = exhaustedBy(pursesOf(invocation, agentId, tx), wanted, tx);
  if (!exhausted) settleFor(invocation, agentId, noAmount, wanted, tx);
  return exhausted;
}

/** More or less than was reserved: it is spent, and counted, whatever is left. */
function settleFor(invocation: InvocationRow, agentId: string, reserved: Amount, spent: Amount, tx: Tx): void {
  book(pursesOf(invocation, agentId, tx), reserved, spent, tx, invocationChain(invocation, tx));
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
  settleFor(row, row.agent_id!, { turns: 0, micros: asideOf(step) }, { turns: 0, micros }, tx);
  addCost(row, micros, tx);
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
