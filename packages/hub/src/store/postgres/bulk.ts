// All rows at once: out for a backup or a check, in for a restore.

import type { PoolClient } from 'pg';
import type { Scan } from '../port.ts';
import { postgres as sql, storedColumns } from '../statements.ts';
import type { SumChanges } from '../table-sums.ts';
import { type AnyRow, keyOf, specOf, type TableName } from '../tables.ts';

const page = 1000;

// Byte order, as SQLite has it: a backup is the same whichever engine wrote it.
const collated = (table: TableName, column: string): string =>
  specOf(table).columns[column] === 'text' ? `${column} collate "C"` : column;

/** Every row of a table, in key order, by the page; inside the transaction `client` is in. */
export function scanWith(client: PoolClient): Scan {
  return async function* (table) {
    const key = keyOf(table);
    const order = key.map((c) => collated(table, c)).join(', ');
    let after: AnyRow | undefined;
    for (;;) {
      const where = after ? `where (${order}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})` : '';
      const params = after ? key.map((c) => after![c]) : [];
      const { rows } = await client.query(
        `select ${storedColumns(table).join(', ')} from ${table} ${where} order by ${order} limit ${page}`,
        params,
      );
      if (rows.length > 0) yield rows as AnyRow[];
      if (rows.length < page) return;
      after = rows.at(-1) as AnyRow;
    }
  };
}

/** Inserts rows as they come, a page of one table at a time. */
export async function fill(
  run: (text: string, values: unknown[]) => Promise<unknown>,
  rows: AsyncIterable<{ table: TableName; row: AnyRow }>,
  summed: SumChanges,
): Promise<void> {
  let table: TableName | undefined;
  let batch: AnyRow[] = [];
  const flush = async (): Promise<void> => {
    if (table && batch.length > 0) {
      const columns = storedColumns(table).map((c) => batch.map((row) => row[c] ?? null));
      await run(sql.insert(table), columns);
    }
    batch = [];
  };
  for await (const next of rows) {
    if (next.table !== table || batch.length >= page) await flush();
    table = next.table;
    batch.push(next.row);
    summed.add(table, String(next.row['sum']));
  }
  await flush();
}
