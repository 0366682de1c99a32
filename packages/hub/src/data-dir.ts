// The folder a hub keeps its things in: database, attachments, four keys, secrets, agents, and a lock so that two hubs never share it.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, existsSync, openSync, type Stats } from 'node:fs';
import { access, constants, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asFileError, isSqliteBusy } from '@parley/protocol/sqlite-fault';
import { syncFolder } from './store/blobs.ts';

export interface DataDir {
  path: string;
  databasePath: string;
  blobsPath: string;
  /** Keys the checksums of stored rows. With it and the database anyone can forge history; losing it makes `verify` fail. */
  checksumKey: Uint8Array;
  /** Lets this machine's command line act as operator. */
  operatorKey: string;
  /** Seals the secrets in the database. In no backup: without it they have to be set again. */
  sealingKey: Uint8Array;
  /** Signs backups. It is in no backup, so that a backup is no licence to sign another. */
  backupKey: Uint8Array;
  /** Files that hold a secret each. */
  secretsPath: string;
  /** A folder for each agent that is kept in files. */
  agentsPath: string;
  /** Folders of files with triggers, manifests, schedules and monitors. */
  provokePaths: { name: string; path: string }[];
}

export const databaseFile = 'parley.db';
export const checksumFile = 'checksum.key';
export const backupKeyFile = 'backup.key';
/** A folder for each person's peer; the service of the peers keeps it. */
export const peersFolder = 'peers';
const infoFile = 'hub.json';

export async function openDataDir(path: string): Promise<DataDir> {
  await makeFolder(path);
  return {
    path,
    databasePath: join(path, databaseFile),
    blobsPath: join(path, 'blobs'),
    checksumKey: Buffer.from(await keyFile(join(path, checksumFile)), 'hex'),
    operatorKey: `op_${await keyFile(join(path, 'operator.key'))}`,
    sealingKey: Buffer.from(await keyFile(join(path, 'secrets.key')), 'hex'),
    backupKey: Buffer.from(await keyFile(join(path, backupKeyFile)), 'hex'),
    secretsPath: join(path, 'secrets'),
    agentsPath: join(path, 'agents'),
    provokePaths: ['triggers', 'manifests'].map((name) => ({ name, path: join(path, name) })),
  };
}

/**
 * Where people put files, so that they find it. At the first start of a workspace, or at its restore, and at no other: an empty
 * folder says that what was kept in it is gone, and a hub that shares the database has only never had it.
 */
export async function makeFolders({ agentsPath, secretsPath, provokePaths }: DataDir): Promise<void> {
  for (const path of [agentsPath, secretsPath, ...provokePaths.map((one) => one.path)]) await mkdir(path, { recursive: true, mode: 0o700 });
}

export class DataDirUnusable extends Error {
  constructor(path: string, why: string, cause?: unknown) {
    super(`${path} cannot be the data folder: ${why}.`, { cause });
  }
}

/** Level by level from the nearest parent there is: on some file systems (/proc) a recursive mkdir never returns. */
async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let parent = resolve(path);
  let found = await look(path, parent);
  while (!found && parent !== dirname(parent)) {
    missing.unshift(parent);
    parent = dirname(parent);
    found = await look(path, parent);
  }
  if (!found?.isDirectory()) throw new DataDirUnusable(path, `${parent} is not a folder`);
  if (missing.length === 0) return;
  await access(parent, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw new DataDirUnusable(path, `you may not write in ${parent}`, error);
  });
  for (const folder of missing) {
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      // Somebody else has made it meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new DataDirUnusable(path, `no folder can be made in ${dirname(folder)} (${(error as NodeJS.ErrnoException).code})`, error);
    }
  }
}

async function look(path: string, place: string): Promise<Stats | undefined> {
  try {
    return await stat(place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Below a file there is nothing; the file itself is found next.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new DataDirUnusable(path, `${place} cannot be looked at (${code})`, error);
  }
}

async function keyFile(path: string): Promise<string> {
  if (!existsSync(path)) await makeKey(path);
  const key = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(key)) throw new Error(`${path} does not hold a key (64 hex digits)`);
  return key;
}

/** A crash leaves a whole key or none, and two processes that start at once end up with the same one. */
async function makeKey(path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    // Unlike a rename, a link fails when the name is taken.
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A file system without links (a memory stick) still gets a whole key.
    if (code === 'EPERM' || code === 'ENOTSUP') await rename(temporary, path);
    else if (code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  // The first commit is signed with the key, so the key must be on disk before it.
  await syncFolder(dirname(path));
}

export class DataDirInUse extends Error {
  constructor(path: string) {
    super(`Another Parley hub is using ${path}. Stop it, or set PARLEY_DATA to another folder.`);
  }
}

/** The operating system releases the lock when the process ends, however it ends; a pid file would outlive a crash. */
export function lockDataDir(path: string): () => void {
  const file = join(path, 'hub.lock');
  // Anybody who can read it can lock it, and then no hub starts.
  closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('pragma locking_mode = exclusive');
    db.exec('begin exclusive');
  } catch (error) {
    db.close();
    throw isSqliteBusy(error) ? new DataDirInUse(path) : asFileError(file, error, 'Remove it while no hub runs, then try again.');
  }
  return () => db.close();
}

export interface HubInfo {
  url: string;
  pid: number;
}
export const writeHubInfo = (path: string, info: HubInfo): Promise<void> =>
  writeFile(join(path, infoFile), JSON.stringify(info), { mode: 0o600 });
export const clearHubInfo = (path: string): Promise<void> => rm(join(path, infoFile), { force: true });
export async function readHubInfo(path: string): Promise<HubInfo | undefined> {
  try {
    return JSON.parse(await readFile(join(path, infoFile), 'utf8')) as HubInfo;
  } catch {
    return undefined;
  }
}

export function sameSecret(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
