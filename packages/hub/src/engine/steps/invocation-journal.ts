// What an attempt does, step by step: the same journal as a turn's, under the attempt's own name. From `medium` on each step
// is a fact as well, for whoever looks later at what was done (PRV-11).

import type { InvocationRow, JournalRow } from '../../store/tables.ts';
import type { WorkingSet } from '../working-set.ts';

/** One that was given back and begun anew has another lease, and so another journal. */
export const journalId = ({ id, lease }: InvocationRow): string => `${id}:${lease}`;

export const isAudited = ({ risk }: InvocationRow): boolean => risk === 'medium' || risk === 'high';

/** Steps that nobody saw the end of. What a call of the model had set aside is counted as spent. */
export function leftOpen(row: InvocationRow, set: WorkingSet): JournalRow[] {
  const open = set.find('journal', 'turn', journalId(row)).filter(({ done_at }) => done_at === null);
  const micros = open
    .filter(({ kind }) => kind === 'model')
    .reduce((sum, { input }) => sum + ((JSON.parse(input) as { micros?: number } | null)?.micros ?? 0), 0);
  if (micros > 0) {
    const attempt = set.get('invocation_attempts', row.id, row.attempt)!;
    set.update('invocation_attempts', attempt, { micros: attempt.micros + micros });
    set.update('invocations', set.get('invocations', row.id)!, { micros: row.micros + micros });
  }
  return open;
}

/** What it was given is needed only while it runs. */
export function forgetSteps(row: InvocationRow, set: WorkingSet): void {
  for (const step of set.find('journal', 'turn', journalId(row))) if (step.input !== 'null') set.update('journal', step, { input: 'null' });
}
