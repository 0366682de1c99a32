// One thing goes wrong (a connection, a row, a listener, a clock) and everything else goes on.

import { createServer, type Socket } from 'node:net';
import { openDataDir, openStore, type PlacedFact, type Store } from '@parley/hub';
import { type Cluster, freshGround, type Ground, onBothEngines, startPostgres } from '@parley/testkit';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function ground(engine: Ground['engine'], cluster?: Cluster) {
  const made = await freshGround(engine, cluster?.url);
  cleanups.push(() => made.clear());
  return made;
}
async function opened(on: Ground): Promise<Store> {
  const store = await openStore({ dataDir: await openDataDir(on.dataDir), databaseUrl: on.databaseUrl, epoch: 'test' });
  cleanups.push(() => store.close());
  return store;
}
const fact = (n: number) => ({
  at: n,
  type: 'test.happened',
  actor_id: null,
  scope: 'workspace' as const,
  conversation_id: null,
  member_id: null,
  subject_id: null,
  chain_id: null,
  data: '{}',
});
async function commit(store: Store, ...numbers: number[]): Promise<void> {
  const { transaction } = await store.begin([], []);
  await transaction.commit({ inserts: [], updates: [], deletes: [], facts: numbers.map(fact) });
}

describe('PostgreSQL goes away', () => {
  test('[SYS-4] a hub that lost its listening connection tries again one at a time, ever more slowly', async () => {
    const cluster = await startPostgres();
    cleanups.push(() => cluster.stop());
    const store = await opened(await ground('postgres', cluster));
    await cluster.crash('SIGQUIT');
    let attempts = 0;
    const sockets = new Set<Socket>();
    const closedDoor = createServer((socket) => {
      attempts++;
      sockets.add(socket.on('error', () => {}));
      socket.end();
    });
    await new Promise<void>((resolve) => closedDoor.listen(Number(new URL(cluster.url).port), '127.0.0.1', resolve));
    await pause(4000);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => closedDoor.close(resolve));
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThan(7);

    await cluster.restart();
    const listening = async (): Promise<number> => {
      const rows = await store.all<{ n: number }>("select count(*) as n from pg_stat_activity where query like 'listen %'");
      return rows[0]!.n;
    };
    while ((await listening().catch(() => 0)) === 0) await pause(100);
    // Any other loop would have its own by now.
    await pause(5000);
    expect(await listening()).toBe(1);
  });

  test('[SYS-4] a listening connection that hears nothing any more delays what others said, and loses nothing', async () => {
    const on = await ground('postgres');
    const [deaf, other] = [await opened(on), await opened(on)];
    const woken = new Promise<void>((resolve) => deaf.onCommit(() => resolve()));
    await (deaf as unknown as { listening: pg.Client }).listening.query('unlisten *');
    await commit(other, 1);
    await expect(Promise.race([woken.then(() => 'woken'), pause(5000)])).resolves.toBe('woken');
  });
});

onBothEngines('what this hub committed', (engine) => {
  test('[SYS-4] is passed on by the commit itself, with the facts, and once', async () => {
    const store = await opened(await ground(engine));
    const told: (PlacedFact[] | undefined)[] = [];
    store.onCommit((own) => told.push(own));
    await commit(store, 1, 2);
    expect(told.map((own) => own?.map(({ seq, at }) => [seq, at]))).toEqual([
      [
        [1, 1],
        [2, 2],
      ],
    ]);
    // Its own notification is no news.
    await pause(300);
    expect(told).toHaveLength(1);
  });
});
