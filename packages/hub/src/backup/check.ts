// The checks of one row: its checksum, and for facts their place in the chain. Backup, restore and `verify` share them.

import { keyText, type Summer } from '../store/checksum.ts';
import type { SnapshotHead, Store } from '../store/port.ts';
import { type Sums, SumBook, SumChanges, totalOf } from '../store/table-sums.ts';
import { type AnyRow, type TableName, tableNames } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';

/** Whether a stored attachment has this content. */
export async function isWanted(store: Store, sha256: string): Promise<boolean> {
  return (await readColumns(store, 'attachments', ['id'], { sha256, erased_at: null }, { limit: 1 })).length > 0;
}

export interface RowProblem {
  /** A table and key, a file, or the database itself. */
  where: string;
  what: string;
}

export class RowChecker {
  readonly counts: Record<string, number> = Object.fromEntries(tableNames.map((table) => [table, 0]));
  /** Hashes of the attachments that are kept. */
  readonly contents = new Set<string>();
  private readonly sum: Summer;
  private readonly scanned = new SumChanges();
  private last = { seq: 0, sum: '' };

  constructor(sum: Summer) {
    this.sum = sum;
  }

  /** Rows of a table must come in key order. */
  check(table: TableName, row: AnyRow): RowProblem[] {
    this.counts[table] = (this.counts[table] ?? 0) + 1;
    if (table === 'attachments' && row['erased_at'] === null) this.contents.add(String(row['sha256']));
    const where = `${table} ${keyText(table, row)}`;
    const problems: RowProblem[] = [];
    if (this.sum(table, row) !== row['sum']) problems.push({ where, what: 'does not match its checksum' });
    if (typeof row['sum'] === 'string') this.scanned.add(table, row['sum']);
    if (table === 'facts') {
      const { seq, prev, sum } = row as { seq: number; prev: string; sum: string };
      const gap = seq - this.last.seq - 1;
      if (gap !== 0) problems.push({ where, what: `follows fact ${this.last.seq}: ${gap} missing in between` });
      else if (prev !== this.last.sum)
        problems.push({ where, what: 'does not continue the chain: the fact before it was changed or replaced' });
      // A break in the chain is reported once: the next fact is compared with the stored one.
      this.last = { seq, sum };
    }
    return problems;
  }

  /** After all rows, compares them with the stored sums. `unread` names tables that could not be read to their end. */
  checkSums({ epoch, sums: stored }: SnapshotHead, key: Uint8Array, unread: ReadonlySet<TableName> = new Set()): RowProblem[] {
    const storedSums = new SumBook(key).read(stored);
    if (!storedSums) return [{ where: 'the sums of the tables', what: stored ? 'do not match their checksum' : 'are not there' }];
    const found: Sums = { epoch, tables: this.scanned.appliedTo({}) };
    const problems = tableNames.flatMap((table): RowProblem[] => {
      const [[rows, sum], [keptRows, keptSum]] = [totalOf(found, table), totalOf(storedSums, table)];
      if (unread.has(table) || (rows === keptRows && sum === keptSum)) return [];
      return [{ where: table, what: differs(rows, keptRows) }];
    });
    if (storedSums.epoch !== epoch)
      problems.push({ where: 'the stream epoch', what: `is '${epoch}', and was '${storedSums.epoch}' when the last change was stored` });
    return problems;
  }

  /** The last fact's place in the stream. */
  get head(): number {
    return this.last.seq;
  }
}

function differs(rows: number, kept: number): string {
  const has = `has ${rows} row${rows === 1 ? '' : 's'}`;
  if (rows === kept) return `${has}, as many as were stored, but not all as they were stored last: an earlier version was put back`;
  const number = Math.abs(rows - kept);
  return `${has}, and ${kept} were stored: ${number} ${number === 1 ? 'was' : 'were'} ${rows < kept ? 'removed' : 'put in'}`;
}
