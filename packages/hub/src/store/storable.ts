// What both databases keep as it is. Half a surrogate pair has no UTF-8: it is written as another sign, and the row does not
// match its checksum from then on. PostgreSQL keeps no U+0000. Doors refuse both; but what a model, a tool or a library says
// goes into rows as well, and one such word must cost neither the row nor what is written with it.

import type { Changes, NewFact } from './port.ts';
import { columns } from './statements.ts';
import type { AnyRow } from './tables.ts';

const isStorable = (value: unknown): boolean => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));

function isWhole(row: object, names: readonly string[]): boolean {
  for (const name of names) if (!isStorable((row as AnyRow)[name])) return false;
  return true;
}

function madeWhole<R extends object>(row: R, names: readonly string[]): R {
  const next: AnyRow = { ...(row as AnyRow) };
  for (const name of names) if (!isStorable(next[name])) next[name] = (next[name] as string).toWellFormed().replaceAll('\0', '\uFFFD');
  return next as R;
}

/** Must run before checksums and listeners. Returns the same object if nothing changes, which is nearly always. */
export function storableChanges(changes: Changes): Changes {
  const { inserts, updates, deletes, facts } = changes;
  if (
    inserts.every(({ table, row }) => isWhole(row, columns[table])) &&
    updates.every(({ table, row, changed = columns[table] }) => isWhole(row, changed)) &&
    facts.every((fact) => isWhole(fact, columns.facts))
  )
    return changes;
  return {
    inserts: inserts.map((one) => ({ ...one, row: madeWhole(one.row, columns[one.table]) })),
    updates: updates.map((one) => ({ ...one, row: madeWhole(one.row, columns[one.table]) })),
    deletes,
    facts: facts.map((fact): NewFact => madeWhole(fact, columns.facts)),
  };
}
