// A turn: one run of an agent's brain for a task. Money and turns are reserved before it and settled after; its journal
// says what it did, so that another runner can go on where it stopped (SYS-12).

import {
  type Amount,
  hourOf,
  noAmount,
  keptOf,
  type BudgetKind,
  speakingTools,
  type CallAllEstimate,
  estimateAll,
  pastDays,
} from '@parley/core';
import { type Want, wantRow } from '../../../store/port.ts';
import type { JournalRow, TaskRow, TurnRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { memberDays, memberDayWants, sharesOf } from './budget-accounts.ts';
import { agentPurse, book, drawnFrom, exhaustedBy, type PurseDraw, pursesWanted, workspacePurse } from './purses.ts';

/** The purses a turn of this task draws on, besides the chain's own; where it has a share of that, the share instead. */
function pursesOf(task: TaskRow, now: number, set: WorkingSet): PurseDraw[] {
  const caller = (JSON.parse(task.path) as string[]).at(-2);
  const own: PurseDraw[] = [
    { purse: 'agent_day', id: agentPurse(task.agent_id!, now) },
    { purse: 'workspace_day', id: workspacePurse(now) },
    ...(caller === undefined ? [] : pairPurses([caller, task.agent_id!].sort().join(':'), task.chain_id, now)),
  ];
  const parentWants: Want[] = task.parent_id === null ? [] : [wantRow('tasks', task.parent_id)];
  const requesterId = set.get('chains', task.chain_id)?.requester_id ?? null;
  // Whether it has a share, the tasks above it tell: the first of them comes with the purses, and not in a round of its own.
  set.need([...parentWants, ...pursesWanted(own), ...(requesterId === null ? [] : memberDayWants(requesterId, task.agent_id!, now))]);
  const shares = sharesOf(task, now, set);
  return [...(shares.length > 0 || requesterId === null ? shares : requesterDays(requesterId, task.agent_id!, now, set)), ...own];
}

/** A person's requests count on their day, however many agents they have (SYS-10). */
function requesterDays(requesterId: string, agentId: string, now: number, set: WorkingSet): PurseDraw[] {
  const requester = set.get('members', requesterId);
  return requester?.kind === 'human' ? memberDays(requester, agentId, now, set) : [];
}

/** A pair's day is any 24 hours, so that midnight gives a circle no second wind: it is kept by the hour. */
function pairPurses(pair: string, chainId: string, now: number): PurseDraw[] {
  const hours = Array.from({ length: 25 }, (_, ago) => `pair:${pair}:${hourOf(now - ago * hourMs)}`);
  return [
    { purse: 'pair_chain', id: `pair:${pair}:${chainId}` },
    { purse: 'pair_day', id: hours[0]!, before: hours.slice(1) },
  ];
}
const hourMs = 3_600_000;

/**
 * Begins a turn, or takes up the one that was left: the same turn, so that its journal continues, under a new lease, so that
 * the runner before is refused from now on.
 */
export function beginTurn(task: TaskRow, lease: number, wanted: Amount, tx: Tx): { turn: TurnRow } | { exhausted: BudgetKind } {
  const [interrupted] = tx.find('turns', 'task', task.id, 'running');
  if (interrupted) return { turn: tx.update('turns', interrupted, { lease }) };
  const chain = tx.get('chains', task.chain_id)!;
  const purses = pursesOf(task, tx.now, tx);
  const exhausted = exhaustedBy(purses, wanted, tx, { chain });
  if (exhausted) return { exhausted };
  book(purses, noAmount, wanted, tx, chain);
  const turn: TurnRow = {
    id: tx.ids.next('turn'),
    task_id: task.id,
    agent_id: task.agent_id!,
    lease,
    state: 'running',
    started_at: tx.now,
    ended_at: null,
    reserved_micros: wanted.micros,
    spent_micros: 0,
  };
  tx.insert('turns', turn);
  return { turn };
}

/**
 * Reserves a step of the running turn, on top of what the turn has spent. Nothing is reserved where one purse has too
 * little.
 */
export function reserveStep(task: TaskRow, estimate: number, tx: Tx): BudgetKind | undefined {
  if (estimate === 0) return undefined;
  const [turn] = tx.find('turns', 'task', task.id, 'running');
  const micros = turn ? turn.spent_micros + estimate - turn.reserved_micros : 0;
  if (!turn || micros <= 0) return undefined;
  const chain = tx.get('chains', task.chain_id)!;
  const exhausted = exhaustedBy(pursesOf(task, turn.started_at, tx), { turns: 0, micros }, tx, { chain });
  if (!exhausted) draw(task, turn, micros, tx);
  return exhausted;
}

/** Spends and counts the cost of a step, even where it was more than the keptStep. */
export function spend(task: TaskRow, micros: number, set: WorkingSet): void {
  const [turn] = set.find('turns', 'task', task.id, 'running');
  if (!turn) return;
  const now = set.update('turns', turn, { spent_micros: turn.spent_micros + micros });
  const overdraft = now.spent_micros - now.reserved_micros;
  if (overdraft > 0) draw(task, now, overdraft, set);
}

/** The late cost of a step. The keptStep of an ended turn is settled already, so it is drawn now. */
export function charge(task: TaskRow, turn: TurnRow, micros: number, set: WorkingSet): void {
  if (turn.state === 'running') return spend(task, micros, set);
  const now = set.update('turns', turn, { spent_micros: turn.spent_micros + micros });
  // The task may be another agent's by now.
  draw(task.agent_id === turn.agent_id ? task : { ...task, agent_id: turn.agent_id, path: '[]' }, now, micros, set);
}

function draw(task: TaskRow, turn: TurnRow, micros: number, set: WorkingSet): void {
  set.update('turns', turn, { reserved_micros: turn.reserved_micros + micros });
  bookTurn(task, turn, noAmount, { turns: 0, micros }, set);
}

function bookTurn(task: TaskRow, turn: TurnRow, reserved: Amount, spent: Amount, set: WorkingSet): void {
  book(pursesOf(task, turn.started_at, set), reserved, spent, set, set.get('chains', task.chain_id));
}

/**
 * Ends the running turns of a task: reserved money that was not spent goes back. The turn itself counts. `interrupted`: taken
 * from it before it came to an end of its own; the next one goes by what it did.
 */
export function endTurns(taskId: string, tx: Tx, state: 'done' | 'interrupted' = 'done'): void {
  // No later turn continues the steps of earlier ones.
  if (state === 'done') for (const before of tx.find('turns', 'task', taskId, 'interrupted')) keepCalls(before, tx);
  for (const turn of tx.find('turns', 'task', taskId, 'running')) {
    tx.update('turns', turn, { state, ended_at: tx.now });
    if (state === 'done') keepCalls(turn, tx);
    else forgetSteps(turn, tx, ({ read_only, name }) => read_only === 1 || speakingTools.has(name));
    if (turn.reserved_micros === turn.spent_micros) continue;
    const task = tx.get('tasks', taskId)!;
    bookTurn(task, turn, { turns: 0, micros: turn.reserved_micros }, { turns: 0, micros: turn.spent_micros }, tx);
  }
}

/** The next turn of an open task is given the calls of this one (IAC-6). Kept longer, a deleted message would live on in here. */
function keepCalls(turn: TurnRow, set: WorkingSet): void {
  const forgotten = set.get('forgotten_calls', turn.task_id)?.at ?? -1;
  const isOver = set.get('tasks', turn.task_id)!.open === 0;
  for (const step of set.find('journal', 'turn', turn.id)) {
    if (isOver || step.intended_at <= forgotten) forgetStep(step, set);
    else {
      const keptStep = keptOf(step);
      if (keptStep.input !== step.input || keptStep.result !== step.result) set.update('journal', step, keptStep);
    }
  }
}

/** The task has ended: no turn follows that would need its calls. */
export function dropCalls(taskId: string, set: WorkingSet): void {
  for (const turn of set.find('turns', 'task', taskId, 'done')) forgetSteps(turn, set);
  const row = set.get('forgotten_calls', taskId);
  if (row) set.remove('forgotten_calls', row);
}

function forgetStep(step: JournalRow, set: WorkingSet): void {
  if (step.input !== 'null' || step.result !== null) set.update('journal', step, { input: 'null', result: null });
}

export function forgetSteps(turn: TurnRow, set: WorkingSet, which: (step: JournalRow) => boolean = () => true): void {
  for (const step of set.find('journal', 'turn', turn.id)) if (which(step)) forgetStep(step, set);
}

/** A turn that was given and not taken: its agent only signalled, so that nothing of it is counted (C2A-22). */
export function returnTurn(task: TaskRow, set: WorkingSet): void {
  if (set.find('task_words', 'task', task.id).some(({ kind }) => kind !== 'follow_up' && kind !== 'result')) return;
  for (const turn of set.find('turns', 'task', task.id, 'running')) {
    if (set.find('journal', 'turn', turn.id).length > 0) continue;
    set.remove('turns', turn);
    bookTurn(task, turn, { turns: 1, micros: turn.reserved_micros }, { turns: 0, micros: turn.spent_micros }, set);
  }
}

// The past turns of agents, by the purses of their last days: what an estimate of ^ALL rests on (PAP-3).

const dayMs = 86_400_000;

export function allCost(agentIds: readonly string[], now: number, set: WorkingSet): CallAllEstimate {
  const days = Array.from({ length: pastDays }, (_, ago) => now - ago * dayMs);
  const purses = agentIds.map((id) => days.map((day) => agentPurse(id, day)));
  set.need(purses.flat().map((id) => wantRow('purses', id)));
  return estimateAll(
    purses.map((ids) => {
      const drawn = ids.map((id) => drawnFrom(id, set));
      return { turns: drawn.reduce((all, { turns }) => all + turns, 0), micros: drawn.reduce((all, { micros }) => all + micros, 0) };
    }),
  );
}
