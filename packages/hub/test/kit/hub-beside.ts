// Another hub on the database of one that runs, with a folder of its own.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { type Hub, readConfig, startHub } from '@parley/hub';
import type { Ground } from '@parley/testkit';
import { onTestFinished } from 'vitest';

type Overrides = NonNullable<Parameters<typeof startHub>[1]>;

/** What hubs of one database share of their folders. */
export const sharedKeys = ['checksum.key', 'secrets.key'];

export async function folderBeside({ dataDir }: Ground, shared = sharedKeys): Promise<string> {
  const beside = await mkdtemp(`${dataDir}-beside-`);
  for (const name of shared) await cp(`${dataDir}/${name}`, `${beside}/${name}`);
  return beside;
}

/** Until the test ends. */
export async function hubBeside(ground: Ground, overrides: Overrides = {}, folder?: string): Promise<Hub> {
  const dataDir = folder ?? (await folderBeside(ground));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const hub = await startHub(
    readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_DATABASE_URL: ground.databaseUrl, PARLEY_LOG: 'silent' }),
    { sync: false, ...overrides },
  );
  onTestFinished(() => hub.stop());
  return hub;
}
