// Counts the rows of a transaction and of a read on their way into the store, for every caller; and copies rows, to make it grow.

import type { Changes, Store, TableName, Want } from '@parley/hub';
import type { AnyRow } from '../../src/store/tables.ts';
import { findsNothing } from '../../src/store/where.ts';

/** Look-ups and rows read, and rows written, by one transaction; or statements and rows of a read. */
export interface Cost {
  asked: number;
  rows: number;
  written?: number;
}

export class CountedStore {
  transactions: { facts: string[]; cost: Cost }[] = [];
  reads: Cost = { asked: 0, rows: 0 };

  constructor(store: Store) {
    const [begin, rows, all] = [store.begin.bind(store), store.rows.bind(store), store.all.bind(store)];
    // PostgreSQL's `rows` begins with its `all`, which is no second statement.
    let inRows = false;
    store.rows = async (table, ...query) => {
      // The store answers by itself where a list is empty.
      if (findsNothing(query)) return rows(table, ...query);
      inRows = true;
      const found = rows(table, ...query);
      inRows = false;
      return this.read(await found);
    };
    store.all = async <R>(sql: string, params?: unknown[]) => (inRows ? all<R>(sql, params) : this.read(await all<R>(sql, params)));
    store.begin = async (keys, wants, alone) => {
      const cost = { asked: wants.length, rows: 0, written: 0 };
      const add = (found: AnyRow[][]): void => void (cost.rows += found.flat().length);
      const { transaction, loaded } = await begin(keys, wants, alone);
      add(loaded.found);
      return {
        loaded,
        transaction: {
          rollback: () => transaction.rollback(),
          load: async (more: Want[]) => {
            const result = await transaction.load(more);
            cost.asked += more.length;
            add(result.found);
            return result;
          },
          commit: async (changes: Changes) => {
            const committed = await transaction.commit(changes);
            cost.written = committed.rowWrites;
            this.transactions.push({ facts: changes.facts.map(({ type }) => type), cost });
            return committed;
          },
        },
      };
    };
  }

  private read<R>(found: R[]): R[] {
    this.reads = { asked: this.reads.asked + 1, rows: this.reads.rows + found.length };
    return found;
  }
}

/** `many` copies of a row, as other people would have made them; with `seq` among the changes, each with its fact. */
export async function copyRow(
  store: Store,
  table: TableName,
  like: AnyRow | undefined,
  change: (n: number) => AnyRow,
  many = 1000,
): Promise<void> {
  if (!like) throw new Error(`There is no row of ${table} to copy.`);
  const inserts = Array.from({ length: many }, (__, n) => {
    const { sum: _, ...row } = { ...like, ...change(n) };
    return { table, row };
  });
  const [fact] = 'seq' in change(0) ? await store.rows('facts', { seq: like['seq'] as number }) : [];
  const { seq: _seq, epoch: _epoch, prev: _prev, sum: _sum, ...written } = (fact ?? {}) as AnyRow;
  const facts = fact ? inserts.map(({ row }) => ({ ...written, subject_id: row['id'] }) as unknown as Changes['facts'][number]) : [];
  const { transaction } = await store.begin([], []);
  await transaction.commit({ inserts, updates: [], deletes: [], facts });
}
