// The rows a group has in hand. Commands read and change them here; a later command of the group sees what an
// earlier one did. Asking for a row that was not loaded throws `Missing`: the engine loads it and decides again,
// which costs nothing but time because deciding has no effects.

import { keyOf, specOf, type AnyRow, type Rows, type TableName } from '../store/tables.ts';
import type { Changes, NewFact, Want } from '../store/port.ts';

export class Missing extends Error {
  readonly wants: Want[];
  constructor(...wants: Want[]) {
    super(`Not loaded: ${wants.slice(0, 3).map(wantId).join(' ')}`);
    this.wants = wants;
  }
}

export const wantId = (want: Want): string => `${want.table}.${want.lookup ?? ''}${listed(want.values)}`;
const rowId = (table: TableName, values: readonly (string | number)[]): string => `${table}${listed(values)}`;
/** Different for different lists, whatever is in them, and a third of the work of writing JSON. */
const listed = (values: readonly (string | number)[]): string => {
  let text = '';
  for (const value of values) text += typeof value === 'string' ? `:${value.length}:${value}` : `:#${value}`;
  return text;
};
const keyValues = (table: TableName, row: AnyRow): (string | number)[] => keyOf(table).map((column) => row[column] as string | number);

interface Slot {
  table: TableName;
  key: (string | number)[];
  /** As it stands in the database; undefined: not there. */
  stored: AnyRow | undefined;
  /** As the group would leave it; undefined: not there. */
  row: AnyRow | undefined;
}

export class WorkingSet {
  private readonly slots = new Map<string, Slot>();
  /** Loaded lookups: want id → ids of the slots that match now. */
  private readonly lookups = new Map<string, Set<string>>();
  private facts: NewFact[] = [];
  private undo: (() => void)[] = [];

  /** Takes in what the store found for `wants`. */
  take(wants: Want[], found: AnyRow[][]): void {
    wants.forEach((want, i) => {
      const rows = found[i] ?? [];
      if (want.lookup === undefined) {
        this.hold(want.table, want.values, rows[0]);
        return;
      }
      const ids = new Set<string>();
      for (const row of rows) ids.add(this.hold(want.table, keyValues(want.table, row), row));
      if (!this.lookups.has(wantId(want))) this.lookups.set(wantId(want), ids);
    });
  }

  private hold(table: TableName, key: (string | number)[], stored: AnyRow | undefined): string {
    const id = rowId(table, key);
    if (!this.slots.has(id)) this.slots.set(id, { table, key, stored, row: stored });
    return id;
  }

  has(want: Want): boolean {
    return want.lookup === undefined ? this.slots.has(rowId(want.table, want.values)) : this.lookups.has(wantId(want));
  }

  /** Asks for all of it at once what would otherwise be found missing one by one, each with a round to the database. */
  need(wants: readonly Want[]): void {
    const missing = wants.filter((want) => !this.has(want));
    if (missing.length > 0) throw new Missing(...missing);
  }

  get<T extends TableName>(table: T, ...key: (string | number)[]): Rows[T] | undefined {
    const slot = this.slots.get(rowId(table, key));
    if (!slot) throw new Missing({ table, values: key });
    return slot.row as Rows[T] | undefined;
  }

  find<T extends TableName>(table: T, lookup: string, ...values: (string | number)[]): Rows[T][] {
    const want: Want = { table, lookup, values };
    const ids = this.lookups.get(wantId(want));
    if (!ids) throw new Missing(want);
    const rows: Rows[T][] = [];
    for (const id of ids) {
      const row = this.slots.get(id)!.row;
      if (row) rows.push(row as unknown as Rows[T]);
    }
    return rows;
  }

  /** A row that is new: its key carries a fresh id, or `get` has shown it absent. */
  insert<T extends TableName>(table: T, row: Rows[T]): void {
    const values = row as unknown as AnyRow;
    const id = this.hold(table, keyValues(table, values), undefined);
    this.write(id, values);
  }

  update<T extends TableName>(table: T, row: Rows[T], change: Partial<Rows[T]>): Rows[T] {
    const next = { ...row, ...change };
    const values = next as unknown as AnyRow;
    this.write(rowId(table, keyValues(table, values)), values);
    return next;
  }

  remove<T extends TableName>(table: T, row: Rows[T]): void {
    this.write(rowId(table, keyValues(table, row as unknown as AnyRow)), undefined);
  }

  private write(id: string, row: AnyRow | undefined): void {
    const slot = this.slots.get(id)!;
    const before = slot.row;
    this.reindex(id, slot.table, before, row);
    slot.row = row;
    this.undo.push(() => {
      this.reindex(id, slot.table, row, before);
      slot.row = before;
    });
  }

  /** Keeps the loaded lookups true for a changed row. */
  private reindex(id: string, table: TableName, before: AnyRow | undefined, after: AnyRow | undefined): void {
    for (const [lookup, { columns }] of Object.entries(specOf(table).lookups)) {
      const at = (row: AnyRow) => this.lookups.get(wantId({ table, lookup, values: columns.map((c) => row[c] as string | number) }));
      if (before) at(before)?.delete(id);
      if (after) at(after)?.add(id);
    }
  }

  /** Appends a fact; the number refers to it in `seqOfFact`. */
  fact(fact: NewFact): number {
    this.facts.push(fact);
    this.undo.push(() => this.facts.pop());
    return this.facts.length - 1;
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

  /** Back to what was loaded: another pass over the group decides everything again. */
  reset(): void {
    for (const slot of this.slots.values()) slot.row = slot.stored;
    this.facts = [];
    for (const ids of this.lookups.values()) ids.clear();
    for (const [id, slot] of this.slots) if (slot.stored) this.reindex(id, slot.table, undefined, slot.stored);
  }

  changes(): Changes {
    const changes: Changes = { inserts: [], updates: [], deletes: [], facts: this.facts };
    for (const { table, key, stored, row } of this.slots.values()) {
      if (row === stored) continue;
      if (stored === undefined) changes.inserts.push({ table, row: row! });
      else if (row === undefined) changes.deletes.push({ table, key, was: stored['sum'] as string });
      else changes.updates.push({ table, row, was: stored['sum'] as string });
    }
    return changes;
  }
}
