// An attempt, step by step: the same journal as a turn's, under the attempt's own name. From `medium` on each step is a
// fact as well, for the audit log (PRV-11).

import type { StepTaken } from '@parley/core/provoke';
import { wantBy } from '../../../store/port.ts';
import type { InvocationRow, JournalRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';

/** An invocation that was returned and started again has a new lease, and so a new journal. */
export const journalId = ({ id, lease }: Pick<InvocationRow, 'id' | 'lease'>): string => `${id}:${lease}`;

/** The ID of a tool call in the audit log. */
export const auditIdOf = (row: Pick<InvocationRow, 'id' | 'lease'>, n: number): string => `${journalId(row)}:${n}`;

/** The reservation of a model call is in the place of a tool's arguments; nothing, once it is forgotten. */
export const asideText = (micros: number): string => JSON.stringify({ micros });
export const asideOf = ({ input }: JournalRow): number => (JSON.parse(input) as { micros?: number } | null)?.micros ?? 0;

/** The part of a row that decides whether its step may be repeated. */
export const takenIn = ({ kind, read_only, done_at, result }: JournalRow): StepTaken => ({
  kind,
  readOnly: read_only === 1,
  done: done_at !== null,
  kept: result !== null,
});

/** Steps that nobody saw the end of. The reservation of a model call counts as spent. */
export function leftOpen(row: InvocationRow, set: WorkingSet): JournalRow[] {
  const open = set.find('journal', 'turn', journalId(row)).filter(({ done_at }) => done_at === null);
  const micros = open.filter(({ kind }) => kind === 'model').reduce((sum, step) => sum + asideOf(step), 0);
  if (micros > 0) addCost(row, micros, set);
  return open;
}

/** The cost of a model call, on the attempt and on its invocation. */
export function addCost({ id, attempt: n }: InvocationRow, micros: number, set: WorkingSet): void {
  const attempt = set.get('invocation_attempts', id, n)!;
  set.update('invocation_attempts', attempt, { micros: attempt.micros + micros });
  const now = set.get('invocations', id)!;
  set.update('invocations', now, { micros: now.micros + micros });
}

/** A call that changed something outside, and what it gave: another attempt that asks for it gets that. */
const isFinished = ({ result }: JournalRow): boolean => result !== null;

/** The steps of all attempts so far, given back ones included. */
export function allSteps({ id, lease }: InvocationRow, set: WorkingSet): JournalRow[] {
  const names = Array.from({ length: lease }, (_, i) => journalId({ id, lease: i + 1 }));
  set.need(names.map((name) => wantBy('journal', 'turn', name)));
  return names.flatMap((name) => set.find('journal', 'turn', name));
}

export const finishedSteps = (row: InvocationRow, set: WorkingSet): JournalRow[] => allSteps(row, set).filter(isFinished);

/** A call that nobody saw the end of, and nobody has answered for: its arguments are shown to the approver. */
const isUndecided = ({ kind, read_only, done_at, result, input }: JournalRow): boolean =>
  kind === 'tool' && read_only === 0 && done_at === null && result === null && input !== 'null';

export const undecidedStep = (row: InvocationRow, set: WorkingSet): JournalRow | undefined =>
  set.find('journal', 'turn', journalId(row)).find(isUndecided);

/** The input of a step is needed only while it runs, except for steps that must not be repeated. */
export function forgetSteps(row: InvocationRow, set: WorkingSet): void {
  for (const step of set.find('journal', 'turn', journalId(row)))
    if (step.input !== 'null' && !isFinished(step) && !isUndecided(step)) set.update('journal', step, { input: 'null' });
}

/** This was the last attempt. */
export function forgetAllSteps(row: InvocationRow, set: WorkingSet): void {
  for (const step of allSteps(row, set))
    if (step.input !== 'null' || step.result !== null) set.update('journal', step, { input: 'null', result: null });
}
