// Opens a database that is there already, to read it: beside its running hub or without one. Nothing is created and
// nothing is upgraded.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../clock.ts';
import { checksumFile, databaseFile, openDataDir } from '../data-dir.ts';
import { Blobs } from '../store/blobs.ts';
import { schemaVersion } from '../store/migrations.ts';
import type { Store } from '../store/port.ts';
import { PostgresStore } from '../store/postgres/store.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { BackupError } from './format.ts';
import type { BackupSource } from './write.ts';

export interface Place {
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

/** Whether a workspace was ever begun here. */
export async function exists(place: Place): Promise<boolean> {
  if (!(await isThere(join(place.dataDir, checksumFile)))) return false;
  return place.databaseUrl === undefined
    ? isThere(join(place.dataDir, databaseFile))
    : (await postgresSchema(place.databaseUrl)) !== undefined;
}

export async function openExisting(place: Place): Promise<BackupSource> {
  if (!(await exists(place)))
    throw new BackupError(
      'nothing_there',
      `There is no Parley workspace in ${place.dataDir}${place.databaseUrl === undefined ? '' : ' and the database of PARLEY_DATABASE_URL'}.`,
    );
  const dataDir = await openDataDir(place.dataDir);
  const store =
    place.databaseUrl === undefined
      ? await openSqlite(dataDir.databasePath, dataDir.checksumKey)
      : await openPostgres(place.databaseUrl, dataDir.checksumKey);
  return { store, blobs: new Blobs(dataDir.blobsPath), key: dataDir.checksumKey, signingKey: dataDir.backupKey, dataDir: dataDir.path };
}

async function openSqlite(path: string, key: Uint8Array): Promise<Store> {
  const store = await SqliteStore.open({ path, key, clock: systemClock, epoch: '', readOnly: true, readTimeoutMs });
  try {
    const [row] = await store.all<{ value: string }>("select value from meta where key = 'schema'");
    refuseOther(Number(row?.value ?? 0));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openPostgres(url: string, key: Uint8Array): Promise<Store> {
  refuseOther((await postgresSchema(url))!);
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

/** The schema of a Parley database, undefined when there is none in it. */
export async function postgresSchema(url: string): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: found } = await client.query<{ yes: boolean }>("select to_regclass('meta') is not null as yes");
    if (!found[0]!.yes) return undefined;
    const { rows } = await client.query<{ value: string }>("select value from meta where key = 'schema'");
    return Number(rows[0]?.value ?? 0);
  } finally {
    await client.end();
  }
}
