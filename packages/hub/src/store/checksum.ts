// A keyed checksum over every stored row: a flipped bit, or a hand that edits the database without the key, is
// noticed when the row is read and by `parley verify`. It is not a secret-keeping device: rows stay readable.

import { createHash, createHmac, hash } from 'node:crypto';
import { CorruptRowError } from './port.ts';
import { type AnyRow, columnsOf, keyOf, type Rows, type TableName, tableNames } from './tables.ts';

export type Columns = Readonly<Record<string, readonly string[]>>;
export const currentColumns: Columns = Object.fromEntries(tableNames.map((table) => [table, columnsOf(table)]));

export type Summer = (table: TableName, row: AnyRow) => string;
/** The checksum of a row that is given as a list of values in the order of its columns. */
export type ListSummer = (table: TableName, values: readonly (string | number | null)[]) => string;

/** A block of SHA-256, and room after it for as long a row as most are. */
const block = 64;
const room = 16_384;

/**
 * HMAC-SHA-256, by its definition: the key, padded in one way, goes before the text and is summed; padded in another, before
 * that sum, and is summed again. The platform's own object for it costs more than both sums, and each message is summed four
 * times before it can be found.
 */
export function keyedSum(bytes: Uint8Array): (text: string) => string {
  const key = bytes.length > block ? createHash('sha256').update(bytes).digest() : bytes;
  const padded = (pad: number, size: number): Buffer => {
    const buffer = Buffer.alloc(size, pad);
    key.forEach((byte, i) => (buffer[i] = byte ^ pad));
    return buffer;
  };
  const inner = padded(0x36, block + room);
  const outer = padded(0x5c, block + 32);
  return (text) => {
    // A UTF-16 unit takes at most three bytes.
    if (text.length * 3 > room) return createHmac('sha256', bytes).update(text).digest('base64url');
    const end = block + inner.write(text, block);
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), block, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}

export function listSummer(bytes: Uint8Array): ListSummer {
  const sum = keyedSum(bytes);
  // The table's name is part of it, so that a row cannot be passed off as one of another table.
  return (table, values) => sum(JSON.stringify([table, ...values])).slice(0, 32);
}

/** `columns` differs from those of today only for rows of an older backup, which were summed as they were then. */
export function summer(bytes: Uint8Array, columns: Columns = currentColumns): Summer {
  const sum = listSummer(bytes);
  return (table, row) =>
    sum(
      table,
      columns[table]!.map((column) => row[column] ?? null),
    );
}

/** Tells keys apart and nothing about them: two hubs on one database must have the same. */
export const fingerprint = (key: Uint8Array, what: 'checksum key' | 'secrets key' = 'checksum key'): string =>
  createHmac('sha256', key).update(`parley ${what}`).digest('hex').slice(0, 32);

const matches = (sum: Summer, table: TableName, row: AnyRow): boolean => sum(table, row) === row['sum'];

/** Returns the row without its checksum, or throws. */
export function verifyRow(sum: Summer, table: TableName, row: AnyRow): AnyRow {
  if (!matches(sum, table, row)) throw new CorruptRowError(table, keyText(table, row));
  return row;
}

/** Checks a row as the database returns it, with its checksum last. */
export function verifiedList(sum: ListSummer, table: TableName, stored: readonly (string | number | null)[]): void {
  if (sum(table, stored.slice(0, -1)) === stored.at(-1)) return;
  const key = keyOf(table).map((column) => stored[currentColumns[table]!.indexOf(column)]);
  throw new CorruptRowError(table, key.join('/'));
}

/** Parts rows that match their checksum from those that do not. */
export function splitDamaged<T extends TableName>(sum: Summer, table: T, found: AnyRow[]): { rows: Rows[T][]; damaged: CorruptRowError[] } {
  const good = (row: AnyRow): boolean => matches(sum, table, row);
  return {
    rows: found.filter(good) as unknown as Rows[T][],
    damaged: found.filter((row) => !good(row)).map((row) => new CorruptRowError(table, keyText(table, row))),
  };
}

export const keyText = (table: TableName, row: AnyRow): string =>
  keyOf(table)
    .map((column) => row[column])
    .join('/');
