// Where the chain of facts stood, kept in the data folder beside the database: a tail that was cut off, or a database that
// was put back to an earlier state, leaves no gap in itself, but it no longer holds the fact that is written here.

import { appendFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { peersFolder, type DataDir } from '../data-dir.ts';
import { type Head, LostFactsError, type PlacedFact, type Statements, type Store } from '../store/port.ts';
import { headOf } from '../store/reads/schema.ts';
import { readColumns } from '../store/where.ts';
import type { RowProblem } from './check.ts';
import { operator } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ids } from '../engine/ids.ts';
import type { Clock } from '../clock.ts';

const headsPath = (dataDir: string): string => join(dataDir, 'heads.log');

interface KnownHead extends Head {
  sum: string;
}
/** A head, or a token that was revoked: a restore must not bring it back. Heads had no epoch at first. */
type Line = (Omit<KnownHead, 'epoch'> & { epoch?: string; at: number }) | { revoked: string };

/** While much happens a line is written this often; the last one when the hub stops. */
const everyMs = 1000;
const largest = 1_000_000;

interface KeeperParts {
  dataDir: string;
  now: () => number;
  onError: (error: unknown) => void;
  /** Go on with a database that ends earlier than it should. */
  acceptLoss?: boolean | undefined;
}

/** The last fact that is there, and the last one that was. */
export interface Loss {
  ends: number;
  known: number;
}

export class HeadKeeper {
  private readonly parts: KeeperParts;
  private readonly path: string;
  private store: Statements | undefined;
  private revoked: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private written: Head = { epoch: '', seq: 0 };
  /** The file is known to end with a line. */
  private isWhole = false;
  /** The last fact that this hub has seen committed. */
  private heard: Head | undefined;
  /** The facts that the database lacks, until somebody accepts the loss. */
  loss: Loss | undefined;

  constructor(parts: KeeperParts) {
    this.parts = parts;
    this.path = headsPath(parts.dataDir);
  }

  /** Throws where the database is not what this folder saw last; an accepted loss is noted instead. */
  async admit(database: Statements | undefined): Promise<void> {
    const { dataDir, acceptLoss } = this.parts;
    // Read before the database, because facts that arrive meanwhile may be newer than its answer.
    const { heard } = this;
    const head = database && (await headOf(database));
    if (!database || !head || head.seq === 0) {
      await refuseRemains(dataDir);
      return;
    }
    if (heard && heard.epoch !== head.epoch)
      throw new LostFactsError('The database was restored, or a loss in it was accepted, while this hub ran. Start the hub again.');
    const compared = await compareHead(database, dataDir, head);
    const knownSeq = Math.max(heard?.seq ?? 0, compared?.known ?? 0);
    const problem = compared?.problem ?? (head.seq < knownSeq ? `was committed and is not there: ${cutOff}` : undefined);
    if (problem === undefined) return;
    const gap = { ends: head.seq, known: knownSeq };
    if (acceptLoss && !heard) this.loss = gap;
    else throw new LostFactsError(lossText(gap, problem));
  }

  /** Heads of this database are kept from now on; the loss is settled. */
  async follow(store: Statements): Promise<void> {
    this.store = store;
    this.loss = undefined;
    const { epoch } = await headOf(store);
    const heads = headsIn(await linesIn(this.path), epoch);
    if (heads.at(-1)?.epoch === epoch) this.written = heads.at(-1)!;
    else this.write();
    await this.writing;
  }

  hear(facts: readonly PlacedFact[]): void {
    for (const fact of facts) if (fact.type === 'token.revoked' && fact.subject_id !== null) this.revoked.push(fact.subject_id);
    this.heard = facts.at(-1) ?? this.heard;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.write();
    }, everyMs).unref();
  }

  private write(): void {
    this.writing = this.writing.then(() => this.append()).catch(this.parts.onError);
  }

  private async append(): Promise<void> {
    const { epoch } = await headOf(this.store!);
    const [head] = await readColumns(this.store!, 'facts', ['seq', 'sum'], {}, { order: 'seq desc', limit: 1 });
    const revoked = [...this.revoked];
    const lines: Line[] = revoked.map((id) => ({ revoked: id }));
    if (head && (head.seq > this.written.seq || epoch !== this.written.epoch)) lines.push({ ...head, epoch, at: this.parts.now() });
    if (lines.length === 0) return;
    // A line that was cut off takes none of these with it.
    const start = this.isWhole ? '' : '\n';
    this.isWhole = false;
    await appendFile(this.path, start + textOf(lines), { mode: 0o600, flush: true });
    this.isWhole = true;
    this.revoked.splice(0, revoked.length);
    if (head) this.written = { epoch, seq: head.seq };
    if ((await stat(this.path)).size > largest) await shorten(this.path);
  }

  /** Must run before the store closes. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    if (this.store) this.write();
    await this.writing;
  }
}

const cutOff = 'later facts were cut off, or an older database was put back';

const lossText = ({ ends, known }: Loss, problem: string): string =>
  `The database ends at fact ${ends}. Fact ${known} ${problem}. Either move the database out of the way (parley.db, parley.db-wal and parley.db-shm; on PostgreSQL choose an empty one) and restore a backup into this folder with \`parley restore <file>\`, or go on without the lost facts: \`parley up --accept-loss\`.`;

/** Throws where a hub ran in this folder. Without a database it is no new one. */
export async function refuseRemains(dataDir: string): Promise<void> {
  const remains = await remainsIn(dataDir);
  if (remains === undefined) return;
  throw new LostFactsError(
    `There is no database of this hub any more, but ${dataDir} holds ${remains}, so it is no new hub. Put the database back, or move what is left of it (parley.db*) away and restore a backup into this folder with \`parley restore <file>\`. For a new hub choose another folder (PARLEY_DATA).`,
  );
}

/** Names what only a hub that ran leaves in its folder. Keys and files that people put there do not count. */
async function remainsIn(dataDir: string): Promise<string | undefined> {
  if ((await linesIn(headsPath(dataDir))).some((line) => 'seq' in line)) return 'a head of its facts in heads.log';
  const entries = (name: string, recursive = false) => readdir(join(dataDir, name), { withFileTypes: true, recursive }).catch(() => []);
  if ((await entries('blobs', true)).some((entry) => entry.isFile())) return 'attachments in blobs/';
  return (await entries(peersFolder)).some((entry) => entry.isDirectory()) ? 'people’s peers in peers/' : undefined;
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function linesIn(path: string): Promise<Line[]> {
  const log = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return log.split('\n').flatMap((text): Line[] => {
    try {
      const line = JSON.parse(text) as Line | null;
      return line !== null && typeof line === 'object' ? [line] : [];
    } catch {
      // The last line of a hub that was killed.
      return [];
    }
  });
}

const firstEpoch = (lines: readonly Line[]): string | undefined =>
  lines.flatMap((line) => ('seq' in line && line.epoch !== undefined ? [line.epoch] : []))[0];

/**
 * The largest head of each epoch, the epoch that was left last at the end. A line without one counts for the epoch that the
 * database had at the upgrade, which later lines name; before there are any it has it still.
 */
function headsIn(lines: readonly Line[], now: string): (KnownHead & { at: number })[] {
  const heads = lines.filter((line) => 'seq' in line);
  const unnamed = firstEpoch(lines) ?? now;
  const byEpoch = new Map<string, KnownHead & { at: number }>();
  for (const line of heads) {
    const head = { ...line, epoch: line.epoch ?? unnamed };
    const before = byEpoch.get(head.epoch);
    byEpoch.delete(head.epoch);
    byEpoch.set(head.epoch, before && before.seq > head.seq ? before : head);
  }
  return [...byEpoch.values()];
}

/** The largest head of an epoch says all that its earlier ones do; what was revoked stays. */
async function shorten(path: string): Promise<void> {
  const lines = await linesIn(path);
  await rewrite(path, [...lines.filter((line) => 'revoked' in line), ...headsIn(lines, '')]);
}

async function rewrite(path: string, lines: readonly Line[]): Promise<void> {
  await writeFile(`${path}.new`, textOf(lines), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** Tokens of which this folder knows that they were revoked. */
export async function revokedIn(dataDir: string): Promise<Set<string>> {
  return new Set((await linesIn(headsPath(dataDir))).flatMap((line) => ('revoked' in line ? [line.revoked] : [])));
}

/** Another epoch begins: heads that name none are of an earlier one from then on. `left`: the one that the database leaves, if known. */
export async function closeHeads(dataDir: string, left = ''): Promise<void> {
  const lines = await linesIn(headsPath(dataDir));
  const unnamed = (line: Line): boolean => 'seq' in line && line.epoch === undefined;
  const epoch = firstEpoch(lines) ?? left;
  if (lines.some(unnamed))
    await rewrite(
      headsPath(dataDir),
      lines.map((line) => (unnamed(line) ? { ...line, epoch } : line)),
    );
}

/** The head in heads.log for the database's epoch, and what is wrong with it; undefined if the file has none. */
async function compareHead(
  store: Statements,
  dataDir: string,
  { epoch }: Head,
): Promise<{ known: number; problem: string | undefined } | undefined> {
  const heads = headsIn(await linesIn(headsPath(dataDir)), epoch);
  const epochHead = heads.find((head) => head.epoch === epoch);
  if (!epochHead) return undefined;
  const [found] = await readColumns(store, 'facts', ['sum'], { seq: epochHead.seq });
  const problem = !found
    ? `is the last one of heads.log and is not there: ${cutOff}`
    : found.sum !== epochHead.sum
      ? 'is not the fact that heads.log names: the chain was replaced'
      : heads.at(-1) === epochHead
        ? undefined
        : 'is of an epoch that heads.log has left: an older database was put back';
  return { known: epochHead.seq, problem };
}

/** Whether the chain still contains the last head of this folder; undefined if the folder has none. */
export async function checkHead(store: Statements, dataDir: string): Promise<RowProblem[] | undefined> {
  const compared = await compareHead(store, dataDir, await headOf(store));
  return compared && (compared.problem === undefined ? [] : [{ where: `facts ${compared.known}`, what: compared.problem }]);
}

// Goes on with a database that lost facts, and does what a restore does: ways in that were closed stay closed, and a new epoch
// begins, since clients know the numbers that are given out again.

interface Parts {
  store: Store;
  engine: Engine;
  ids: Ids;
  clock: Clock;
  dataDir: DataDir;
}

export async function settleLoss(loss: Loss, { store, engine, ids, clock, dataDir }: Parts): Promise<void> {
  const revoked = await revokedIn(dataDir.path);
  const valid = await readColumns(store, 'tokens', ['id'], { revoked_at: null });
  const open = await readColumns(store, 'links', ['id'], { used_at: null, expires_at: { '>': clock.now() } });
  const tokens = valid.map(({ id }) => id).filter((id) => revoked.has(id));
  await engine.submit({ type: 'loss.accept', by: operator, ...loss, tokens, links: open.map(({ id }) => id) });
  await closeHeads(dataDir.path, (await headOf(store)).epoch);
  // Last: cut off before it, the next start finds the loss again.
  await store.newEpoch(ids.epoch());
}
