// Rows a page at a time, bounded by count and by bytes of text. Sizes are read first: the engines know them without
// reading the text itself.

import { countFitting } from '@parley/core';
import type { Reader } from '../port.ts';
import type { Rows, TableName } from '../tables.ts';
import { conditionOf, type Sql, type Where } from '../where.ts';

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

/** In the order that the side says. */
export function messagePage(store: Reader, span: MessageSpan): Promise<Page<'messages'>> {
  const [sign, order] = sides[span.side];
  const where = { conversation_id: span.conversationId, seq: { '>=': span.from, [sign]: span.seq } };
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
  const taken = countFitting(sizes, maxBytes);
  if (taken === 0) return { rows: [], more: false };
  // Bounded on both sides: what came since the sizes were read is on the next page.
  const [from, to] = order === 'asc' ? ['>=', '<='] : ['<=', '>='];
  const rows = await store.rows(table, `where ${sql} and ${key} ${from} ? and ${key} ${to} ? order by ${key} ${order}`, [
    ...params,
    found[0]!.key,
    found[taken - 1]!.key,
  ]);
  return { rows, more: found.length > taken };
}

function sqlOf<R>(where: Where<R> | Sql): Sql {
  const { sql, params } = 'sql' in where ? where : conditionOf(where);
  return { sql: sql === '' ? '1 = 1' : sql, params };
}

const sizeOf = (columns: readonly string[]): string => columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ') || '0';

/** How many of these messages, in their order, fit one page. */
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
}

/** All of them, page by page. */
export async function* inPages<T extends TableName>(store: Reader, { table, where, key, text = [] }: Paging<T>) {
  const { sql, params } = sqlOf(where);
  const order = key.join(', ');
  const marks = key.map(() => '?').join(', ');
  let after: unknown[] = [];
  for (;;) {
    const beyond = after.length === 0 ? '' : `and (${order}) > (${marks})`;
    const found = await store.all<Record<string, unknown> & { size: number }>(
      `select ${order}, ${sizeOf(text)} as size from ${table} where ${sql} ${beyond} order by ${order} limit ${rowsAtOnce}`,
      [...params, ...after],
    );
    const taken = countFitting(found.map((row) => row.size));
    if (taken === 0) return;
    const last = key.map((column) => found[taken - 1]![column]);
    yield await store.rows(table, `where ${sql} ${beyond} and (${order}) <= (${marks}) order by ${order}`, [...params, ...after, ...last]);
    if (taken === found.length && found.length < rowsAtOnce) return;
    after = last;
  }
}
