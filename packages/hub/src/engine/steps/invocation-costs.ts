// What an invocation may spend (SYS-10): from its chain's purse, its agent's day and the workspace's, as any turn. A call of
// the model is set aside before it is made, made again included, and settled after; of one that nobody saw the end of, what
// was set aside is gone, unless its runner knows what it has cost.

import { add, type Amount, dayOf, type Purse, reserve } from '@parley/core';
import type { InvocationRow, JournalRow } from '../../store/tables.ts';
import type { Context } from '../command.ts';
import type { WorkingSet } from '../working-set.ts';
import { asideOf, asideText, journalId } from './invocation-journal.ts';
import { invocationChain } from './provoked.ts';
import { agentPurse, drawnFrom, putPurse } from './turns.ts';

const pursesOf = (agentId: string, at: number) =>
  ({ agent_day: agentPurse(agentId, at), workspace_day: `workspace:${dayOf(at)}` }) as const;

/** The purse that has too little; undefined: it is taken from all of them. */
export function drawFor(invocation: InvocationRow, agentId: string, wanted: Amount, set: WorkingSet, context: Context): Purse | undefined {
  const chain = invocationChain(invocation, set, context);
  const purses = pursesOf(agentId, invocation.started_at ?? context.now);
  set.need(Object.values(purses).map((id) => ({ table: 'purses', values: [id] })));
  const drawn = {
    chain: { turns: chain.turns, micros: chain.micros },
    agent_day: drawnFrom(purses.agent_day, set),
    workspace_day: drawnFrom(purses.workspace_day, set),
  };
  const reserved = reserve(drawn, wanted, context.limits.budgets);
  if (!reserved.ok) return reserved.purse;
  settleFor(invocation, agentId, wanted, set, context);
  return undefined;
}

/** More or less than was set aside: it is spent, and counted, whatever is left. */
function settleFor(invocation: InvocationRow, agentId: string, more: Amount, set: WorkingSet, context: Context): void {
  const chain = invocationChain(invocation, set, context);
  set.update('chains', chain, { turns: chain.turns + more.turns, micros: Math.max(0, chain.micros + more.micros) });
  for (const id of Object.values(pursesOf(agentId, invocation.started_at ?? context.now))) {
    const { turns, micros } = add(drawnFrom(id, set), more);
    putPurse(id, { turns, micros: Math.max(0, micros) }, set);
  }
}

/** More than was set aside for a step that is under way. The purse that has too little: nothing is taken. */
export function raise(row: InvocationRow, step: JournalRow, micros: number, set: WorkingSet, context: Context): Purse | undefined {
  const more = micros - asideOf(step);
  if (more <= 0) return undefined;
  const exhausted = drawFor(row, row.agent_id!, { turns: 0, micros: more }, set, context);
  if (!exhausted) set.update('journal', step, { input: asideText(micros) });
  return exhausted;
}

/** What a call of the model has cost: what was set aside for it is settled. */
export function settleStep(row: InvocationRow, step: JournalRow, micros: number, set: WorkingSet, context: Context): void {
  settleFor(row, row.agent_id!, { turns: 0, micros: micros - asideOf(step) }, set, context);
  const attempt = set.get('invocation_attempts', row.id, row.attempt)!;
  set.update('invocation_attempts', attempt, { micros: attempt.micros + micros });
  const now = set.get('invocations', row.id)!;
  set.update('invocations', now, { micros: now.micros + micros });
}

/** Of a call of the model that came to no end: its runner knows. */
export interface KnownCost {
  n: number;
  micros: number;
}

/** What was set aside for them beyond that is there again. */
export function payBack(row: InvocationRow, known: readonly KnownCost[], set: WorkingSet, context: Context): void {
  for (const { n, micros } of known) {
    const step = set.get('journal', journalId(row), n);
    if (step?.kind !== 'model' || step.done_at !== null) continue;
    settleStep(row, step, micros, set, context);
    set.update('journal', step, { input: 'null', done_at: context.now });
  }
}
