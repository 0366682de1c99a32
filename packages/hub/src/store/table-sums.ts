// One sum over the checksums of all rows of a table, and their number, kept in the transaction that writes the rows: a row
// that was taken out, put in or put back to an earlier version changes the sum, and the database's own checks see none of it.
//
// The checksums are added modulo 2^192. They are keyed, so nobody without the key makes one for a row of their own; what is
// left is to choose among rows that were stored once. Under XOR, 193 of those cancel out by plain linear algebra; under
// addition it is a subset sum of 192 bits. Rows have unique keys, so that none counts twice.
//
// All sums stand in one row under one keyed sum: somebody who puts back an old one, to hide old rows of one table, would have
// to put back all tables, and then the chain of facts ends before the head that heads.log names. The epoch stands with them.

import { keyedSum } from './checksum.ts';
import type { SnapshotHead } from './port.ts';
import type { TableName } from './tables.ts';

export interface StoredSums {
  sums: string;
  mac: string;
}
/** `rows` of a table, and the sum of their checksums. */
export type Total = readonly [rows: number, sum: string];
export interface Sums {
  epoch: string;
  tables: { readonly [T in TableName]?: Total };
}

const bytes = 24;
const limbs = bytes / 4;
const limit = 2 ** 32;
/** Up to here limbs add up exactly. */
const exact = 2 ** 20;

const buffer = Buffer.alloc(bytes);
/** A checksum that is none counts as zero: its row is reported anyway. */
function decode(sum: string): void {
  if (buffer.write(sum, 'base64url') !== bytes) buffer.fill(0);
}

/** A number modulo 2^192, lowest limb first: as whole numbers they would cost each row a large integer or two. */
class Sum {
  private readonly parts = new Float64Array(limbs);
  private pending = 0;
  rows = 0;

  add(sum: string, sign: 1 | -1): void {
    decode(sum);
    for (let i = 0; i < limbs; i++) this.parts[i]! += sign * buffer.readUInt32LE(4 * i);
    this.rows += sign;
    if (++this.pending > exact) this.carry();
  }

  private carry(): void {
    let over = 0;
    for (let i = 0; i < limbs; i++) {
      const value = this.parts[i]! + over;
      over = Math.floor(value / limit);
      this.parts[i] = value - over * limit;
    }
    this.pending = 0;
  }

  plus([rows, sum]: Total): Total {
    this.add(sum, 1);
    this.rows += rows - 1;
    this.carry();
    this.parts.forEach((part, i) => buffer.writeUInt32LE(part, 4 * i));
    return [this.rows, buffer.toString('base64url')];
  }
}

const zero: Total = [0, Buffer.alloc(bytes).toString('base64url')];

/** The checksums that a group, a restore or a scan adds and removes. */
export class SumChanges {
  private readonly tables = new Map<TableName, Sum>();

  add(table: TableName, sum: string): void {
    this.of(table).add(sum, 1);
  }
  take(table: TableName, sum: string): void {
    this.of(table).add(sum, -1);
  }
  get isEmpty(): boolean {
    return this.tables.size === 0;
  }

  private of(table: TableName): Sum {
    let sum = this.tables.get(table);
    if (!sum) this.tables.set(table, (sum = new Sum()));
    return sum;
  }

  /** Once: what was added is part of the answer from then on. */
  appliedTo(before: Sums['tables']): Sums['tables'] {
    const next: { [T in TableName]?: Total } = { ...before };
    for (const [table, sum] of this.tables) next[table] = sum.plus(before[table] ?? zero);
    return next;
  }
}

// A line per table and not JSON: so that all of it fits into one page of SQLite.
const textOf = ({ epoch, tables }: Sums): string =>
  [epoch, ...Object.entries(tables).map(([table, [rows, sum]]) => `${table} ${rows} ${sum}`)].join('\n');
function parse(text: string): Sums {
  const [epoch, ...lines] = text.split('\n');
  const fields = lines.map((line) => line.split(' ') as [TableName, string, string]);
  return { epoch: epoch!, tables: Object.fromEntries(fields.map(([table, rows, sum]) => [table, [Number(rows), sum]])) };
}

/** The row, beside the epoch that holds now. */
export const readHead = `select coalesce((select value from meta where key = 'epoch'), '') as epoch,
  (select sums from table_sums) as sums, (select mac from table_sums) as mac`;
export interface HeadRow {
  epoch: string;
  sums: string | null;
  mac: string | null;
}
export const storedHead = ({ epoch, sums, mac }: HeadRow): SnapshotHead => ({
  epoch,
  sums: sums === null || mac === null ? undefined : { sums, mac },
});

export const totalOf = (sums: Sums, table: TableName): Total => sums.tables[table] ?? zero;

/** The number of rows by the unverified sums, which is enough to show the progress of a scan. */
export const rowsIn = (head: SnapshotHead | undefined): number =>
  head?.sums ? Object.values(parse(head.sums.sums).tables).reduce((all, [rows]) => all + rows, 0) : 0;

/** Reads and writes the row of sums. */
export class SumBook {
  private readonly sign: (text: string) => string;
  /** The sums that this object last wrote or read; usually the next group finds the same. */
  private last: { stored: StoredSums; sums: Sums } | undefined;

  constructor(key: Uint8Array) {
    const sum = keyedSum(key);
    // No row begins with this text, so that no row's checksum can pass for the sums.
    this.sign = (text) => sum(`table sums ${text}`);
  }

  /** Undefined: it was not written by who has the key. */
  read(stored: StoredSums | undefined): Sums | undefined {
    if (!stored) return undefined;
    if (this.last?.stored.mac === stored.mac && this.last.stored.sums === stored.sums) return this.last.sums;
    if (this.sign(stored.sums) !== stored.mac) return undefined;
    const sums = parse(stored.sums);
    this.last = { stored, sums };
    return sums;
  }

  write(sums: Sums): StoredSums {
    const text = textOf(sums);
    const stored = { sums: text, mac: this.sign(text) };
    this.last = { stored, sums };
    return stored;
  }

  /**
   * The sums after the changes. Undefined: those there are not right, and stay, since new ones over them would hide what
   * was done; `verify` reports them.
   */
  changed(stored: StoredSums | undefined, changes: SumChanges): StoredSums | undefined {
    const before = this.read(stored);
    return before && this.write({ epoch: before.epoch, tables: changes.appliedTo(before.tables) });
  }

  renamed(stored: StoredSums | undefined, epoch: string): StoredSums | undefined {
    const before = this.read(stored);
    return before && this.write({ epoch, tables: before.tables });
  }
}
