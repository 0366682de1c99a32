// Restores a backup into a place where there is nothing yet. Everything is read, proven and written where nobody looks;
// the last step makes it live, and is one step: a rename on SQLite, a commit on PostgreSQL.

import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { checksumFile, databaseFile, lockDataDir, makeFolders, openDataDir, peersFolder } from '../data-dir.ts';
import { Blobs, syncFolder } from '../store/blobs.ts';
import type { OnProgress } from '../progress.ts';
import { type Summer, summer } from '../store/checksum.ts';
import { schemaVersion } from '../store/migrations.ts';
import { NotEmptyError, type Store } from '../store/port.ts';
import type { PostgresOptions } from '../store/postgres/store.ts';
import { postgresSchema } from '../store/reads/schema.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import type { AnyRow, TableName } from '../store/tables.ts';
import { isThere, type DatabaseLocation } from './open-existing.ts';
import { BackupError, type Footer, type Header, type Signature } from './format.ts';
import { closeHeads, revokedIn } from './chain-heads.ts';
import { forgetRestoredPeers, keepRestoredPeer, makeRestoredFolder, restoredFolder, RestoredFiles } from './backed-up-files.ts';
import { forgetHeldFiles } from '../watched-files/watched-files.ts';
import { type Backup, LostBlobError, openBackup, refuseForeign } from './read.ts';
import type { Upgrade } from './upgrades.ts';

export interface RestoreOptions extends DatabaseLocation {
  path: string;
  /** The new epoch: cursors of before the restore must not resume on what comes after it. */
  epoch: string;
  upgrades?: readonly Upgrade[];
  /** Restore it although the key of this folder has not signed it. */
  unsigned?: boolean;
  now?: number;
  onProgress?: OnProgress | undefined;
}
export interface RestoreReport extends Footer {
  header: Header;
  epoch: string;
  signature: Signature;
  /** Sessions and tokens of people, agents and bridges, all of them, and source tokens that are known to be revoked since. */
  revoked: number;
  /** Source tokens that go on working. */
  sources: number;
  /** Files of the backup that are not where they were: another is there, or it could start programs that nobody vouches for. */
  aside: string[];
}

const elsewhere =
  'Restore into a new folder (PARLEY_DATA) or an empty database (PARLEY_DATABASE_URL), or move what is there out of the way first.';
const stagingPrefix = 'restore-';

export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const backup = await openBackup(options.path, options.dataDir, options.upgrades);
  const madeFolder = (await mkdir(options.dataDir, { recursive: true, mode: 0o700 })) !== undefined;
  const state = { live: false };
  try {
    const unlock = lockDataDir(options.dataDir);
    try {
      return await restoreUnder(options, backup, state);
    } finally {
      unlock();
    }
  } catch (error) {
    if (madeFolder && !state.live) await rm(options.dataDir, { recursive: true, force: true });
    throw error instanceof NotEmptyError
      ? new BackupError('occupied', `The database of PARLEY_DATABASE_URL is not empty. ${elsewhere}`)
      : error;
  }
}

async function restoreUnder(options: RestoreOptions, backup: Backup, state: { live: boolean }): Promise<RestoreReport> {
  const { dataDir, databaseUrl } = options;
  const keyPath = join(dataDir, checksumFile);
  const hadKey = await freeFor(options, backup.header);
  const hadPeers = await isThere(join(dataDir, restoredFolder));
  if (!options.unsigned) refuseForeign(backup, options.path, dataDir);
  for (const name of await readdir(dataDir)) if (name.startsWith(stagingPrefix)) await rm(join(dataDir, name), { recursive: true });
  const staging = await mkdtemp(join(dataDir, stagingPrefix));
  const staged = join(staging, databaseFile);
  const key = Buffer.from(backup.header.checksumKey, 'hex');
  const blobs = new Blobs(join(dataDir, 'blobs'));
  const added: string[] = [];
  const files = new RestoredFiles(dataDir, backup.signature === 'verified');
  let store: Store | undefined;
  try {
    if (!hadKey) await writeFile(keyPath, backup.header.checksumKey, { mode: 0o600, flag: 'wx', flush: true });
    store =
      databaseUrl === undefined
        ? await SqliteStore.open({ path: staged, key, clock: systemClock, epoch: options.epoch })
        : await openForRestore({ url: databaseUrl, key, epoch: options.epoch, restoring: true });
    await store.newEpoch(options.epoch);
    const { now = Date.now(), onProgress } = options;
    const content = new Content({ backup, blobs, files, added, dataDir, now, revoked: await revokedIn(dataDir), onProgress });
    await store.restore(content.rows());
    state.live = databaseUrl !== undefined;
    await store.close();
    store = undefined;
    if (!state.live) await rename(staged, join(dataDir, databaseFile));
    state.live = true;
    await syncFolder(dataDir);
    await rm(staging, { recursive: true });
    await closeHeads(dataDir);
    if (databaseUrl !== undefined) await makeRestoredFolder(dataDir);
    await forgetHeldFiles(dataDir);
    // The operator's key is this machine's own and is not in the backup.
    await makeFolders(await openDataDir(dataDir));
    const { revoked, sources } = content;
    const { header, signature } = backup;
    return { ...content.footer!, header, epoch: options.epoch, signature, revoked, sources, aside: files.aside };
  } catch (error) {
    await store?.close();
    if (state.live) throw error;
    for (const sha256 of added) await blobs.erase(sha256, () => Promise.resolve(false));
    if (!hadKey) await rm(keyPath, { force: true });
    // Peers of an earlier restore may still wait there for their hub.
    if (!hadPeers) await forgetRestoredPeers(dataDir);
    await files.takeBack();
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

async function openForRestore(options: PostgresOptions): Promise<Store> {
  const { PostgresStore } = await import('../store/postgres/store.ts');
  return PostgresStore.open(options);
}

interface ContentParts {
  backup: Backup;
  blobs: Blobs;
  files: RestoredFiles;
  /** Attachments that were not there before. */
  added: string[];
  dataDir: string;
  now: number;
  revoked: ReadonlySet<string>;
  onProgress: OnProgress | undefined;
}

/** The rows for the store; attachments go to their folder on the way. All of it is proven when the rows have ended. */
class Content {
  footer: Footer | undefined;
  private readonly parts: ContentParts;
  private readonly sum: Summer;
  revoked = 0;
  sources = 0;

  constructor(parts: ContentParts) {
    this.parts = parts;
    this.sum = summer(Buffer.from(parts.backup.header.checksumKey, 'hex'));
  }

  /** Revocations and uses after the backup are unknown, so nothing that grants access comes back valid. */
  private closed(table: TableName, row: AnyRow): AnyRow {
    const { now, revoked } = this.parts;
    const changed = (change: AnyRow): AnyRow => {
      const next = { ...row, ...change };
      return { ...next, sum: this.sum(table, next) };
    };
    if (table === 'links' && row['used_at'] === null && Number(row['expires_at']) > now) return changed({ expires_at: now });
    if (table !== 'tokens' || row['revoked_at'] !== null) return row;
    if (row['kind'] === 'source' && !revoked.has(String(row['id']))) {
      this.sources++;
      return row;
    }
    this.revoked++;
    return changed({ revoked_at: now });
  }

  async *rows(): AsyncGenerator<{ table: TableName; row: AnyRow }> {
    const { backup, blobs, files, dataDir, onProgress } = this.parts;
    const entries = backup.entries((done, total) => onProgress?.({ act: 'Restoring', done, total, unit: 'byte' }));
    for (;;) {
      const next = await entries.next();
      if (next.done) {
        this.footer = next.value;
        // The files come before the commit, so that a failure removes them again.
        await files.write();
        return;
      }
      const entry = next.value;
      if (entry.type === 'row') yield { table: entry.table, row: this.closed(entry.table, entry.row) };
      // A peer that is here is newer than the backup: an older copy of it would use keys twice.
      else if (entry.type === 'peer' && (await isThere(join(dataDir, peersFolder, entry.memberId)))) continue;
      else if (entry.type === 'peer') await keepRestoredPeer(dataDir, entry.memberId, entry.text);
      else if (entry.type === 'file') files.add(entry);
      else if (!(await blobs.intact(entry.sha256))) await this.keep(entry.sha256, entry.content);
    }
  }

  private async keep(sha256: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      const { release } = await this.parts.blobs.put(content, Number.MAX_SAFE_INTEGER);
      release();
      this.parts.added.push(sha256);
    } catch (error) {
      if (!(error instanceof LostBlobError)) throw error;
    }
  }
}

/** Refuses a place where there is something already. Returns whether it has the backup's key (from SQLite to PostgreSQL in one folder). */
async function freeFor({ dataDir, databaseUrl }: DatabaseLocation, header: Header): Promise<boolean> {
  if (databaseUrl === undefined)
    for (const ending of ['', '-wal', '-journal'])
      // A log that stayed behind would be read into the restored file.
      if (await isThere(join(dataDir, `${databaseFile}${ending}`)))
        throw new BackupError('occupied', `There is a database in ${dataDir} already: ${databaseFile}${ending}. ${elsewhere}`);
  // A database of another version is not ours to upgrade or fill. The locks tell whether one of our version is empty.
  const schema = databaseUrl === undefined ? undefined : await postgresSchema(databaseUrl);
  if (schema !== undefined && schema !== schemaVersion) throw new NotEmptyError();
  const key = await readFile(join(dataDir, checksumFile), 'utf8').catch(() => undefined);
  if (key !== undefined && key.trim() !== header.checksumKey) {
    throw new BackupError('occupied', `${dataDir} has the checksum key of another workspace. ${elsewhere}`);
  }
  return key !== undefined;
}
