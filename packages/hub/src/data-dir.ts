// The folder a hub keeps its things in: database, attachments, two keys, and a lock so that two hubs never share it.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from './store/blobs.ts';

export interface DataDir {
  path: string;
  databasePath: string;
  blobsPath: string;
  /** Keys the checksums of stored rows. Whoever has it and the database can forge history; losing it makes `verify` fail. */
  checksumKey: Uint8Array;
  /** Lets this machine's command line act as operator. */
  operatorKey: string;
}

export const databaseFile = 'parley.db';
export const checksumFile = 'checksum.key';
const infoFile = 'hub.json';

export async function openDataDir(path: string): Promise<DataDir> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    path,
    databasePath: join(path, databaseFile),
    blobsPath: join(path, 'blobs'),
    checksumKey: Buffer.from(await keyFile(join(path, checksumFile)), 'hex'),
    operatorKey: `op_${await keyFile(join(path, 'operator.key'))}`,
  };
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
  // What the key signs is on disk from the first commit on; so must be the key.
  await syncFolder(dirname(path));
}

export class DataDirInUse extends Error {
  constructor(path: string) {
    super(`Another Parley hub is using ${path}. Stop it, or set PARLEY_DATA to another folder.`);
  }
}

/** The operating system releases the lock when the process ends, however it ends; a pid file would outlive a crash. */
export function lockDataDir(path: string): () => void {
  const db = new DatabaseSync(join(path, 'hub.lock'), { timeout: 0 });
  try {
    db.exec('pragma locking_mode = exclusive');
    db.exec('begin exclusive');
  } catch {
    db.close();
    throw new DataDirInUse(path);
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
