// All rows at once: out for a backup or a check, in for a restore.

import type { PoolClient } from 'pg';
import type { Scan } from '../port.ts';
import { batchesOf, type RestoredRow, scanBy } from '../reads/pages.ts';
import { forPostgres, postgres as sql, storedColumns } from '../statements.ts';
import type { SumChanges } from '../table-sums.ts';
import { type AnyRow, specOf, type TableName } from '../tables.ts';

// Byte order, as SQLite has it: a backup is the same whichever engine wrote it.
const collatedColumn = (table: TableName, column: string): string =>
  specOf(table).columns[column] === 'text' ? `${column} collate "C"` : column;

/** Inside the transaction `client` is in. */
export const scanWith = (client: PoolClient): Scan =>
  scanBy(
    async (table, tail, params) =>
      (await client.query<AnyRow>(forPostgres(`select ${storedColumns(table).join(', ')} from ${table} ${tail}`), params)).rows,
    collatedColumn,
  );

/** Inserts rows as they come. */
export async function fill(
  run: (text: string, values: unknown[]) => Promise<unknown>,
  restored: AsyncIterable<RestoredRow>,
  summed: SumChanges,
): Promise<void> {
  for await (const { table, rows } of batchesOf(restored)) {
    await run(
      sql.insert(table),
      storedColumns(table).map((c) => rows.map((row) => row[c] ?? null)),
    );
    for (const { sum } of rows) summed.add(table, String(sum));
  }
}
