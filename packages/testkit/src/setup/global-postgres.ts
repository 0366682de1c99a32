// Vitest's global set-up for tests on both engines: starts the cluster once per run.

import type { TestProject } from 'vitest/node';
import { type Cluster, makeEmptyTables, startPostgres } from '../store/postgres.ts';
import { scratchFolder } from './scratch.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

let cluster: Cluster | undefined;

export async function setup(project: TestProject): Promise<void> {
  // The power does not go under these tests, so nothing is waited for on disk; where the database itself is to die, a test
  // has a cluster of its own.
  cluster = await startPostgres(['fsync=off', 'full_page_writes=off', 'max_wal_size=256MB'], await scratchFolder());
  await makeEmptyTables(cluster.url);
  project.provide('postgresUrl', cluster.url);
}

export async function teardown(): Promise<void> {
  await cluster?.stop();
}
