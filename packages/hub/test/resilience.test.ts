// One thing goes wrong (a connection, a row, a listener, a clock) and everything else goes on.

import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDataDir, openStore, type PlacedFact, type Store } from '@parley/hub';
import { type Cluster, Ear, freshGround, type Ground, onBothEngines, startPostgres, startTestHub } from '@parley/testkit';
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
/** Changes the database behind the hub's back. */
async function tamper(on: Ground, sql: string): Promise<void> {
  if (on.databaseUrl === undefined) {
    const db = new DatabaseSync(join(on.dataDir, 'parley.db'));
    db.exec(sql);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: on.databaseUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
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

onBothEngines('a damaged row', (engine) => {
  test('[SYS-4] among reactions or attachments is left out, and the stream and the history go on', async () => {
    const kit = await startTestHub(engine, {}, { PARLEY_LOG: 'silent' });
    cleanups.push(() => kit.stop());
    const general = await kit.general();
    const ear = new Ear(kit.owner);
    await ear.ready();
    const message = await kit.owner.post(general, 'look');
    for (const emoji of ['👍', '🎉']) await kit.owner.call('addReaction', { params: { messageId: message.id, emoji } });
    await tamper(kit.ground, "update reactions set at = 1 where emoji = '🎉'");
    await kit.owner.call('editMessage', { params: { messageId: message.id }, body: { body: 'look again', version: 1 } });
    const edited = await ear.fact('message.edited');
    expect(edited.data.message).toMatchObject({ body: 'look again', reactions: [{ emoji: '👍' }] });
    const { messages } = await kit.owner.call('listMessages', { params: { conversationId: general }, query: { limit: 10 } });
    expect(messages.at(-1)!.reactions.map(({ emoji }) => emoji)).toEqual(['👍']);
    ear.close();
  });
});
