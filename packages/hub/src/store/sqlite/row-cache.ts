// Rows that nearly every command reads again: who acts, with which token, where. They were verified when they were
// read, and only this process's writer changes them; should another connection have written, the data version says so
// at the next begin, under the lock, and all is read anew. So what a group commits was decided on what the database holds.

import { ByValues } from '../by-values.ts';
import type { Changes, Want } from '../port.ts';
import { type AnyRow, keyOf, type TableName } from '../tables.ts';

/** Never what somebody wrote: erased words must not stay in memory. */
const kept: readonly TableName[] = ['members', 'tokens', 'conversations', 'memberships'];
const maxRowsPerTable = 2000;
/**
 * One look-up is asked by every message, and its answer is nearly always "nothing": what its author has asked for
 * here that is still open. Named by these columns of a task, open or not, so that whatever changes one is seen.
 */
const keptLookup = { table: 'tasks', lookup: 'here', columns: ['conversation_id', 'requester_id'], open: 1 } as const;
const maxLookups = 10_000;

export class RowCache {
  private readonly tables = new Map<TableName, ByValues<AnyRow>>(kept.map((table) => [table, new ByValues()]));
  private readonly here = new ByValues<AnyRow[]>();
  /** Of the database, as the rows were read from it. */
  version: number | undefined;

  /** What the want would find; undefined: not known. */
  get(want: Want): AnyRow[] | undefined {
    if (want.lookup !== undefined) return isKept(want) ? this.here.get(want.values) : undefined;
    const row = this.tables.get(want.table)?.get(want.values);
    return row && [row];
  }

  /** Takes what was loaded; that a row is not there is not remembered. */
  put(want: Want, found: AnyRow[]): void {
    if (isKept(want)) {
      if (this.here.size >= maxLookups) this.here.clear();
      this.here.set(want.values, found);
      return;
    }
    const rows = this.tables.get(want.table);
    if (!rows || want.lookup !== undefined || found.length === 0) return;
    if (rows.size >= maxRowsPerTable) rows.clear();
    rows.set(want.values, found[0]!);
  }

  /** False: someone else has written since the rows were read, and they were dropped. */
  stillTrue(version: number): boolean {
    if (version === this.version) return true;
    this.version = version;
    const empty = this.here.size === 0 && [...this.tables.values()].every((rows) => rows.size === 0);
    this.clear();
    return empty;
  }

  clear(): void {
    this.here.clear();
    for (const rows of this.tables.values()) rows.clear();
  }

  forget({ inserts, updates, deletes }: Changes): void {
    for (const changed of [inserts, updates])
      for (const { table, row } of changed)
        if (table === keptLookup.table) this.here.delete([...valuesIn(row, keptLookup.columns), keptLookup.open]);
    for (const { table, row } of updates) this.tables.get(table)?.delete(valuesIn(row, keyOf(table)));
    for (const { table, key } of deletes) this.tables.get(table)?.delete(key);
  }
}

const valuesIn = (row: AnyRow, columns: readonly string[]) => columns.map((column) => row[column] as string | number);
const isKept = (want: Want): boolean =>
  want.table === keptLookup.table && want.lookup === keptLookup.lookup && want.values[2] === keptLookup.open;
