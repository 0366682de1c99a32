// Rows a page at a time, bounded by count and by bytes of text. Sizes are read first: the engines know them without
// reading the text itself.

import { countFitting } from '@parley/core';
import type { Reader, Scan } from '../port.ts';
import { type AnyRow, keyOf, type Rows, specOf, type TableName } from '../tables.ts';
import { allOf, conditionOf, type Sql, type Where } from '../where.ts';

export interface MessageSpan {
  conversationId: string;
  /** The history cutoff: nothing before it. */
  from: number;
  /** `before`: the newest of those with a smaller seq, newest first; `upTo` includes it; `after`: the oldest with a larger one. */
  side: 'before' | 'upTo' | 'after';
  seq: number;
  limit: number;
  maxBytes?: number;
}

const sides = { before: ['<', 'desc'], upTo: ['<=', 'desc'], after: ['>', 'asc'] } as const;

/** The side decides the order. */
export function messagePage(store: Reader, span: MessageSpan): Promise<Page<'messages'>> {
  const [sign, order] = sides[span.side];
  // One bound in each direction: of two, SQLite uses the first, however loose it is.
  const bounds = sign === '>' ? { '>': Math.max(span.seq, span.from - 1) } : { '>=': span.from, [sign]: span.seq };
  const where = { conversation_id: span.conversationId, seq: bounds };
  return rowPage(store, { table: 'messages', where, key: 'seq', order, text: ['body'], limit: span.limit, maxBytes: span.maxBytes });
}

/** `more`: there are further rows. */
export interface Page<T extends TableName> {
  rows: Rows[T][];
  more: boolean;
}

export interface RowPage<T extends TableName> {
  table: T;
  where: Where<Rows[T]> | Sql;
  /** The column that orders the rows and tells them apart. */
  key: keyof Rows[T] & string;
  order: 'asc' | 'desc';
  /** Columns with text of any length. */
  text: readonly (keyof Rows[T] & string)[];
  limit: number;
  maxBytes?: number | undefined;
}

/** As many rows as asked for and as fit one page. */
export async function rowPage<T extends TableName>(
  store: Reader,
  { table, where, key, order, text, limit, maxBytes }: RowPage<T>,
): Promise<Page<T>> {
  const { sql, params } = sqlOf(where);
  const found = await store.all<{ key: unknown; size: number }>(
    `select ${key} as key, ${sizeOf(text)} as size from ${table} where ${sql} order by ${key} ${order} limit ?`,
    [...params, limit + 1],
  );
  const sizes = found.slice(0, limit).map(({ size }) => size);
  const fitting = countFitting(sizes, maxBytes);
  if (fitting === 0) return { rows: [], more: false };
  const keys = found.slice(0, fitting).map((row) => row.key);
  return { rows: await rowsByKeys(store, { table, where, key }, keys, order), more: found.length > fitting };
}

/** Reads by the found keys, because the caller's bounds would cost as much as all rows between them. */
function rowsByKeys<T extends TableName>(
  store: Reader,
  { table, where, key }: Pick<RowPage<T>, 'table' | 'where' | 'key'>,
  keys: readonly unknown[],
  order: 'asc' | 'desc',
): Promise<Rows[T][]> {
  const list = specOf(table).columns[key]!.startsWith('int') ? '{ints}' : '{list}';
  const { sql, params } = allOf([equalities(where), { sql: `${key} in ${list}`, params: [keys] }]);
  return store.rows(table, `where ${sql} order by ${key} ${order}`, params);
}

/** The columns that have one value in all of a page: with them, its keys tell rows apart. */
function equalities<R>(where: Where<R> | Sql): Sql {
  if ('sql' in where) return { sql: '', params: [] };
  return conditionOf(Object.fromEntries(Object.entries(where).filter(([, one]) => typeof one !== 'object' || one === null)));
}

function sqlOf<R>(where: Where<R> | Sql): Sql {
  const { sql, params } = 'sql' in where ? where : conditionOf(where);
  return { sql: sql === '' ? '1 = 1' : sql, params };
}

const sizeOf = (columns: readonly string[]): string => columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0';

/** The number of these messages, in order, that fit one page. */
export async function fittingCount(store: Reader, ids: readonly string[]): Promise<number> {
  const found = await store.all<{ id: string; size: number }>(
    'select id, coalesce(octet_length(body), 0) as size from messages where id in {list}',
    [ids],
  );
  const sizeOf = new Map(found.map(({ id, size }) => [id, size]));
  return countFitting(ids.map((id) => sizeOf.get(id) ?? 0));
}

const rowsAtOnce = 500;

export interface Paging<T extends TableName> {
  table: T;
  where: Where<Rows[T]> | Sql;
  /** Columns that order the rows and tell them apart. */
  key: readonly (keyof Rows[T] & string)[];
  /** Columns with text of any length. */
  text?: readonly (keyof Rows[T] & string)[];
  /** The key to begin after; the condition has no lower bound for it then. */
  after?: readonly unknown[];
}

/** All of them, page by page. */
export async function* inPages<T extends TableName>(store: Reader, { table, where, key, text = [], after: first = [] }: Paging<T>) {
  const { sql, params } = sqlOf(where);
  const order = key.join(', ');
  const marks = key.map(() => '?').join(', ');
  let after = first;
  for (;;) {
    const beyond = after.length === 0 ? '' : `and (${order}) > (${marks})`;
    const found = await store.all<Record<string, unknown> & { size: number }>(
      `select ${order}, ${sizeOf(text)} as size from ${table} where ${sql} ${beyond} order by ${order} limit ${rowsAtOnce}`,
      [...params, ...after],
    );
    const fitting = countFitting(found.map((row) => row.size));
    if (fitting === 0) return;
    const last = key.map((column) => found[fitting - 1]![column]);
    const [only, second] = key;
    yield second === undefined
      ? await rowsByKeys(
          store,
          { table, where, key: only! },
          found.slice(0, fitting).map((row) => row[only!]),
          'asc',
        )
      : await store.rows(table, `where ${sql} ${beyond} and (${order}) <= (${marks}) order by ${order}`, [...params, ...after, ...last]);
    if (fitting === found.length && found.length < rowsAtOnce) return;
    after = last;
  }
}

const scannedAtOnce = 1000;

/** Every row of a table, in key order. `ordered`: how a column of the key is compared. */
export const scanBy = (
  read: (table: TableName, tail: string, params: unknown[]) => Promise<AnyRow[]>,
  ordered = (_table: TableName, column: string): string => column,
): Scan =>
  async function* (table) {
    const key = keyOf(table);
    const order = key.map((column) => ordered(table, column)).join(', ');
    let after: AnyRow | undefined;
    do {
      const where = after ? `where (${order}) > (${key.map(() => '?').join(', ')})` : '';
      const last = after;
      const rows = await read(table, `${where} order by ${order} limit ${scannedAtOnce}`, last ? key.map((column) => last[column]) : []);
      if (rows.length > 0) yield rows;
      after = rows.length < scannedAtOnce ? undefined : rows.at(-1);
    } while (after);
  };

export interface RestoredRow {
  table: TableName;
  row: AnyRow;
}

/** The rows of a restore as they come, so many of one table at a time. */
export async function* batchesOf(restored: AsyncIterable<RestoredRow>): AsyncGenerator<{ table: TableName; rows: AnyRow[] }> {
  let batch: { table: TableName; rows: AnyRow[] } | undefined;
  for await (const { table, row } of restored) {
    if (batch && (batch.table !== table || batch.rows.length >= scannedAtOnce)) {
      yield batch;
      batch = undefined;
    }
    batch ??= { table, rows: [] };
    batch.rows.push(row);
  }
  if (batch) yield batch;
}
