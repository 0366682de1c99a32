// Purses (SYS-10): amounts already drawn, each under a name that says on whose account and when. A reservation is drawn from
// all purses of the work, and settled in all of them.

import { add, type Amount, type BudgetBalance, type BudgetKind, dayOf, noAmount, reserve, settle } from '@parley/core';
import { type Want, wantRow } from '../../../store/port.ts';
import type { ChainRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

/** A purse that some work draws on. */
export interface PurseDraw {
  purse: BudgetKind;
  id: string;
  /** Draws are counted, and never refused. */
  unbounded?: boolean;
  /** Draws from these count as well. */
  before?: string[];
}

export const agentPurse = (agentId: string, at: number): string => `agent:${agentId}:${dayOf(at)}`;
export const sharePurse = (chainId: string, ownerId: string): string => `chain:${chainId}:${ownerId}`;
export const memberPurse = (ownerId: string, at: number): string => `member:${ownerId}:${dayOf(at)}`;
export const workspacePurse = (at: number): string => `workspace:${dayOf(at)}`;

export const drawnFrom = (id: string, set: WorkingSet): Amount => set.get('purses', id) ?? noAmount;

const idsOf = ({ id, before = [] }: PurseDraw): string[] => [id, ...before];
export const pursesWanted = (purses: readonly PurseDraw[]): Want[] => purses.flatMap(idsOf).map((id) => wantRow('purses', id));

/** The budget that has too little for it; undefined: all have enough. `chain`: where the chain itself is one. */
export function exhaustedBy(
  purses: readonly PurseDraw[],
  wanted: Amount,
  tx: Tx,
  chain: Pick<BudgetBalance, 'chain'> = {},
): BudgetKind | undefined {
  tx.need(pursesWanted(purses));
  const bounded = purses.filter(({ unbounded }) => !unbounded);
  const sum = (one: PurseDraw): Amount => idsOf(one).reduce((all, id) => add(all, drawnFrom(id, tx)), noAmount);
  const drawn = { ...chain, ...Object.fromEntries(bounded.map((one) => [one.purse, sum(one)])) };
  const reserved = reserve(drawn, wanted, tx.limits.budgets);
  return reserved.ok ? undefined : reserved.purse;
}

/** Counts the spent amount in place of the reserved one, in these purses and on the chain. */
export function book(purses: readonly PurseDraw[], reserved: Amount, spent: Amount, set: WorkingSet, chain?: ChainRow): void {
  set.need(pursesWanted(purses));
  if (chain) set.update('chains', chain, settle(chain, reserved, spent));
  for (const { id } of purses) set.put('purses', { id, ...settle(drawnFrom(id, set), reserved, spent) });
}
