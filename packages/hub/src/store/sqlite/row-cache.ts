// Rows that nearly every command reads again: who acts, with which token, where. They were verified when they were
// read, and only this process's writer changes them; should another connection have written, the data version says so
// at the next begin, under the lock, and all is read anew. So what a group commits was decided on what the database holds.

import type { Changes, Want } from '../port.ts';
import { type AnyRow, keyOf, type TableName } from '../tables.ts';

/** Never what somebody wrote: erased words must not stay in memory. */
const kept: readonly TableName[] = ['members', 'tokens', 'conversations', 'memberships'];
const maxRowsPerTable = 2000;
/**
 * One look-up is asked by every message, and its answer is nearly always "nothing": what its author has asked for
 * here that is still open. Named by these columns of a task, open or not, so that whatever changes one is seen.
 */
const keptLookup = { table: 'tasks', lookup: 'here', columns: ['conversation_id', 'requester_id'] } as const;
const maxLookups = 10_000;

/** A single id is its own name; building another string for it would be most of the work of a look-up. */
const nameOf = (key: readonly unknown[]): unknown => (key.length === 1 ? key[0] : key.join(' '));

export class RowCache {
  private readonly tables = new Map<TableName, Map<unknown, AnyRow>>(kept.map((table) => [table, new Map()]));
  private readonly here = new Map<string, AnyRow[]>();
  /** Of the database, as the rows were read from it. */
  version: number | undefined;

  /** What the want would find; undefined: not known. */
  get(want: Want): AnyRow[] | undefined {
    if (want.lookup !== undefined) return isKept(want) ? this.here.get(`${want.values[0]} ${want.values[1]}`) : undefined;
    const row = this.tables.get(want.table)?.get(nameOf(want.values));
    return row && [row];
  }

  /** Takes what was loaded; that a row is not there is not remembered. */
  put(want: Want, found: AnyRow[]): void {
    if (isKept(want)) {
      if (this.here.size >= maxLookups) this.here.clear();
      this.here.set(`${want.values[0]} ${want.values[1]}`, found);
      return;
    }
    const rows = this.tables.get(want.table);
    if (!rows || want.lookup !== undefined || found.length === 0) return;
    if (rows.size >= maxRowsPerTable) rows.clear();
    rows.set(nameOf(want.values), found[0]!);
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
    for (const { table, row } of [...inserts, ...updates])
      if (table === keptLookup.table) this.here.delete(keptLookup.columns.map((column) => row[column]).join(' '));
    for (const { table, row } of updates) this.tables.get(table)?.delete(nameOf(keyOf(table).map((column) => row[column])));
    for (const { table, key } of deletes) this.tables.get(table)?.delete(nameOf(key));
  }
}

const isKept = (want: Want): boolean => want.table === keptLookup.table && want.lookup === keptLookup.lookup && want.values[2] === 1;
