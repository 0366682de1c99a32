// Due timers, a page at a time, in order.

import type { CorruptRowError, Store } from '../port.ts';
import type { Rows } from '../tables.ts';
import type { Sql } from '../where.ts';

type DueTable = 'timers' | 'outbox';

export interface DuePlace {
  due_at: number;
  id: string;
}

export interface DuePage<T extends DueTable> {
  rows: Rows[T][];
  damaged: CorruptRowError[];
  /** The place from which there may be more. */
  next: DuePlace | undefined;
}

/** Timers whose date or running time has come. */
export const dueTimers = (
  reader: Store,
  now: number,
  runningNow: number,
  after: DuePlace | undefined,
  most: number,
): Promise<DuePage<'timers'>> =>
  duePage(
    reader,
    'timers',
    { sql: "(clock = 'wall' and due_at <= ?) or (clock = 'running' and due_at <= ?)", params: [now, runningNow] },
    after,
    most,
  );

/** Effects that are due and that nobody has leased. */
export const dueEffects = (reader: Store, now: number, after: DuePlace | undefined, most: number): Promise<DuePage<'outbox'>> =>
  duePage(reader, 'outbox', { sql: 'due_at <= ? and leased_until <= ?', params: [now, now] }, after, most);

/**
 * From the last one on, not so many further: what is gone by then, here or by another hub, takes no place, and what is as it
 * was is tried another time. Asked for by name first, as a damaged row has a place in the order as well.
 */
async function duePage<T extends DueTable>(
  store: Store,
  table: T,
  isDue: Sql,
  after: DuePlace | undefined,
  most: number,
): Promise<DuePage<T>> {
  const { due_at, id } = after ?? { due_at: Number.MIN_SAFE_INTEGER, id: '' };
  const places = await store.all<DuePlace>(
    `select due_at, id from ${table} where (${isDue.sql}) and (due_at, id) > (?, ?) order by due_at, id limit ${most}`,
    [...isDue.params, due_at, id],
  );
  if (places.length === 0) return { rows: [], damaged: [], next: undefined };
  const found = await store.intact(table, 'where id in {list} order by due_at, id', [places.map((place) => place.id)]);
  return { ...found, next: places.length < most ? undefined : places.at(-1) };
}

/** The time of the next timer on each clock; null if there is none. */
export async function nextTimers(reader: Store): Promise<{ wall: number | null; running: number | null }> {
  const [next] = await reader.all<{ wall: number | null; running: number | null }>(
    "select (select min(due_at) from timers where clock = 'wall') as wall, (select min(due_at) from timers where clock = 'running') as running",
  );
  return next!;
}

/** The number of due effects without a lease, and the time when the first of the other leases ends. */
export async function dueEffectCounts(reader: Store, now: number): Promise<{ free: number; until: number | null }> {
  const [due] = await reader.all<{ free: number; until: number | null }>(
    `select count(case when leased_until <= ? then 1 end) as free, min(case when leased_until > ? then leased_until end) as until
     from outbox where due_at <= ?`,
    [now, now, now],
  );
  return due!;
}
