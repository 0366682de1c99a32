// Takes a backup while the hub runs: all rows from one snapshot, then the attachments' bytes, into a file that gets
// its name only when it is whole and on disk.

import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Blobs, syncFolder } from '../store/blobs.ts';
import { summer } from '../store/checksum.ts';
import { schemaVersion } from '../store/migrations.ts';
import type { OnProgress } from '../progress.ts';
import type { Store } from '../store/port.ts';
import { storedColumns } from '../store/statements.ts';
import { rowsIn } from '../store/table-sums.ts';
import { tableNames } from '../store/tables.ts';
import { readColumns } from '../store/where.ts';
import { filesToBackUp } from './backed-up-files.ts';
import { checkHead } from './chain-heads.ts';
import { isWanted, RowChecker } from './check.ts';
import { BackupError, type Footer, formatVersion, type Header, type BackupLine, seal, signature } from './format.ts';

export interface BackupSource {
  store: Store;
  blobs: Blobs;
  key: Uint8Array;
  /** Signs the backup, and is not in it. */
  signingKey?: Uint8Array;
  /** The folder with the heads of the chain, and with the files that people keep for the hub. */
  dataDir?: string;
}
export interface BackupOptions {
  path: string;
  now: number;
  /** Replace a file that is there already. */
  replace?: boolean;
  /** The peer of a member, as the service of the peers backs it up; undefined: there is none. Left out: no peer is saved. */
  peerOf?: (memberId: string) => Promise<string | undefined>;
  onProgress?: OnProgress | undefined;
}
export interface BackedUp extends Footer {
  path: string;
  bytes: number;
}

type Put = (lines: BackupLine[]) => Promise<void>;
const textOf = (lines: readonly unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export async function writeBackup(source: BackupSource, options: BackupOptions): Promise<BackedUp> {
  const path = resolve(options.path);
  await refuseBadPlace(path, options.replace ?? false);
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  // Only the owner may read it: it has private conversations and the checksum key.
  const file = await open(temporary, 'wx', 0o600);
  try {
    const { epoch } = await source.store.head();
    const header: Header = {
      parley: 'backup',
      version: formatVersion,
      schema: schemaVersion,
      engine: source.store.engine,
      epoch,
      createdAt: options.now,
      checksumKey: Buffer.from(source.key).toString('hex'),
    };
    const { footer, bytes } = await compressed(file, header, source.signingKey, (put) => writeContent(source, put, options));
    await file.sync();
    await file.close();
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return { ...footer, path, bytes };
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

async function refuseBadPlace(path: string, replace: boolean): Promise<void> {
  const kindOf = async (place: string) => {
    const found = await stat(place).catch(() => undefined);
    return found && (found.isDirectory() ? 'folder' : 'file');
  };
  const kind = await kindOf(path);
  if (kind === 'folder') throw new BackupError('occupied', `${path} is a folder.`);
  if (kind === 'file' && !replace) throw new BackupError('occupied', `${path} is there already.`);
  if ((await kindOf(dirname(path))) !== 'folder') throw new BackupError('nothing_there', `There is no folder ${dirname(path)}.`);
}

async function compressed(
  file: FileHandle,
  header: Header,
  signingKey: Uint8Array | undefined,
  fill: (put: Put) => Promise<Footer>,
): Promise<{ footer: Footer; bytes: number }> {
  const gzip = createGzip();
  const hash = createHash('sha256');
  let bytes = 0;
  const tap = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const stored = pipeline(gzip, tap, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await file.appendFile(chunk);
  });
  stored.catch(() => {}); // It is awaited at the end; until then a failure must not count as unhandled.
  const write = async (text: string): Promise<void> => {
    // A full disk ends the pipeline, not the write: a writer that waits for room must learn of it.
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), stored]);
  };
  try {
    await write(textOf([header]));
    const footer = await fill((lines) => write(textOf(lines)));
    gzip.end(textOf([{ end: footer }]));
    await stored;
    const sealed = seal(hash.digest('hex'));
    const closing = signingKey === undefined ? sealed : Buffer.concat([sealed, signature(signingKey, sealed)]);
    await file.appendFile(closing);
    return { footer, bytes: bytes + closing.length };
  } catch (error) {
    gzip.destroy();
    await stored.catch(() => {});
    throw error;
  }
}

async function writeContent(
  { store, blobs, key, dataDir }: BackupSource,
  put: Put,
  { peerOf, onProgress }: BackupOptions,
): Promise<Footer> {
  const checker = new RowChecker(summer(key));
  const altered = await store.snapshot(async (scan, head) => {
    const total = rowsIn(await head());
    let done = 0;
    for (const table of tableNames) {
      const columns = storedColumns(table);
      for await (const rows of scan(table)) {
        for (const row of rows) {
          // A backup of a broken row could not be restored: better to hear of it now, while older backups exist.
          const [problem] = checker.check(table, row);
          if (problem) throw new BackupError('damaged', `${problem.where} ${problem.what}. No backup was made: it could not be restored.`);
        }
        await put(rows.map((row) => ({ t: table, r: Object.fromEntries(columns.map((column) => [column, row[column] ?? null])) })));
        done += rows.length;
        onProgress?.({ act: 'Saving rows', done, total, unit: 'row' });
      }
    }
    const ends = dataDir === undefined ? undefined : await checkHead(store, dataDir);
    return [...(ends ?? []), ...checker.checkSums(await head(), key)].map(({ where, what }) => `${where} ${what}`);
  });
  const { contents, counts: rows, head } = checker;
  // The snapshot is released first: a long read would keep the database from trimming its log.
  const missing: string[] = [];
  for (const [done, sha256] of [...contents].sort().entries()) {
    onProgress?.({ act: 'Saving files', done, total: contents.size, unit: 'file' });
    if (!(await writeBlob(blobs, sha256, put))) missing.push(sha256);
  }
  const saved = peerOf ? await writePeers(store, put, peerOf, onProgress) : { peers: 0, lostPeers: [] };
  const files = dataDir === undefined ? [] : await writeFiles(dataDir, put);
  const missed = altered.length > 0 ? { altered } : {};
  const stillLost = await stillWanted(store, missing);
  return { rows, head, blobs: contents.size - missing.length, lost: stillLost, ...saved, files, ...missed };
}

async function writeFiles(dataDir: string, put: Put): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, text } of filesToBackUp(dataDir)) {
    await put([{ f: name, d: text }]);
    names.push(name);
  }
  return names;
}

/** A peer that cannot be read is reported; the rest is saved all the same. */
async function writePeers(store: Store, put: Put, peerOf: NonNullable<BackupOptions['peerOf']>, onProgress?: OnProgress) {
  let peers = 0;
  const lostPeers: string[] = [];
  const members = await readColumns(store, 'peers', ['member_id'], {});
  for (const [done, { member_id }] of members.entries()) {
    onProgress?.({ act: 'Saving peers', done, total: members.length, unit: 'peer' });
    let text: string | undefined;
    try {
      text = await peerOf(member_id);
    } catch {
      lostPeers.push(member_id);
    }
    if (text === undefined) {
      // Its folder is another hub's, unless the person was erased meanwhile.
      if ((await readColumns(store, 'peers', ['member_id'], { member_id })).length > 0 && !lostPeers.includes(member_id))
        lostPeers.push(member_id);
      continue;
    }
    await put([{ p: member_id, d: text }]);
    peers++;
  }
  return { peers, lostPeers };
}

async function writeBlob(blobs: Blobs, sha256: string, put: Put): Promise<boolean> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of blobs.read(sha256) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      await put([{ b: sha256, d: chunk.toString('base64') }]);
    }
  } catch (error) {
    // A file that is gone or cannot be read is reported; the rest is saved all the same.
    if (!['open', 'read'].includes((error as NodeJS.ErrnoException).syscall ?? '')) throw error;
  }
  const whole = hash.digest('hex') === sha256;
  await put([whole ? { b: sha256, size } : { b: sha256, lost: true }]);
  return whole;
}

/** Rows that were erased while the backup ran are missing on purpose, so they are not reported. */
async function stillWanted(store: Store, lost: string[]): Promise<string[]> {
  const wanted: string[] = [];
  for (const sha256 of lost) if (await isWanted(store, sha256)) wanted.push(sha256);
  return wanted;
}
