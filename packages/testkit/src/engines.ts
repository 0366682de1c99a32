// Every test of behaviour runs on both engines: a rule that holds on one and not on the other does not hold.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { emptyTables, freshDatabase } from './postgres.ts';

export interface Ground {
  engine: 'sqlite' | 'postgres';
  dataDir: string;
  databaseUrl: string | undefined;
  clear(): Promise<void>;
}

/** A place of its own for one hub: an empty folder and, on PostgreSQL, a database, empty or with a hub's empty tables. */
export async function freshGround(
  engine: Ground['engine'],
  { clusterUrl, tables = false }: { clusterUrl?: string; tables?: boolean } = {},
): Promise<Ground> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-'));
  const database =
    engine === 'postgres' ? await freshDatabase(clusterUrl ?? inject('postgresUrl'), tables ? emptyTables : undefined) : undefined;
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

export function onBothEngines(title: string, tests: (engine: Ground['engine']) => void): void {
  describe.each(['sqlite', 'postgres'] as const)(`${title} (%s)`, (engine) => {
    tests(engine);
  });
}
