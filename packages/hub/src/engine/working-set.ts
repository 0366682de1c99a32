// The rows a group has in hand. Commands read and change them here; a later command of the group sees what an
// earlier one did. Asking for a row that was not loaded throws `Missing`: the engine loads it and decides again,
// which costs nothing but time because deciding has no effects.

import { columnsOf, keyOf, specOf, type AnyRow, type Rows, type TableName } from '../store/tables.ts';
import { ByValues } from '../store/tuple-map.ts';
import type { Changes, LookupOf, LookupValues, NewFact, Want } from '../store/port.ts';

/** Rows that are not loaded, or locks that are not held, and that a decision needs. */
export class MissingRows extends Error {
  readonly wants: Want[];
  readonly locks: readonly string[];
  constructor(wants: Want[], locks: readonly string[] = []) {
    // Thrown as a matter of course, and caught: where from nobody asks, and to find out costs more than deciding does.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`Not there: ${[...wants.slice(0, 3).map(wantText), ...locks.slice(0, 3)].join(' ')}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.wants = wants;
    this.locks = locks;
  }
}

/** Names what a handler asked for, in errors for people. */
export const wantText = (want: Want): string => `${want.table}.${want.lookup ?? ''}:${want.values.join(':')}`;
const keyValues = (table: TableName, row: AnyRow): (string | number)[] => keyOf(table).map((column) => row[column] as string | number);

/** Wants, each once. */
export class Wants {
  readonly list: Want[] = [];
  private readonly known = new Map<TableName, Map<string | undefined, ByValues<Want>>>();

  add(want: Want): void {
    const lookups = entry(this.known, want.table, newMap<string | undefined, ByValues<Want>>);
    const wants = entry(lookups, want.lookup, newByValues<Want>);
    if (wants.get(want.values)) return;
    wants.set(want.values, want);
    this.list.push(want);
  }
}

const newMap = <K, V>(): Map<K, V> => new Map();
const newByValues = <V>(): ByValues<V> => new ByValues();
function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

interface Slot {
  table: TableName;
  key: (string | number)[];
  /** The row in the database; undefined if there is none. */
  stored: AnyRow | undefined;
  /** The row after the group's changes; undefined if there is none. */
  row: AnyRow | undefined;
}

interface Table {
  slots: ByValues<Slot>;
  /** Loaded lookups, with the slots that match now. */
  lookups: Map<string, ByValues<Set<Slot>>>;
}
const newTable = (): Table => ({ slots: new ByValues(), lookups: new Map() });

/** The rows in hand, as a decision sees them. */
export interface WorkingSet {
  has(want: Want): boolean;
  /** Asks for all of it at once what would otherwise be found missing one by one, each with a round to the database. */
  need(wants: readonly Want[]): void;
  /**
   * Decides on each item. The rows that any of them lacks are loaded together: a round for each would be as many rounds as
   * there are items.
   */
  each<T, R>(items: Iterable<T>, decide: (item: T) => R): R[];
  get<T extends TableName>(table: T, ...key: (string | number)[]): Rows[T] | undefined;
  find<T extends TableName, L extends LookupOf<T>>(table: T, lookup: L, ...values: LookupValues<T, L>): Rows[T][];
  /** A row that is new: its key carries a fresh id, or `get` has shown it absent. */
  insert<T extends TableName>(table: T, row: Rows[T]): void;
  update<T extends TableName>(table: T, row: Rows[T], change: Partial<Rows[T]>): Rows[T];
  /** Inserts the row, or replaces the one that has its key. */
  put<T extends TableName>(table: T, row: Rows[T]): void;
  remove<T extends TableName>(table: T, row: Rows[T]): void;
  /** Appends a fact; the number refers to it in `seqOfFact`. */
  fact(fact: NewFact): number;
  /** Facts about something that are new in this group: they have no place yet, and come after all that have. */
  appended(subjectId: string): readonly NewFact[];
}

/** Shared by the commands of one group, pass after pass. */
export class GroupSet implements WorkingSet {
  private readonly tables = new Map<TableName, Table>();
  /** All of them, in the order they came: that is the order in which they are written. */
  private readonly slots: Slot[] = [];
  /** Matches of every loaded lookup. */
  private readonly matches: Set<Slot>[] = [];
  private facts: NewFact[] = [];
  private undo: (() => void)[] = [];
  /** The number of rows that the store has found. */
  rows = 0;

  /** Takes in what the store found for `wants`. */
  take(wants: Want[], found: AnyRow[][]): void {
    wants.forEach((want, i) => {
      const rows = found[i] ?? [];
      if (want.lookup === undefined) {
        this.hold(want.table, want.values, rows[0]);
        return;
      }
      const slots = new Set<Slot>();
      for (const row of rows) slots.add(this.hold(want.table, keyValues(want.table, row), row));
      const loaded = entry(this.table(want.table).lookups, want.lookup, newByValues<Set<Slot>>);
      if (loaded.get(want.values)) return;
      loaded.set(want.values, slots);
      this.matches.push(slots);
    });
  }

  private table(table: TableName): Table {
    return entry(this.tables, table, newTable);
  }

  private hold(table: TableName, key: (string | number)[], stored: AnyRow | undefined): Slot {
    const { slots } = this.table(table);
    let slot = slots.get(key);
    if (!slot) {
      slot = { table, key, stored, row: stored };
      slots.set(key, slot);
      this.slots.push(slot);
      if (stored) this.rows++;
    }
    return slot;
  }

  private slot(table: TableName, key: readonly (string | number)[]): Slot | undefined {
    return this.tables.get(table)?.slots.get(key);
  }

  private matching(table: TableName, lookup: string, values: readonly (string | number)[]): Set<Slot> | undefined {
    return this.tables.get(table)?.lookups.get(lookup)?.get(values);
  }

  has({ table, lookup, values }: Want): boolean {
    return (lookup === undefined ? this.slot(table, values) : this.matching(table, lookup, values)) !== undefined;
  }

  need(wants: readonly Want[]): void {
    if (wants.length === 0) return;
    const missing = wants.filter((want) => !this.has(want));
    if (missing.length > 0) throw new MissingRows(missing);
  }

  each<T, R>(items: Iterable<T>, decide: (item: T) => R): R[] {
    const done: R[] = [];
    const wants: Want[] = [];
    const locks: string[] = [];
    for (const item of items) {
      try {
        done.push(decide(item));
      } catch (error) {
        if (error instanceof MissingRows) {
          wants.push(...error.wants);
          locks.push(...error.locks);
        } else if (wants.length + locks.length === 0) throw error;
        // The item may fail only because an earlier one was left half done: all of them are decided again.
        else break;
      }
    }
    if (wants.length + locks.length > 0) throw new MissingRows(wants, locks);
    return done;
  }

  get<T extends TableName>(table: T, ...key: (string | number)[]): Rows[T] | undefined {
    const slot = this.slot(table, key);
    if (!slot) throw new MissingRows([{ table, values: key }]);
    return slot.row as Rows[T] | undefined;
  }

  find<T extends TableName, L extends LookupOf<T>>(table: T, lookup: L, ...values: LookupValues<T, L>): Rows[T][] {
    const slots = this.matching(table, lookup, values);
    if (!slots) throw new MissingRows([{ table, lookup, values } as unknown as Want]);
    const rows: Rows[T][] = [];
    for (const { row } of slots) if (row) rows.push(row as unknown as Rows[T]);
    return rows;
  }

  insert<T extends TableName>(table: T, row: Rows[T]): void {
    this.write(this.hold(table, keyValues(table, row), undefined), row);
  }

  update<T extends TableName>(table: T, row: Rows[T], change: Partial<Rows[T]>): Rows[T] {
    const next = { ...row, ...change };
    this.write(this.slot(table, keyValues(table, next))!, next);
    return next;
  }

  put<T extends TableName>(table: T, row: Rows[T]): void {
    const before = this.get(table, ...keyValues(table, row));
    if (before) this.update(table, before, row);
    else this.insert(table, row);
  }

  remove<T extends TableName>(table: T, row: Rows[T]): void {
    this.write(this.slot(table, keyValues(table, row))!, undefined);
  }

  private write(slot: Slot, row: AnyRow | undefined): void {
    const before = slot.row;
    this.reindex(slot, before, row);
    slot.row = row;
    this.undo.push(() => {
      this.reindex(slot, row, before);
      slot.row = before;
    });
  }

  /** Keeps the loaded lookups true for a changed row. */
  private reindex(slot: Slot, before: AnyRow | undefined, after: AnyRow | undefined): void {
    for (const [lookup, loaded] of this.table(slot.table).lookups) {
      const { columns } = specOf(slot.table).lookups[lookup]!;
      const at = (row: AnyRow) => loaded.get(columns.map((c) => row[c] as string | number));
      if (before) at(before)?.delete(slot);
      if (after) at(after)?.add(slot);
    }
  }

  fact(fact: NewFact): number {
    this.facts.push(fact);
    this.undo.push(() => this.facts.pop());
    return this.facts.length - 1;
  }

  appended(subjectId: string): readonly NewFact[] {
    return this.facts.filter((fact) => fact.subject_id === subjectId);
  }

  /** Runs one command; if it throws, what it had changed is as before. */
  attempt<R>(work: () => R): R {
    this.undo = [];
    try {
      return work();
    } catch (error) {
      for (const step of this.undo.reverse()) step();
      throw error;
    }
  }

  /** Back to the loaded rows: another pass over the group decides everything again. */
  reset(): void {
    for (const slot of this.slots) slot.row = slot.stored;
    this.facts = [];
    for (const slots of this.matches) slots.clear();
    for (const slot of this.slots) if (slot.stored) this.reindex(slot, undefined, slot.stored);
  }

  changes(): Changes {
    const changes: Changes = { inserts: [], updates: [], deletes: [], facts: this.facts };
    for (const { table, key, stored, row } of this.slots) {
      if (row === stored) continue;
      if (stored === undefined) changes.inserts.push({ table, row: row! });
      else if (row === undefined) changes.deletes.push({ table, key, was: stored['sum'] as string });
      else {
        const changed = columnsOf(table).filter((column) => row[column] !== stored[column]);
        changes.updates.push({ table, row, was: stored['sum'] as string, changed });
      }
    }
    return changes;
  }
}
