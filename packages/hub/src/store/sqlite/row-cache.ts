// Rows that nearly every command reads again: who acts, with which token, where. They were verified when they were
// read, and only this process's writer changes them; should another connection have written, the data version says so
// at the next begin, under the lock, and all is read anew. So what a group commits was decided on what the database holds.

import type { Changes, Want } from '../port.ts';
import { type AnyRow, keyOf, type TableName } from '../tables.ts';

/** Never what somebody wrote: erased words must not stay in memory. */
const kept: readonly TableName[] = ['members', 'tokens', 'conversations', 'memberships'];
const maxRowsPerTable = 2000;

/** A single id is its own name; building another string for it would be most of the work of a look-up. */
const nameOf = (key: readonly unknown[]): unknown => (key.length === 1 ? key[0] : key.join(' '));

export class RowCache {
  private readonly tables = new Map<TableName, Map<unknown, AnyRow>>(kept.map((table) => [table, new Map()]));
  /** Of the database, as the rows were read from it. */
  version: number | undefined;

  get(want: Want): AnyRow | undefined {
    return want.lookup === undefined ? this.tables.get(want.table)?.get(nameOf(want.values)) : undefined;
  }

  /** Takes what was loaded; that a row is not there is not remembered. */
  put(want: Want, found: AnyRow[]): void {
    const rows = this.tables.get(want.table);
    if (!rows || want.lookup !== undefined || found.length === 0) return;
    if (rows.size >= maxRowsPerTable) rows.clear();
    rows.set(nameOf(want.values), found[0]!);
  }

  /** False: someone else has written since the rows were read, and they were dropped. */
  stillTrue(version: number): boolean {
    if (version === this.version) return true;
    this.version = version;
    const empty = [...this.tables.values()].every((rows) => rows.size === 0);
    this.clear();
    return empty;
  }

  clear(): void {
    for (const rows of this.tables.values()) rows.clear();
  }

  forget({ updates, deletes }: Changes): void {
    for (const { table, row } of updates) this.tables.get(table)?.delete(nameOf(keyOf(table).map((column) => row[column])));
    for (const { table, key } of deletes) this.tables.get(table)?.delete(nameOf(key));
  }
}
