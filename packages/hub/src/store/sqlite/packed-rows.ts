// A group's changes on their way to the writer: values in the order of the columns. With the names beside them they
// would be twice the text to write, to read and to look through.

import { type Changes, placeColumns, settledPlace } from '../port.ts';
import { columns, type Values, valuesOf } from '../statements.ts';
import { keyOf, type TableName, tableNames } from '../tables.ts';

export interface PackedRows {
  facts: Values[];
  inserts: [table: TableName, values: Values][];
  /** `changed`: places of the columns to write. Named in the statement, an index would be written again with all it holds. */
  updates: [table: TableName, values: Values, was: string, changed: number[]][];
  deletes: Changes['deletes'];
}

export const pack = ({ facts, inserts, updates, deletes }: Changes): PackedRows => ({
  facts: facts.map((fact) => valuesOf('facts', fact)),
  inserts: inserts.map(({ table, row }) => [table, valuesOf(table, row)]),
  updates: updates.map(({ table, row, was, changed = columns[table] }) => [
    table,
    valuesOf(table, row),
    was,
    changed.map((column) => columns[table].indexOf(column)),
  ]),
  deletes,
});

const positions = (of: (table: TableName) => readonly string[]): Record<TableName, number[]> =>
  Object.fromEntries(tableNames.map((table) => [table, of(table).map((column) => columns[table].indexOf(column))])) as Record<
    TableName,
    number[]
  >;
const keyAt = positions(keyOf);
const placeAt = positions((table) => placeColumns.filter((column) => columns[table].includes(column)));
const [seqAt, epochAt, prevAt] = ['seq', 'epoch', 'prev'].map((column) => columns.facts.indexOf(column)) as [number, number, number];

export const keyIn = (table: TableName, values: Values): Values => keyAt[table].map((at) => values[at]!);

/** Fills in the places that the group's facts have got. */
export function settle(table: TableName, values: Values, firstSeq: number): void {
  for (const at of placeAt[table]) values[at] = settledPlace(values[at]!, firstSeq);
}

export function placeFact(values: Values, seq: number, epoch: string, prev: string): void {
  values[seqAt] = seq;
  values[epochAt] = epoch;
  values[prevAt] = prev;
}
