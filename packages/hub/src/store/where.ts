// Reads of one table without SQL text: the compiler checks columns and values against the table's description.

import type { Reader, Statements, StoredRow } from './port.ts';
import type { Rows, TableName } from './tables.ts';

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';
/** A value or null; a list that holds the value; or comparisons, all of which must be true. */
type Condition<V> = V | readonly Extract<V, string>[] | { readonly [sign in Comparison]?: V };
export type Where<R> = { readonly [C in keyof R]?: Condition<R[C]> };

type Order<R> = (keyof R & string) | `${keyof R & string} desc`;
export interface RowRange<R> {
  order?: Order<R> | readonly Order<R>[];
  limit?: number;
}

/** The query of `rows`: conditions, or the SQL after `from <table>`, which only `store/reads` writes. */
export type Query<T extends TableName> = [where: Where<Rows[T]>, range?: RowRange<Rows[T]>] | [tail: string, params?: unknown[]];

export interface QueryTail {
  tail: string;
  params: unknown[];
}
/** A condition as it is after `where`. */
export interface Sql {
  sql: string;
  params: unknown[];
}

/** A column in an empty list: nothing has to be asked. */
export const findsNothing = <T extends TableName>([where]: Query<T>): boolean =>
  typeof where === 'object' && Object.values(where).some((condition) => Array.isArray(condition) && condition.length === 0);

/** The SQL of a query. Conditions keep their order, so that a shape has one text and is prepared once. */
export function tailOf<T extends TableName>(query: Query<T>): QueryTail {
  const [first, second] = query;
  if (typeof first === 'string') return { tail: first, params: (second as unknown[] | undefined) ?? [] };
  const { order = [], limit } = (second as RowRange<Rows[T]> | undefined) ?? {};
  const { sql, params } = conditionOf(first);
  const orders = [order].flat();
  if (limit !== undefined) params.push(limit);
  const tail = [
    ...(sql === '' ? [] : [`where ${sql}`]),
    ...(orders.length === 0 ? [] : [`order by ${orders.join(', ')}`]),
    ...(limit === undefined ? [] : ['limit ?']),
  ].join(' ');
  return { tail, params };
}

export function conditionOf<R>(where: Where<R>): Sql {
  const params: unknown[] = [];
  const sql = Object.entries(where).flatMap(([column, condition]) => terms(column, condition, params));
  return { sql: sql.join(' and '), params };
}

export const allOf = (conditions: readonly Sql[]): Sql => ({
  sql: conditions.flatMap(({ sql }) => (sql === '' ? [] : sql)).join(' and '),
  params: conditions.flatMap(({ params }) => params),
});

function terms(column: string, condition: unknown, params: unknown[]): string[] {
  if (Array.isArray(condition)) {
    params.push(condition);
    return [`${column} in {list}`];
  }
  if (typeof condition !== 'object' || condition === null) return [term(column, '=', condition, params)];
  return Object.entries(condition).map(([sign, value]) => term(column, sign, value, params));
}

function term(column: string, sign: string, value: unknown, params: unknown[]): string {
  if (value === undefined) throw new Error(`No value to compare ${column} with`);
  if (value === null) return `${column} is ${sign === '=' ? '' : 'not '}null`;
  // SQLite uses an index that is limited to `open = 1` only if the statement's text says so.
  if (value === 0 || value === 1) return `${column} ${sign} ${value}`;
  params.push(value);
  return `${column} ${sign} ?`;
}

/** Some columns of a table. They are not verified against the row's checksum: a stored text must be read with `rows`. */
export function readColumns<T extends TableName, C extends keyof StoredRow<T> & string>(
  reader: Statements,
  table: T,
  names: readonly C[],
  ...query: Query<T>
): Promise<Pick<StoredRow<T>, C>[]> {
  const { tail, params } = tailOf(query);
  return reader.all(`select ${names.join(', ')} from ${table} ${tail}`, params);
}

/** Tables whose rows have an id. */
type WithId = { [T in TableName]: Rows[T] extends { id: string } ? T : never }[TableName];
export const rowsById = <T extends WithId>(reader: Reader, table: T, ids: readonly string[]): Promise<Rows[T][]> =>
  reader.rows(table, 'where id in {list}', [ids]);
