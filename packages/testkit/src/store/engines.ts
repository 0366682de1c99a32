// Which databases a test runs on. Behaviour lives above the store, so `npm test` tries it on SQLite; `npm run test:full` tries
// everything on both engines. Tests of the store, its seams and whatever the engines do differently always run on both.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDataDir, openStore } from '@parley/hub';
import { describe, inject } from 'vitest';
import { emptyTables, freshDatabase } from './postgres.ts';
import { testingInFull } from '../trials.ts';

export interface Ground {
  engine: 'sqlite' | 'postgres';
  dataDir: string;
  databaseUrl: string | undefined;
  clear(): Promise<void>;
}

let sqliteTables: Promise<Buffer> | undefined;

async function makeSqliteTables(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-tables-'));
  const dataDir = await openDataDir(folder);
  const store = await openStore({ dataDir, databaseUrl: undefined, epoch: 'none', sync: false });
  await store.close();
  // Each hub that is given them names its own.
  const database = new DatabaseSync(dataDir.databasePath);
  database.exec("delete from meta where key = 'epoch'; delete from table_sums");
  database.close();
  const tables = await readFile(dataDir.databasePath);
  await rm(folder, { recursive: true });
  return tables;
}

/** The file of a hub with empty tables: copied, they are there in a tenth of the time it takes to make them. */
export const emptySqliteTables = (): Promise<Buffer> => (sqliteTables ??= makeSqliteTables());

/** A place of its own for one hub: an empty folder and, on PostgreSQL, a database, empty or with a hub's empty tables. */
export async function freshGround(
  engine: Ground['engine'],
  { clusterUrl, tables = false }: { clusterUrl?: string; tables?: boolean } = {},
): Promise<Ground> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-'));
  const database =
    engine === 'postgres' ? await freshDatabase(clusterUrl ?? inject('postgresUrl'), tables ? emptyTables : undefined) : undefined;
  if (engine === 'sqlite' && tables) await writeFile(join(dataDir, 'parley.db'), await emptySqliteTables());
  return {
    engine,
    dataDir,
    databaseUrl: database?.url,
    clear: async () => {
      await rm(dataDir, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

const engines = ['sqlite', 'postgres'] as const;

function onEach(some: readonly Ground['engine'][], title: string, tests: (engine: Ground['engine']) => void): void {
  describe.each(some)(`${title} (%s)`, (engine) => {
    tests(engine);
  });
}

/** For behaviour: on SQLite, and in `npm run test:full` on PostgreSQL too. */
export function onBothEngines(title: string, tests: (engine: Ground['engine']) => void): void {
  onEach(testingInFull ? engines : ['sqlite'], title, tests);
}

/** For the store and whatever its engines do differently (locks, timers, two writers, SQL): on both, always. */
export function onEveryEngine(title: string, tests: (engine: Ground['engine']) => void): void {
  onEach(engines, title, tests);
}
