// Rows that nearly every command reads again: who acts, with which token, where. They were verified when they were
// read, and only this process's writer changes them; should another connection have written, the data version says so
// at the next begin, under the lock, and all is read again. So what a group commits was decided on what the database holds.

import { ByValues } from '../tuple-map.ts';
import type { Changes, Want } from '../port.ts';
import { type AnyRow, keyOf, type TableName } from '../tables.ts';

/** Never what somebody wrote: erased words must not stay in memory. */
const cachedTables: readonly TableName[] = ['members', 'tokens', 'source_tokens', 'conversations', 'memberships', 'settings'];
/** Nearly every command asks for these rows and mostly finds none, so their absence is cached too. */
const absentToo: ReadonlySet<TableName> = new Set(['settings', 'source_tokens']);
const maxRowsPerTable = 2000;
/** `of`: which answer a row belongs to, open or not, so that whatever changes one is seen; a row that goes is known by its key. */
interface KeptLookup {
  lookup: string;
  isKept(values: Want['values']): boolean;
  /** Columns that say which answer a row belongs to, and may change: the answer it belonged to is not known then. */
  movedBy?: readonly string[];
  of(row: AnyRow): Want['values'];
  ofKey(key: Want['values']): Want['values'] | undefined;
}
/** Keyed by a column of the key, which never changes. */
const keptBy = (table: TableName, lookup: string, column: string): KeptLookup => ({
  lookup,
  isKept: () => true,
  of: (row) => [row[column]] as Want['values'],
  ofKey: (key) => [key[keyOf(table).indexOf(column)]!],
});
/**
 * Look-ups that every message asks, and whose answer is nearly always "nothing": what its author has asked for here that
 * is still open, which agents have them blocked, who was asked to leave here, and whose request here still grows.
 */
const keptLookups: Partial<Record<TableName, KeptLookup>> = {
  tasks: {
    lookup: 'here',
    isKept: (values) => values[2] === 1,
    movedBy: ['conversation_id', 'requester_id'],
    of: (row) => [row['conversation_id'], row['requester_id'], 1] as Want['values'],
    // Tasks are never deleted.
    ofKey: () => undefined,
  },
  compositions: keptBy('compositions', 'conversation', 'conversation_id'),
  agent_blocks: keptBy('agent_blocks', 'member', 'member_id'),
  leaves: keptBy('leaves', 'conversation', 'conversation_id'),
};
const maxLookups = 10_000;

export class RowCache {
  private readonly tables = new Map<TableName, ByValues<AnyRow[]>>(cachedTables.map((table) => [table, new ByValues()]));
  private readonly lookups = new Map((Object.keys(keptLookups) as TableName[]).map((table) => [table, new ByValues<AnyRow[]>()]));
  /** The version of the database when the rows were read. */
  version: number | undefined;

  /** The rows that the want would find; undefined if the cache does not know. */
  get(want: Want): AnyRow[] | undefined {
    if (want.lookup !== undefined) return isKept(want) ? this.lookups.get(want.table)!.get(want.values) : undefined;
    return this.tables.get(want.table)?.get(want.values);
  }

  /** Takes what was loaded; that a row is not there is remembered of few tables. */
  put(want: Want, found: AnyRow[]): void {
    if (isKept(want)) {
      const answers = this.lookups.get(want.table)!;
      if (answers.size >= maxLookups) answers.clear();
      answers.set(want.values, found);
      return;
    }
    const rows = this.tables.get(want.table);
    if (!rows || want.lookup !== undefined || (found.length === 0 && !absentToo.has(want.table))) return;
    if (rows.size >= maxRowsPerTable) rows.clear();
    rows.set(want.values, found);
  }

  /** False: someone else has written since the rows were read, and they were dropped. */
  stillTrue(version: number): boolean {
    if (version === this.version) return true;
    this.version = version;
    const empty = [...this.lookups.values(), ...this.tables.values()].every((known) => known.size === 0);
    this.clear();
    return empty;
  }

  clear(): void {
    for (const known of [...this.lookups.values(), ...this.tables.values()]) known.clear();
  }

  forget({ inserts, updates, deletes }: Changes): void {
    for (const changed of [inserts, updates])
      for (const { table, row } of changed) {
        const lookups = keptLookups[table];
        if (lookups) this.lookups.get(table)!.delete(lookups.of(row));
      }
    for (const { table, changed } of updates)
      if (keptLookups[table]?.movedBy?.some((column) => changed?.includes(column) ?? true)) this.lookups.get(table)!.clear();
    for (const { table, key } of deletes) {
      const values = keptLookups[table]?.ofKey(key);
      if (values) this.lookups.get(table)!.delete(values);
    }
    for (const { table, row } of updates) this.tables.get(table)?.delete(valuesIn(row, keyOf(table)));
    for (const { table, row } of inserts) if (absentToo.has(table)) this.tables.get(table)!.delete(valuesIn(row, keyOf(table)));
    for (const { table, key } of deletes) this.tables.get(table)?.delete(key);
  }
}

const valuesIn = (row: AnyRow, columns: readonly string[]) => columns.map((column) => row[column] as string | number);
const isKept = ({ table, lookup, values }: Want): boolean => {
  const lookups = keptLookups[table];
  return lookups !== undefined && lookups.lookup === lookup && lookups.isKept(values);
};
