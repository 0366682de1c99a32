// A person's peer spends on the hub's models from two budgets: the person's day, as their requests to agents do, and the
// workspace's (SYS-10).

import { add, type Amount, type BudgetKind, dayOf, noAmount, reserve, settle } from '@parley/core';
import type { MemberRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { isBounded } from '../triggers/triggers-in-force.ts';
import { accountOf, memberPurse, type PurseDraw } from './budget-accounts.ts';
import { drawnFrom, putPurse } from './turn-budget.ts';

function pursesOf(member: MemberRow, at: number, set: WorkingSet): PurseDraw[] {
  const purses: PurseDraw[] = [
    { purse: 'member_day', id: memberPurse(accountOf(member.id, set), at), unbounded: !isBounded(member) },
    { purse: 'workspace_day', id: `workspace:${dayOf(at)}` },
  ];
  set.need(purses.map(({ id }) => ({ table: 'purses', values: [id] })));
  return purses;
}

/** The budget that has too little; then nothing is taken. */
export function reserveModel(member: MemberRow, wanted: Amount, at: number, tx: Tx): BudgetKind | undefined {
  const purses = pursesOf(member, at, tx);
  const drawn = Object.fromEntries(purses.filter(({ unbounded }) => !unbounded).map(({ purse, id }) => [purse, drawnFrom(id, tx)]));
  const reserved = reserve(drawn, wanted, tx.limits.budgets);
  if (!reserved.ok) return reserved.purse;
  for (const { id } of purses) putPurse(id, add(drawnFrom(id, tx), wanted), tx);
  return undefined;
}

/** The question itself stays counted. */
export function settleModel(member: MemberRow, at: number, reserved: number, spent: number, set: WorkingSet): void {
  const [before, after] = [reserved, spent].map((micros) => ({ ...noAmount, micros })) as [Amount, Amount];
  for (const { id } of pursesOf(member, at, set)) putPurse(id, settle(drawnFrom(id, set), before, after), set);
}
