// Checks everything there is to check about a workspace, and goes on after the first problem: who has one wants to
// know how many.

import type { Blobs } from '../store/blobs.ts';
import { summer } from '../store/checksum.ts';
import type { Store } from '../store/port.ts';
import { type Reference, references } from '../store/reads/references.ts';
import { type AttachmentRow, type TableName, tableNames } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';
import { type RowProblem, RowChecker } from './check.ts';
import type { Footer, Header, Signature } from './format.ts';
import { checkHead } from './chain-heads.ts';
import { openBackup, refuseForeign } from './read.ts';
import type { BackupSource } from './write.ts';

export interface VerifyReport {
  rows: Record<string, number>;
  head: number;
  blobs: number;
  problems: number;
  /** Whether heads.log could say where the chain ended. */
  endChecked: boolean;
}
type Tell = (problem: RowProblem) => void;

export async function verifyWorkspace(source: BackupSource, tell: Tell): Promise<VerifyReport> {
  const { store, blobs, key } = source;
  let problems = 0;
  const report: Tell = (problem) => {
    problems++;
    tell(problem);
  };
  for (const line of (await attempt(() => store.integrity(), 'the database file', report)) ?? [])
    report({ where: 'the database file', what: line });
  const checker = new RowChecker(summer(key));
  const contents = new Set<string>();
  await store.snapshot(async (scan) => {
    const checkTable = async (table: TableName): Promise<void> => {
      for await (const rows of scan(table))
        for (const row of rows) {
          for (const problem of checker.check(table, row)) report(problem);
          if (table === 'attachments' && row['erased_at'] === null) contents.add((row as unknown as AttachmentRow).sha256);
        }
    };
    for (const table of tableNames) await attempt(() => checkTable(table), table, report);
  });
  for (const reference of references) await checkReference(store, reference, report);
  const { dataDir } = source;
  const ends = dataDir === undefined ? undefined : await attempt(() => checkHead(store, dataDir), 'heads.log', report);
  for (const problem of ends ?? []) report(problem);
  await checkBlobs(store, blobs, contents, report);
  const rows = Object.fromEntries(tableNames.map((table) => [table, checker.counts[table] ?? 0]));
  return { rows, head: checker.head, blobs: contents.size, problems, endChecked: ends !== undefined };
}

/** A file that is damaged where the database keeps its own order cannot be read past that; that is a problem to report, too. */
async function attempt<T>(work: () => Promise<T>, where: string, report: Tell): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    report({ where, what: `cannot be read: ${(error as Error).message}` });
    return undefined;
  }
}

async function checkReference(store: Store, { kind, what, sql }: Reference, report: Tell): Promise<void> {
  const found = await attempt(() => store.all<{ id: string }>(sql), 'references', report);
  for (const { id } of found ?? []) report({ where: `${kind} ${id}`.trimStart(), what });
}

async function checkBlobs(store: Store, blobs: Blobs, contents: Set<string>, report: Tell): Promise<void> {
  for (const sha256 of [...contents].sort()) {
    if (await blobs.intact(sha256)) continue;
    // Erased since the rows were read: gone on purpose.
    const wanted = await readColumns(store, 'attachments', ['id'], { sha256, erased_at: null }, { limit: 1 });
    if (wanted.length > 0) report({ where: `file ${sha256}`, what: (await blobs.has(sha256)) ? 'is not what was uploaded' : 'is missing' });
  }
}

/** Reads a backup to its end, as a restore would; throws what a restore would. */
export async function verifyBackup(path: string, dataDir = ''): Promise<Footer & { header: Header; signature: Signature }> {
  const backup = await openBackup(path, dataDir);
  refuseForeign(backup, path, dataDir);
  const entries = backup.entries();
  for (;;) {
    const next = await entries.next();
    if (next.done) return { ...next.value, header: backup.header, signature: backup.signature };
  }
}
