// Opens a database that is there already, to read it: beside its running hub or without one. Nothing is created and
// nothing is upgraded.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { checksumFile, type DataDir, databaseFile, openDataDir } from '../data-dir.ts';
import { Blobs } from '../store/blobs.ts';
import { schemaVersion } from '../store/migrations.ts';
import type { Store } from '../store/port.ts';
import { hasTables, postgresSchema, schemaOf } from '../store/reads/schema.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { refuseRemains } from './chain-heads.ts';
import { BackupError } from './format.ts';
import type { BackupSource } from './write.ts';

export interface DatabaseLocation {
  dataDir: string;
  databaseUrl?: string | undefined;
}

/** A check of everything may take its time; what serves requests may not. */
const readTimeoutMs = 3_600_000;

export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Whether the place has a workspace. */
export async function exists(place: DatabaseLocation): Promise<boolean> {
  if (!(await isThere(join(place.dataDir, checksumFile)))) return false;
  return place.databaseUrl === undefined
    ? isThere(join(place.dataDir, databaseFile))
    : (await postgresSchema(place.databaseUrl)) !== undefined;
}

export async function openExisting(place: DatabaseLocation): Promise<BackupSource> {
  if (!(await exists(place))) return nothingThere(place);
  const dataDir = await openDataDir(place.dataDir);
  const store =
    place.databaseUrl === undefined ? await openSqlite(place, dataDir) : await openPostgres(place.databaseUrl, dataDir.checksumKey);
  return { store, blobs: new Blobs(dataDir.blobsPath), key: dataDir.checksumKey, signingKey: dataDir.backupKey, dataDir: dataDir.path };
}

async function nothingThere({ dataDir, databaseUrl }: DatabaseLocation): Promise<never> {
  await refuseRemains(dataDir);
  const place = databaseUrl === undefined ? dataDir : `${dataDir} and the database of PARLEY_DATABASE_URL`;
  throw new BackupError('nothing_there', `There is no Parley workspace in ${place}.`);
}

async function openSqlite(place: DatabaseLocation, { databasePath: path, checksumKey: key }: DataDir): Promise<Store> {
  const store = await SqliteStore.open({ path, key, clock: systemClock, epoch: '', readOnly: true, readTimeoutMs });
  try {
    // A file that was emptied.
    if (!(await hasTables(store, 'sqlite'))) return await nothingThere(place);
    refuseOther(await schemaOf(store));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openPostgres(url: string, key: Uint8Array): Promise<Store> {
  refuseOther((await postgresSchema(url))!);
  const { PostgresStore } = await import('../store/postgres/store.ts');
  return PostgresStore.open({ url, key, epoch: '', readTimeoutMs });
}

function refuseOther(schema: number): void {
  if (schema > schemaVersion)
    throw new BackupError(
      'newer',
      `The database was written by a newer Parley (schema ${schema}; this one knows ${schemaVersion}). Use that version.`,
    );
  if (schema < schemaVersion)
    throw new BackupError(
      'older',
      `The database was written by an older Parley (schema ${schema}; this one has ${schemaVersion}). Use that version, or start the hub once to upgrade it.`,
    );
}
