// A group on PostgreSQL: one query to load, one statement per table and kind of change to apply.

import type { PoolClient } from 'pg';
import { type Summer, verifyRow } from '../checksum.ts';
import { type Changes, type CommitResult, ConflictError, placeColumns, settleSeq, type Want } from '../port.ts';
import { lookupColumns, postgres as sql, storedColumns } from '../statements.ts';
import { storedHead, type SumBook, SumChanges } from '../table-sums.ts';
import { type AnyRow, keyOf, type TableName } from '../tables.ts';
import { headNow, lockedHead, sumsUpdate } from './sums.ts';

/** The time limit is one for reads. A group may have to wait for its locks, and a backup for its rows. */
export const beginUntimed = (how = ''): string => `begin${how}; set local statement_timeout = 0`;
/** A backup, a restore or an upgrade of everything: it may wait for a disk, and for the groups of others. */
export const beginForHours = (how = ''): string =>
  `${beginUntimed(how)}; set local idle_in_transaction_session_timeout = '6h'; set local lock_timeout = '6h'`;

export async function inTransaction(client: PoolClient, begin: string, work: (client: PoolClient) => Promise<void>): Promise<void> {
  try {
    await client.query(begin);
    await work(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

const hasSeq = (row: AnyRow): boolean => placeColumns.some((column) => (row[column] as number) < 0);

export async function loadWants(client: PoolClient, wants: Want[], sum: Summer): Promise<AnyRow[][]> {
  // Wants of one kind share an arm of the query; the answers are dealt out by the values that were asked for.
  const arms = [...Map.groupBy(wants, ({ table, lookup = '' }) => `${table}.${lookup}`).values()];
  if (arms.length === 0) return [];
  const params: unknown[] = [];
  const text = arms
    .map((asked, i) => {
      const { table, lookup } = asked[0]!;
      const first = params.length + 1;
      const distinct = [...new Map(asked.map(({ values }) => [JSON.stringify(values), values])).values()];
      lookupColumns(table, lookup).forEach((_, c) => params.push(distinct.map((values) => values[c])));
      return sql.find(table, lookup, i, first);
    })
    .join(' union all ');
  const { rows } = await client.query<{ arm: number; row: AnyRow }>(text, params);
  const answerId = (table: TableName, lookup: string | undefined, values: unknown[]): string =>
    `${table}.${lookup}:${JSON.stringify(values)}`;
  const found = Map.groupBy(rows, ({ arm, row }) => {
    const { table, lookup } = arms[arm]![0]!;
    return answerId(
      table,
      lookup,
      lookupColumns(table, lookup).map((column) => row[column]),
    );
  });
  for (const { arm, row } of rows) verifyRow(sum, arms[arm]![0]!.table, row);
  return wants.map(({ table, lookup, values }) => (found.get(answerId(table, lookup, values)) ?? []).map(({ row }) => row));
}

const byTable = <T extends { table: TableName }>(changes: T[]): Map<TableName, T[]> => Map.groupBy(changes, (change) => change.table);

interface Applying {
  sum: Summer;
  sums: SumBook;
  /** The statement that wakes other hubs. */
  notify: string;
}

export async function applyChanges(client: PoolClient, changes: Changes, { sum, sums: book, notify }: Applying): Promise<CommitResult> {
  const { inserts, updates, deletes, facts } = changes;
  const summed = new SumChanges();
  const columnsOf = (table: TableName, rows: AnyRow[]): unknown[][] => {
    const sums = rows.map((row) => sum(table, row));
    for (const one of sums) summed.add(table, one);
    return storedColumns(table).map((column) => (column === 'sum' ? sums : rows.map((row) => row[column] ?? null)));
  };
  const insert = async (table: TableName, rows: AnyRow[]): Promise<void> => {
    await client.query(sql.insert(table), columnsOf(table, rows));
  };
  const exactly = (count: number | null, expected: number, table: string): void => {
    if (count !== expected) throw new ConflictError(`${expected - (count ?? 0)} row(s) of ${table}`);
  };

  // Writes without a sequence number come first, so that the lock that orders facts is held only briefly.
  for (const [table, group] of byTable(deletes)) {
    const keys = keyOf(table).map((_, c) => group.map(({ key }) => key[c]));
    exactly((await client.query(sql.remove(table), [...keys, group.map(({ was }) => was)])).rowCount, group.length, table);
    for (const { was } of group) summed.take(table, was);
  }
  for (const [table, group] of byTable(inserts.filter(({ row }) => !hasSeq(row))))
    await insert(
      table,
      group.map(({ row }) => row),
    );
  const update = async (wanted: boolean, firstSeq: number): Promise<void> => {
    for (const [table, group] of byTable(updates.filter(({ row }) => hasSeq(row) === wanted))) {
      const rows = group.map(({ row }) => settleSeq(row, firstSeq));
      const answer = await client.query(sql.update(table), [...columnsOf(table, rows), group.map(({ was }) => was)]);
      exactly(answer.rowCount, group.length, table);
      for (const { was } of group) summed.take(table, was);
    }
  };
  await update(false, 0);

  const head = facts.length === 0 && summed.isEmpty ? await headNow(client) : await lockedHead(client);
  const { epoch, seq, lastSum } = head;
  const firstSeq = (seq ?? 0) + 1;
  if (facts.length > 0) {
    let prev = lastSum ?? '';
    const rows = facts.map((fact, i) => {
      const row: AnyRow = { ...fact, seq: firstSeq + i, epoch, prev };
      prev = sum('facts', row);
      return row;
    });
    await insert('facts', rows);
    for (const [table, group] of byTable(inserts.filter(({ row }) => hasSeq(row))))
      await insert(
        table,
        group.map(({ row }) => settleSeq(row, firstSeq)),
      );
    await update(true, firstSeq);
  }
  const sums = summed.isEmpty ? undefined : book.changed(storedHead(head).sums, summed);
  const last = [sumsUpdate(sums), facts.length > 0 ? notify : ''].filter((text) => text !== '');
  if (last.length > 0) await client.query(last.join('; '));
  return { epoch, lastSeq: firstSeq + facts.length - 1, rowWrites: inserts.length + updates.length + deletes.length + facts.length };
}
