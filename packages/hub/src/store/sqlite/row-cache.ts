// Rows that nearly every command reads again: who acts, with which token, where. They were verified when they were
// read, and only this process's writer changes them; should another connection have written, its data version says
// so at the next begin, under the lock, and all is read anew. So a group sees exactly what the database holds.

import type { Changes, Want } from '../port.ts';
import { type AnyRow, keyOf, type TableName } from '../tables.ts';

/** Never what somebody wrote: erased words must not stay in memory. */
const kept: ReadonlySet<TableName> = new Set<TableName>(['members', 'tokens', 'conversations', 'memberships']);
const maxRows = 5000;

const idOf = (table: TableName, key: readonly unknown[]): string => `${table} ${key.join(' ')}`;

export class RowCache {
  private readonly rows = new Map<string, AnyRow>();
  private version: number | undefined;

  get(want: Want): AnyRow | undefined {
    return want.lookup === undefined ? this.rows.get(idOf(want.table, want.values)) : undefined;
  }

  /** Takes what was loaded; that a row is not there is not remembered. */
  put(want: Want, found: AnyRow[]): void {
    if (want.lookup !== undefined || found.length === 0 || !kept.has(want.table)) return;
    if (this.rows.size >= maxRows) this.rows.clear();
    this.rows.set(idOf(want.table, want.values), found[0]!);
  }

  /** False: someone else has written since the rows were read, and they were dropped. */
  stillTrue(version: number): boolean {
    if (version === this.version) return true;
    const empty = this.rows.size === 0;
    this.rows.clear();
    this.version = version;
    return empty;
  }

  forget({ updates, deletes }: Changes): void {
    for (const { table, row } of updates)
      this.rows.delete(
        idOf(
          table,
          keyOf(table).map((column) => row[column]),
        ),
      );
    for (const { table, key } of deletes) this.rows.delete(idOf(table, key));
  }
}
