// How rows of an older backup become rows of today. A schema change that touches tables adds an entry here together
// with its migration; an entry never changes afterwards.

import { type Columns, currentColumns, type Summer, summer } from '../store/checksum.ts';
import { schemaVersion } from '../store/migrations.ts';
import type { AnyRow, TableName } from '../store/tables.ts';

export interface Upgrade {
  /** Rows of this schema version become rows of the next. */
  from: number;
  /** The columns, in order, of the tables that change with the step, as they were at `from`: their checksums cover these. */
  columns: Columns;
  /** The row as it is from then on, without checksum; undefined when there is no such row any more. Facts do not change: they are chained. */
  row(table: string, row: AnyRow): { table: string; row: AnyRow } | undefined;
}

const upgrades: readonly Upgrade[] = [];

export interface Upgrader {
  /** Sums a row as the version that wrote it did. */
  sumThen: Summer;
  /** The row of today, with its checksum; undefined when it is no longer kept. */
  upgrade(table: TableName, row: AnyRow): { table: TableName; row: AnyRow } | undefined;
}

export function upgraderFrom(schema: number, key: Uint8Array, list: readonly Upgrade[] = upgrades, to = schemaVersion): Upgrader {
  const steps = list.filter(({ from }) => from >= schema && from < to).toSorted((a, b) => a.from - b.from);
  // A table's columns at `schema` are those of the first later step that changes it, or today's.
  const columnsThen: Record<string, readonly string[]> = { ...currentColumns };
  for (const { columns } of steps.toReversed()) Object.assign(columnsThen, columns);
  const sumNow = summer(key);
  return {
    sumThen: summer(key, columnsThen),
    upgrade: (table, row) => {
      let now: { table: string; row: AnyRow } = { table, row };
      for (const step of steps) {
        const next = step.row(now.table, now.row);
        if (!next) return undefined;
        now = next;
      }
      const name = now.table as TableName;
      return now.row === row ? { table: name, row } : { table: name, row: { ...now.row, sum: sumNow(name, now.row) } };
    },
  };
}
