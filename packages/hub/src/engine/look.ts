// Reading with the same eyes that decide: a read runs the same functions over a working set as a command does, with
// the rows brought in by the reader. So who may see something is decided in one place.

import type { Store, Want } from '../store/port.ts';
import { lookupColumns } from '../store/statements.ts';
import type { AnyRow } from '../store/tables.ts';
import { Missing, WorkingSet } from './working-set.ts';

export async function look<R>(store: Store, wants: Want[], work: (set: WorkingSet) => R): Promise<R> {
  const set = new WorkingSet();
  let loading = wants;
  for (;;) {
    const found = await Promise.all(
      loading.map((want) =>
        store.rows(
          want.table,
          `where ${lookupColumns(want.table, want.lookup)
            .map((c) => `${c} = ?`)
            .join(' and ')}`,
          want.values,
        ),
      ),
    );
    set.take(loading, found as unknown as AnyRow[][]);
    try {
      return work(set);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      loading = [error.want];
    }
  }
}

/** `(?, ?, …)` for an `in` list, padded to a power of two so that few different statements are prepared. */
export function inList(values: readonly (string | number)[]): { sql: string; params: (string | number)[] } {
  let size = 1;
  while (size < values.length) size *= 2;
  const params = values.length === 0 ? [''] : Array.from({ length: size }, (_, i) => values[Math.min(i, values.length - 1)]!);
  return { sql: `(${params.map(() => '?').join(', ')})`, params };
}
