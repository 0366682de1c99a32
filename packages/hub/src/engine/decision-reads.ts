// Reading with the same eyes that decide: a read runs the same functions over a working set as a command does, with
// the rows brought in by the reader. So who may see something is decided in one place.

import type { Reader, Want } from '../store/port.ts';
import { lastMessageSeq } from '../store/reads/messages.ts';
import { lookupColumns } from '../store/statements.ts';
import { GroupSet, MissingRows, type WorkingSet } from './working-set.ts';

export async function readRows<R>(store: Reader, wants: Want[], work: (set: WorkingSet) => R): Promise<R> {
  const set = new GroupSet();
  let loading = wants;
  for (;;) {
    const found = await Promise.all(
      loading.map((want) =>
        store.rows(want.table, Object.fromEntries(lookupColumns(want.table, want.lookup).map((column, i) => [column, want.values[i]]))),
      ),
    );
    set.take(loading, found);
    try {
      return work(set);
    } catch (error) {
      if (!(error instanceof MissingRows)) throw error;
      loading = error.wants;
    }
  }
}

/** A read of one takes about a millisecond, however many read meanwhile. */
const places = 5000;

/**
 * All places of messages in the stream, in stretches: after the first number, up to and with the second. For rare searches
 * that are not worth an index, which every message would have to write.
 */
export async function* factRanges(store: Reader): AsyncGenerator<[after: number, upTo: number]> {
  for (let after = 0; ;) {
    // The end is read again: messages that came meanwhile are looked through as well.
    const end = await lastMessageSeq(store);
    if (after >= end) return;
    for (let upTo; after < end; after = upTo) {
      upTo = Math.min(after + places, end);
      yield [after, upTo];
    }
  }
}
