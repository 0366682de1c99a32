// The effect that approving an invocation would have now (PRV-11). The approver reads it before they answer, from the same
// decision that is made when they do.

import { wouldNotRunText } from '@parley/core';
import type { Trigger } from '@parley/protocol';
import { asksToRun, worthOf } from '../engine/steps/invocations/invocation-approvals.ts';
import { GroupSet, MissingRows, type WorkingSet } from '../engine/working-set.ts';
import type { Reader } from '../store/port.ts';
import type { AnyRow, ApprovalRow, Rows } from '../store/tables.ts';
import type { Where } from '../store/where.ts';
import { workId, workOf } from '../store/stored-values.ts';

/** By the approval: those that would not run. In a constant number of reads, however many there are. */
export async function approvalEffects(reader: Reader, approvals: readonly ApprovalRow[]): Promise<Map<string, string>> {
  const pending = approvals.filter((row) => row.state === 'pending' && asksToRun(row));
  if (pending.length === 0) return new Map();
  const set = new GroupSet();
  const bring = async <T extends 'invocations' | 'events' | 'members' | 'provoke_objects'>(
    table: T,
    given: readonly string[],
    kind?: 'trigger' | 'manifest',
  ): Promise<Rows[T][]> => {
    const ids = [...new Set(given)];
    const where = { ...(kind ? { kind } : {}), id: ids } as Where<Rows[T]>;
    const rows = await reader.rows(table, where);
    const found = new Map(rows.map((row) => [row.id, row as unknown as AnyRow]));
    set.take(
      ids.map((id) => ({ table, values: kind ? [kind, id] : [id] })),
      ids.map((id) => (found.has(id) ? [found.get(id)!] : [])),
    );
    return rows;
  };
  const invocations = await bring(
    'invocations',
    pending.map((row) => workId(workOf(row))),
  );
  const [triggers] = await Promise.all([
    bring(
      'provoke_objects',
      invocations.map(({ trigger_id }) => trigger_id),
      'trigger',
    ),
    bring(
      'events',
      invocations.map(({ event_ref }) => event_ref),
    ),
  ]);
  const manifests = await bring(
    'provoke_objects',
    // A definition that was erased with its author is missing.
    triggers.flatMap(({ body }) => (JSON.parse(body) as Partial<Trigger> | null)?.agent ?? []),
    'manifest',
  );
  await bring(
    'members',
    [...triggers, ...manifests].map(({ owner_id }) => owner_id),
  );
  return new Map(pending.flatMap((row) => readable(() => wordsFor(row, set)) ?? []));
}

function wordsFor(row: ApprovalRow, set: WorkingSet): [id: string, words: string][] {
  const invocation = set.get('invocations', workId(workOf(row)));
  // The deadline is shown in any case, so the moment before it shows what else has changed.
  const worth = invocation && worthOf(row, invocation, set, row.until - 1);
  return !worth || worth.run ? [] : [[row.id, wouldNotRunText(worth, invocation.id)]];
}

function readable<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof MissingRows) return undefined;
    throw error;
  }
}
