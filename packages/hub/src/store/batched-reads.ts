// Reads that many ask for in the same moment, each of something else, made as one: telling an agent of a thousand tasks
// asks the same dozen questions for each of them, and a question by itself costs more than its answer.

import { CorruptRowError, type Reader } from './port.ts';
import type { AnyRow, Rows, TableName } from './tables.ts';
import { findsNothing, type Query, type QueryTail, tailOf } from './where.ts';

interface Asked {
  values: readonly string[];
  resolve: (rows: AnyRow[]) => void;
  reject: (error: unknown) => void;
  /** Repeats one read alone after the combined one failed. */
  alone: () => Promise<AnyRow[]>;
}
interface Batch {
  column: string;
  asked: Asked[];
  read: (values: string[]) => Promise<AnyRow[]>;
}

/** A question by one column, whatever else it asks for; one for a few of many rows cannot be asked for several at once. */
const form = /^where (\w+) (?:= \?|in \{list\})(?!.*\blimit\b)/s;

export class BatchedReads implements Reader {
  private readonly reader: Reader;
  private readonly batches = new Map<string, Batch>();

  constructor(reader: Reader) {
    this.reader = reader;
  }

  rows<T extends TableName>(table: T, ...query: Query<T>): Promise<Rows[T][]> {
    if (findsNothing(query)) return Promise.resolve([]);
    return this.gather(table, tailOf(query), async (...of) => (await this.reader.rows(table, ...of)) as unknown as AnyRow[]);
  }

  all<R = AnyRow>(sql: string, params?: unknown[]): Promise<R[]> {
    return this.reader.all<R>(sql, params);
  }

  private gather<R>(
    table: TableName,
    { tail, params: [key, ...params] }: QueryTail,
    read: (tail: string, params: unknown[]) => Promise<AnyRow[]>,
  ): Promise<R[]> {
    const values = typeof key === 'string' ? [key] : key;
    const column = form.exec(tail)?.[1];
    const alone = () => read(tail, [key, ...params]);
    if (column === undefined || !Array.isArray(values)) return alone() as Promise<R[]>;
    const id = JSON.stringify([table, tail.replace(form, ''), column, params]);
    let batch = this.batches.get(id);
    if (!batch) {
      const together = tail.replace(form, `where ${column} in {list}`);
      this.batches.set(id, (batch = { column, asked: [], read: (all) => read(together, [all, ...params]) }));
      // `setImmediate` runs after every caller of this moment has added its read.
      if (this.batches.size === 1) setImmediate(() => this.readAll());
    }
    const { asked } = batch;
    return new Promise((resolve, reject) =>
      asked.push({ values: values as string[], resolve: resolve as (rows: AnyRow[]) => void, reject, alone }),
    );
  }

  private readAll(): void {
    const batches = [...this.batches.values()];
    this.batches.clear();
    for (const batch of batches) void readBatch(batch);
  }
}

async function readBatch({ column, asked, read }: Batch): Promise<void> {
  try {
    const rows = await read([...new Set(asked.flatMap(({ values }) => values))]);
    const byValue = Map.groupBy(rows, (row) => row[column]);
    for (const { values, resolve } of asked)
      resolve(values.length === 1 ? (byValue.get(values[0]) ?? []) : rows.filter((row) => values.includes(row[column] as string)));
  } catch (error) {
    // A damaged row concerns only the reader that asked for it.
    for (const { alone, resolve, reject } of asked)
      if (error instanceof CorruptRowError) alone().then(resolve, reject);
      else reject(error);
  }
}
