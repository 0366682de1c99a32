// What makes a row right: its checksum, and for facts their place in the chain. Backup, restore and `verify` all ask here.

import { keyText, type Summer } from '../store/checksum.ts';
import type { AnyRow, TableName } from '../store/tables.ts';

export interface RowProblem {
  /** A table and key, a file, or the database itself. */
  where: string;
  what: string;
}

export class RowChecker {
  readonly counts: Record<string, number> = {};
  private readonly sum: Summer;
  private last = { seq: 0, sum: '' };

  constructor(sum: Summer) {
    this.sum = sum;
  }

  /** Rows of a table must come in key order. */
  check(table: TableName, row: AnyRow): RowProblem[] {
    this.counts[table] = (this.counts[table] ?? 0) + 1;
    const where = `${table} ${keyText(table, row)}`;
    const problems: RowProblem[] = [];
    if (this.sum(table, row) !== row['sum']) problems.push({ where, what: 'does not match its checksum' });
    if (table === 'facts') {
      const { seq, prev, sum } = row as { seq: number; prev: string; sum: string };
      const gap = seq - this.last.seq - 1;
      if (gap !== 0) problems.push({ where, what: `follows fact ${this.last.seq}: ${gap} missing in between` });
      else if (prev !== this.last.sum)
        problems.push({ where, what: 'does not continue the chain: the fact before it was changed or replaced' });
      // One break is one problem: what follows is measured against what is there.
      this.last = { seq, sum };
    }
    return problems;
  }

  /** The last fact's place in the stream. */
  get head(): number {
    return this.last.seq;
  }
}
