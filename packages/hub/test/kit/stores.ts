// Databases and stores of a test, cleared after it; and looks into the database of a hub in another process.

import { openDataDir, openStore, type Store } from '@parley/hub';
import { type Cluster, freshGround, type Ground } from '@parley/testkit';
import { afterEach } from 'vitest';

export interface Stores {
  ground: (engine: Ground['engine'], cluster?: Cluster) => Promise<Ground>;
  open: (on: Ground) => Promise<Store>;
  /** Runs after the test; what was opened last is cleared first. */
  afterwards: (clear: () => Promise<unknown>) => void;
}

export function storesForEach(): Stores {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const clear of cleanups.splice(0).reverse()) await clear();
  });
  return {
    ground: async (engine, cluster) => {
      const ground = await freshGround(engine, cluster ? { clusterUrl: cluster.url } : {});
      cleanups.push(() => ground.clear());
      return ground;
    },
    open: async (on) => {
      const store = await storeOn(on, 'test');
      cleanups.push(() => store.close());
      return store;
    },
    afterwards: (clear) => void cleanups.push(clear),
  };
}

const storeOn = async ({ dataDir, databaseUrl }: Ground, epoch: string): Promise<Store> =>
  openStore({ dataDir: await openDataDir(dataDir), databaseUrl, epoch });

export async function inStore<R>(ground: Ground, look: (store: Store) => Promise<R>): Promise<R> {
  const store = await storeOn(ground, 'unused');
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}
