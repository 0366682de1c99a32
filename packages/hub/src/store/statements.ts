// SQL text for both engines, generated once from the table descriptions. What differs: SQLite runs one prepared
// statement per row inside its thread (no round trip to save), PostgreSQL one statement per table over arrays.

import { type AnyRow, columnsOf, keyOf, specOf, type TableName, tableNames } from './tables.ts';
import { channel } from 'node:diagnostics_channel';

const perTable = (make: (table: TableName) => string[]) =>
  Object.fromEntries(tableNames.map((table) => [table, make(table)])) as Record<TableName, string[]>;
export const columns = perTable(columnsOf);
const stored = perTable((table) => [...columnsOf(table), 'sum']);
/** Every stored column, the checksum last. */
export const storedColumns = (table: TableName): readonly string[] => stored[table];

/** A row as it travels between threads: the values of `storedColumns`, without their names. */
export type Values = (string | number | null)[];
export function rowOf(table: TableName, values: Values): AnyRow {
  const row: AnyRow = {};
  const names = stored[table];
  for (let i = 0; i < names.length; i++) row[names[i]!] = values[i]!;
  return row;
}
/** The other way, without the checksum, which is made where the row is written. */
export const valuesOf = (table: TableName, row: AnyRow): Values => columns[table].map((column) => row[column] ?? null);

/** Texts are built once: SQLite finds the same string object faster among its prepared statements than an equal one. */
function remembered<A extends (string | undefined)[]>(make: (...of: A) => string): (...of: A) => string {
  const made = new Map<string, string>();
  return (...of) => {
    const id = of.join(' ');
    let text = made.get(id);
    if (text === undefined) made.set(id, (text = make(...of)));
    return text;
  };
}

export const lookupColumns = (table: TableName, lookup: string | undefined): readonly string[] => {
  if (lookup === undefined) return keyOf(table);
  const found = specOf(table).lookups[lookup];
  if (!found) throw new Error(`No lookup ${lookup} on ${table}`);
  return found.columns;
};

/** `id = ?, seq = ?`, or with `and` between. */
const eachEqual = (columns: readonly string[], between = ' and '): string => columns.map((column) => `${column} = ?`).join(between);
const equalRows = (columns: readonly string[]): string => columns.map((column) => `t.${column} = r.${column}`).join(' and ');

const pgType = (table: TableName, column: string): string => {
  if (column === 'sum') return 'text';
  return specOf(table).columns[column]!.startsWith('int') ? 'int8' : 'text';
};

export const sqlite = {
  insert: remembered((table: TableName): string => {
    const columns = storedColumns(table);
    return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
  }),
  update: remembered(
    /** `changed`: the places of the columns it sets besides the checksum, with spaces between. */
    (table: TableName, changed: string): string => {
      const changedColumns = changed.split(' ').flatMap((at) => (at === '' ? [] : columns[table][Number(at)]!));
      return `update ${table} set ${eachEqual([...changedColumns, 'sum'], ', ')} where ${eachEqual([...keyOf(table), 'sum'])}`;
    },
  ),
  remove: remembered((table: TableName): string => `delete from ${table} where ${eachEqual([...keyOf(table), 'sum'])}`),
  find: remembered(
    (table: TableName, lookup: string | undefined): string =>
      `select ${storedColumns(table).join(', ')} from ${table} where ${eachEqual(lookupColumns(table, lookup))}`,
  ),
};

const arrays = (table: TableName, columns: readonly string[], first: number): string =>
  columns.map((column, i) => `$${first + i}::${pgType(table, column)}[]`).join(', ');

export const postgres = {
  insert: (table: TableName): string => {
    const columns = storedColumns(table);
    return `insert into ${table} (${columns.join(', ')}) select * from unnest(${arrays(table, columns, 1)})`;
  },
  update: (table: TableName): string => {
    const columns = storedColumns(table);
    return (
      `update ${table} t set ${columns.map((c) => `${c} = r.${c}`).join(', ')} ` +
      `from unnest(${arrays(table, columns, 1)}, $${columns.length + 1}::text[]) as r(${columns.join(', ')}, was) ` +
      `where ${equalRows(keyOf(table))} and t.sum = r.was`
    );
  },
  remove: (table: TableName): string => {
    const key = keyOf(table);
    return (
      `delete from ${table} t using unnest(${arrays(table, key, 1)}, $${key.length + 1}::text[]) as r(${key.join(', ')}, was) ` +
      `where ${equalRows(key)} and t.sum = r.was`
    );
  },
  /** One arm of a load; the arms of a group are joined by `union all`, so that a group loads in one round trip. */
  find: (table: TableName, lookup: string | undefined, arm: number, firstParam: number): string => {
    const columns = lookupColumns(table, lookup);
    return `select ${arm} as arm, row_to_json(t) as row from ${table} t join unnest(${arrays(table, columns, firstParam)}) as r(${columns.join(', ')}) on ${equalRows(columns)}`;
  },
};

/**
 * Reads are written once for both engines: `?` marks a parameter, and `in {list}` a list of texts, `in {ints}` one of numbers, that is
 * one parameter however long it is. One by one its values would run into the most that a statement may have (SQLite: 32,766).
 */
export const forSqlite = (sql: string): string => sql.replaceAll(/\{list\}|\{ints\}/g, '(select value from json_each(?))');
export const sqliteParams = (params: unknown[]): unknown[] => params.map((value) => (Array.isArray(value) ? JSON.stringify(value) : value));

export function forPostgres(sql: string): string {
  let n = 0;
  return sql
    .replaceAll('in {list}', '= any(?::text[])')
    .replaceAll('in {ints}', '= any(?::int8[])')
    .replaceAll('?', () => `$${++n}`);
}

// Names each read to a listener in this process: tests look at its plan. Costs nothing while nobody listens.

export interface StatementRun {
  engine: 'sqlite' | 'postgres';
  /** The statement as written for both engines. */
  sql: string;
}

export const statementChannel = channel('parley:statement');

export function publishStatement(engine: StatementRun['engine'], sql: string): void {
  if (statementChannel.hasSubscribers) statementChannel.publish({ engine, sql } satisfies StatementRun);
}
