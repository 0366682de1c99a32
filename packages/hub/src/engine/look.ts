// Reading with the same eyes that decide: a read runs the same functions over a working set as a command does, with
// the rows brought in by the reader. So who may see something is decided in one place.

import type { Reader, Want } from '../store/port.ts';
import { lookupColumns } from '../store/statements.ts';
import type { AnyRow } from '../store/tables.ts';
import { Missing, WorkingSet } from './working-set.ts';

export async function look<R>(store: Reader, wants: Want[], work: (set: WorkingSet) => R): Promise<R> {
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
      loading = error.wants;
    }
  }
}

/** For `in ${list.sql}`: any number of values as one parameter. */
export const inList = (values: readonly string[]): { sql: string; params: unknown[] } => ({ sql: '{list}', params: [values] });

/** A read of one takes about a millisecond, whoever else is reading meanwhile. */
const places = 5000;

/**
 * All places at which something was said, in stretches: after the first number, up to and with the second. For what is looked for
 * so rarely that an index, which every message would have to write, is not worth it.
 */
export async function* stretches(store: Reader): AsyncGenerator<[after: number, upTo: number]> {
  for (let after = 0; ;) {
    // Asked again at the end: what was said meanwhile is looked through as well.
    const [last] = await store.all<{ seq: number | null }>('select max(seq) as seq from messages');
    const end = last?.seq ?? 0;
    if (after >= end) return;
    for (let upTo; after < end; after = upTo) {
      upTo = Math.min(after + places, end);
      yield [after, upTo];
    }
  }
}
