// Where the chain of facts stood, kept in the data folder beside the database: a tail that was cut off, or a database that
// was put back to an earlier state, leaves no gap in itself, but it no longer holds the fact that is written here.

import { appendFile, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlacedFact, Reader } from '../store/port.ts';
import { readColumns } from '../store/where.ts';
import type { RowProblem } from './check.ts';

const headsPath = (dataDir: string): string => join(dataDir, 'heads.log');

interface Head {
  seq: number;
  sum: string;
}
/** A head, or a token that was revoked: a restore must not bring it back. */
type Line = (Head & { at: number }) | { revoked: string };

/** While much happens a line is written this often; the last one when the hub stops. */
const everyMs = 1000;
const largest = 1_000_000;

export class HeadKeeper {
  private readonly store: Reader;
  private readonly path: string;
  private readonly now: () => number;
  private readonly onError: (error: unknown) => void;
  private revoked: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private written = 0;

  constructor(parts: { store: Reader; dataDir: string; now: () => number; onError: (error: unknown) => void }) {
    this.store = parts.store;
    this.path = headsPath(parts.dataDir);
    this.now = parts.now;
    this.onError = parts.onError;
  }

  hear(facts: readonly PlacedFact[]): void {
    for (const fact of facts) if (fact.type === 'token.revoked' && fact.subject_id !== null) this.revoked.push(fact.subject_id);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.write();
    }, everyMs).unref();
  }

  private write(): void {
    this.writing = this.writing.then(() => this.append()).catch(this.onError);
  }

  private async append(): Promise<void> {
    const [head] = await readColumns(this.store, 'facts', ['seq', 'sum'], {}, { order: 'seq desc', limit: 1 });
    const lines: Line[] = this.revoked.splice(0).map((revoked) => ({ revoked }));
    if (head && head.seq > this.written) lines.push({ ...head, at: this.now() });
    if (lines.length === 0) return;
    await appendFile(this.path, textOf(lines), { mode: 0o600, flush: true });
    this.written = head?.seq ?? this.written;
    if ((await stat(this.path)).size > largest) await shorten(this.path);
  }

  /** Before the store is closed. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.write();
    await this.writing;
  }
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function linesIn(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line): Line[] => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line];
    } catch {
      // The last line of a hub that was killed.
      return [];
    }
  });
}

/** The last head says all that earlier ones do; what was revoked stays. */
async function shorten(path: string): Promise<void> {
  const lines = await linesIn(path);
  const kept = [...lines.filter((line) => 'revoked' in line), ...lines.filter((line) => 'seq' in line).slice(-1)];
  await writeFile(`${path}.new`, textOf(kept), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** Tokens of which this folder knows that they were revoked. */
export async function revokedIn(dataDir: string): Promise<Set<string>> {
  return new Set((await linesIn(headsPath(dataDir))).flatMap((line) => ('revoked' in line ? [line.revoked] : [])));
}

/** A restore begins another chain: its heads are kept from then on. */
export async function forgetHeads(dataDir: string): Promise<void> {
  const revoked = (await linesIn(headsPath(dataDir))).filter((line) => 'revoked' in line);
  if (revoked.length > 0) await writeFile(headsPath(dataDir), textOf(revoked), { mode: 0o600, flush: true });
}

/** Whether the chain still holds the last head that was kept; undefined: none was kept here. */
export async function checkHead(store: Reader, dataDir: string): Promise<RowProblem[] | undefined> {
  const last = (await linesIn(headsPath(dataDir))).findLast((line) => 'seq' in line);
  if (!last) return undefined;
  const [fact] = await readColumns(store, 'facts', ['sum'], { seq: last.seq });
  const where = `facts ${last.seq}`;
  if (!fact)
    return [{ where, what: 'is the last one of heads.log and is not there: later facts were cut off, or an older database was put back' }];
  return fact.sum === last.sum ? [] : [{ where, what: 'is not the fact that heads.log names: the chain was replaced' }];
}
