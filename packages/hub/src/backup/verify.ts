// Checks everything there is to check about a workspace, and goes on after the first problem: who has one wants to
// know how many.

import { summer } from '../store/checksum.ts';
import { CanceledError, type OnProgress } from '../progress.ts';
import type { Store } from '../store/port.ts';
import { type Reference, references } from '../store/reads/references.ts';
import { rowsIn } from '../store/table-sums.ts';
import { type TableName, tableNames } from '../store/tables.ts';
import { isWanted, type RowProblem, RowChecker } from './check.ts';
import type { Footer, Header, Signature } from './format.ts';
import { checkHead } from './chain-heads.ts';
import { openBackup, refuseForeign } from './read.ts';
import type { BackupSource } from './write.ts';

export interface VerifyReport {
  rows: Record<string, number>;
  head: number;
  blobs: number;
  problems: number;
  /** Whether heads.log knows the end of the chain. */
  endChecked: boolean;
}
type Tell = (problem: RowProblem) => void;

export async function verifyWorkspace(source: BackupSource, tell: Tell, onProgress?: OnProgress): Promise<VerifyReport> {
  const { store, key } = source;
  let problems = 0;
  const report: Tell = (problem) => {
    problems++;
    tell(problem);
  };
  for (const line of (await attempt(() => store.integrity(), 'the database file', report)) ?? [])
    report({ where: 'the database file', what: line });
  const checker = new RowChecker(summer(key));
  await store.snapshot(async (scan, head) => {
    const total = rowsIn(await attempt(head, 'the sums of the tables', () => {}));
    let done = 0;
    const checkTable = async (table: TableName): Promise<void> => {
      for await (const rows of scan(table)) {
        for (const row of rows) for (const problem of checker.check(table, row)) report(problem);
        done += rows.length;
        onProgress?.({ act: 'Checking rows', done, total, unit: 'row' });
      }
    };
    const unread = new Set<TableName>();
    for (const table of tableNames)
      if ((await attempt(() => checkTable(table).then(() => true), table, report)) === undefined) unread.add(table);
    const storedSums = await attempt(head, 'the sums of the tables', report);
    for (const problem of storedSums ? checker.checkSums(storedSums, key, unread) : []) report(problem);
  });
  for (const reference of references) await checkReference(store, reference, report);
  const { dataDir } = source;
  const ends = dataDir === undefined ? undefined : await attempt(() => checkHead(store, dataDir), 'heads.log', report);
  for (const problem of ends ?? []) report(problem);
  const { counts, contents, head: lastSeq } = checker;
  await checkBlobs(source, contents, report, onProgress);
  return { rows: counts, head: lastSeq, blobs: contents.size, problems, endChecked: ends !== undefined };
}

/** A file that is damaged where the database keeps its own order cannot be read past that; that is a problem to report, too. */
async function attempt<T>(work: () => Promise<T>, where: string, report: Tell): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CanceledError) throw error;
    report({ where, what: `cannot be read: ${(error as Error).message}` });
    return undefined;
  }
}

async function checkReference(store: Store, { kind, what, sql }: Reference, report: Tell): Promise<void> {
  const found = await attempt(() => store.all<{ id: string }>(sql), 'references', report);
  for (const { id } of found ?? []) report({ where: `${kind} ${id}`.trimStart(), what });
}

async function checkBlobs({ store, blobs }: BackupSource, contents: Set<string>, report: Tell, onProgress?: OnProgress): Promise<void> {
  for (const [done, sha256] of [...contents].sort().entries()) {
    onProgress?.({ act: 'Checking files', done, total: contents.size, unit: 'file' });
    if (await blobs.intact(sha256)) continue;
    // Erased since the rows were read: gone on purpose.
    if (await isWanted(store, sha256))
      report({ where: `file ${sha256}`, what: (await blobs.has(sha256)) ? 'is not what was uploaded' : 'is missing' });
  }
}

/** Reads a backup to its end, as a restore would; throws what a restore would. */
export async function verifyBackup(
  path: string,
  dataDir = '',
  onProgress?: OnProgress,
): Promise<Footer & { header: Header; signature: Signature }> {
  const backup = await openBackup(path, dataDir);
  refuseForeign(backup, path, dataDir);
  const entries = backup.entries((done, total) => onProgress?.({ act: 'Checking the backup', done, total, unit: 'byte' }));
  for (;;) {
    const next = await entries.next();
    if (next.done) return { ...next.value, header: backup.header, signature: backup.signature };
  }
}
