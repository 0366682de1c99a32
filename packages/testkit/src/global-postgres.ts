// Vitest's global set-up for tests on both engines: starts the cluster once per run.

import type { TestProject } from 'vitest/node';
import { type Cluster, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

let cluster: Cluster | undefined;

export async function setup(project: TestProject): Promise<void> {
  cluster = await startPostgres();
  project.provide('postgresUrl', cluster.url);
}

export async function teardown(): Promise<void> {
  await cluster?.stop();
}
