// One thing goes wrong (a connection, a row, a listener, a clock) and everything else goes on.

import { createServer, type Socket } from 'node:net';
import { openDataDir, type PlacedFact, type Store, StoreAwayError, systemClock } from '@parley/hub';
import { Ear, onEveryEngine, startPostgres, startTestHub } from '@parley/testkit';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { storesForEach } from '../kit/stores.ts';
import { tamper } from '../kit/backup.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const { ground, open: opened, afterwards } = storesForEach();
const fact = (n: number) => ({
  at: n,
  type: 'demo.noted' as const,
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
    afterwards(() => cluster.stop());
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

  test('[SYS-4] a hub with another checksum key is refused with what to do, and changes nothing', async () => {
    const [first, second] = [await ground('postgres'), await ground('postgres')];
    const url = first.databaseUrl!;
    const keys = await Promise.all([first, second].map(async (on) => (await openDataDir(on.dataDir)).checksumKey));
    const open = async (key: Uint8Array): Promise<PostgresStore> => {
      const store = await PostgresStore.open({ url, key, epoch: 'test' });
      afterwards(() => store.close());
      return store;
    };
    const store = await open(keys[0]!);
    await expect(open(keys[1]!)).rejects.toThrow('copy checksum.key');
    await open(keys[0]!);
    // One of before it was written down: the rows say whose it is, even if one of them is damaged.
    const { transaction } = await store.begin([], []);
    const inserts = ['a', 'b'].map((key) => ({ table: 'settings' as const, row: { key, value: '1' } }));
    await transaction.commit({ inserts, updates: [], deletes: [], facts: [] });
    await tamper(first, "delete from meta where key = 'checksum_key'");
    await tamper(first, "update settings set value = '2' where key = 'a'");
    await expect(open(keys[1]!)).rejects.toThrow('copy checksum.key');
    await open(keys[0]!);
    expect(await store.all("select 1 from meta where key = 'checksum_key'")).toHaveLength(1);
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

onEveryEngine('what this hub committed', (engine) => {
  test('[SYS-4] is passed on by the commit itself, with the facts, and once', async () => {
    const store = await opened(await ground(engine));
    const told: (PlacedFact[] | undefined)[] = [];
    store.onCommit((own) => told.push(own));
    for (let n = 1; n <= 5; n++) await commit(store, n, n);
    expect(told.filter((own) => own !== undefined).map((own) => own.map(({ seq, at }) => [seq, at]))).toEqual(
      [1, 2, 3, 4, 5].map((n) => [
        [2 * n - 1, n],
        [2 * n, n],
      ]),
    );
    // Its own notifications are no news; what else wakes it is the poll.
    await pause(300);
    expect(told.length).toBeLessThan(9);
  });
});

onEveryEngine('a damaged row', (engine) => {
  test('[SYS-4] among reactions or attachments hides its message, and the stream and the history go on', async () => {
    const kit = await startTestHub(engine, {}, { PARLEY_LOG: 'silent' });
    afterwards(() => kit.stop());
    const general = await kit.general();
    const ear = new Ear(kit.owner);
    await ear.ready();
    const message = await kit.owner.post(general, 'look');
    for (const emoji of ['👍', '🎉']) await kit.owner.call('addReaction', { params: { messageId: message.id, emoji } });
    await tamper(kit.ground, "update reactions set at = 1 where emoji = '🎉'");
    const edit = { params: { messageId: message.id }, body: { body: 'look again', version: 1 } };
    expect(await kit.owner.ask('editMessage', edit)).toMatchObject({ status: 500, body: { error: { code: 'corrupt' } } });
    const next = await kit.owner.post(general, 'next');
    await ear.fact('message.posted', (fact) => fact.data.message.id === next.id);
    expect(ear.facts().filter(({ type }) => type === 'message.edited')).toEqual([]);
    const { messages } = await kit.owner.call('listMessages', { params: { conversationId: general }, query: { limit: 10 } });
    expect(messages.map(({ id }) => id)).toContain(next.id);
    expect(messages.map(({ id }) => id)).not.toContain(message.id);
    ear.close();
  });
});

onEveryEngine('after the commit', (engine) => {
  test('[SYS-4] whatever fails then, the command is answered and not run again', async () => {
    let failing = false;
    const kit = await startTestHub(
      engine,
      {
        onGroup: () => {
          if (failing) throw new Error('a counter that broke');
        },
      },
      { PARLEY_LOG: 'silent' },
    );
    afterwards(() => kit.stop());
    const general = await kit.general();
    failing = true;
    const said = await Promise.all(['one', 'two', 'three'].map((body) => kit.owner.post(general, body)));
    failing = false;
    const { messages } = await kit.owner.call('listMessages', { params: { conversationId: general }, query: { limit: 50 } });
    expect(messages.map(({ id }) => id).toSorted()).toEqual(said.map(({ id }) => id).toSorted());
  });
});

describe('a read that takes too long', () => {
  const counting = (upTo: number): string => `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${upTo})`;
  const open = async (readTimeoutMs: number): Promise<SqliteStore> => {
    const dataDir = await openDataDir((await ground('sqlite')).dataDir);
    const store = await SqliteStore.open({
      path: dataDir.databasePath,
      key: dataDir.checksumKey,
      clock: systemClock,
      epoch: 'test',
      readTimeoutMs,
    });
    afterwards(() => store.close());
    await store.head();
    return store;
  };

  test('[SYS-4] SQLite: its time begins when its turn comes, so who waits in line is not stopped, and stops nobody', async () => {
    const store = await open(2000);
    const slow = `${counting(3000)} select n, length(hex(randomblob(5000))) as x from c`;
    const began = performance.now();
    await store.all(slow);
    const one = performance.now() - began;
    const line = Array.from({ length: Math.ceil(4000 / one) }, () => store.all(slow));
    expect((await Promise.all(line)).every((rows) => rows.length === 3000)).toBe(true);
  });

  test('[SYS-4] SQLite: it is stopped between two rows, and the next one is not', async () => {
    const store = await open(200);
    const endless = store.all(`${counting(900_000)} select n, length(hex(randomblob(5000))) as x from c`);
    const next = store.all(`${counting(1000)} select n from c`);
    await expect(endless).rejects.toThrow('took too long');
    expect(await next).toHaveLength(1000);
  });

  test('[SYS-4] SQLite: what was stopped in one database stops nothing in the next one that its thread opens', async () => {
    const store = await open(200);
    await expect(store.all(`${counting(900_000)} select n, length(hex(randomblob(5000))) as x from c`)).rejects.toThrow('took too long');
    await store.close();
    const next = await open(10_000);
    for (let n = 0; n < 8; n++) expect(await next.all(`${counting(1000)} select n from c`)).toHaveLength(1000);
  });

  test('[SYS-4] SQLite: one that yields no row is given up with its thread; who waited may try again, and another thread answers', async () => {
    const store = await open(200);
    const [stuck, waiting] = await Promise.allSettled([store.all(`${counting(60_000_000)} select count(*) as n from c`), store.head()]);
    expect(stuck).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('took too long') as string } });
    expect((waiting as PromiseRejectedResult).reason).toBeInstanceOf(StoreAwayError);
    await expect(store.head()).resolves.toMatchObject({ seq: 0 });
  });

  test('[SYS-4] PostgreSQL: it is stopped; a group that waits for its locks is not', async () => {
    const on = await ground('postgres');
    const { checksumKey: key } = await openDataDir(on.dataDir);
    const store = await PostgresStore.open({ url: on.databaseUrl!, key, epoch: 'test', readTimeoutMs: 300 });
    afterwards(() => store.close());
    await expect(store.all('select pg_sleep(5)')).rejects.toThrow('statement timeout');
    const first = await store.begin(['a'], []);
    const second = store.begin(['a'], []);
    await pause(800);
    await first.transaction.rollback();
    await (await second).transaction.rollback();
  });
});
