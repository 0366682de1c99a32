// What is due, a page at a time, in its order.

import type { CorruptRowError, Reader } from '../store/port.ts';
import type { Rows } from '../store/tables.ts';
import { inList } from './look.ts';

type DueTable = 'timers' | 'outbox';

export interface Place {
  due_at: number;
  id: string;
}

export interface DuePage<T extends DueTable> {
  rows: Rows[T][];
  damaged: CorruptRowError[];
  /** From where on there may be more. */
  next: Place | undefined;
}

/**
 * From the last one on, not so many further: what is gone by then, here or by another hub, takes no place, and what is as it
 * was is tried another time. Asked for by name first, as a damaged row has a place in the order as well.
 */
export async function duePage<T extends DueTable>(
  store: Reader,
  table: T,
  isDue: { sql: string; params: unknown[] },
  after: Place | undefined,
  most: number,
): Promise<DuePage<T>> {
  const { due_at, id } = after ?? { due_at: Number.MIN_SAFE_INTEGER, id: '' };
  const places = await store.all<Place>(
    `select due_at, id from ${table} where (${isDue.sql}) and (due_at, id) > (?, ?) order by due_at, id limit ${most}`,
    [...isDue.params, due_at, id],
  );
  if (places.length === 0) return { rows: [], damaged: [], next: undefined };
  const ids = inList(places.map((place) => place.id));
  const found = await store.intact(table, `where id in ${ids.sql} order by due_at, id`, ids.params);
  return { ...found, next: places.length < most ? undefined : places.at(-1) };
}
