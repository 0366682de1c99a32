// One of several hubs on a database hangs in the middle of a group: stopped, or without a network. The others go on.

import { openDataDir } from '@parley/hub';
import { freshGround } from '@parley/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { StoreAwayError } from '../../../src/store/port.ts';
import { PostgresStore } from '../../../src/store/postgres/store.ts';

type Limits = Partial<Pick<Parameters<typeof PostgresStore.open>[0], 'groupIdleMs' | 'lockWaitMs'>>;

async function hubs(limits: Limits): Promise<() => Promise<PostgresStore>> {
  const ground = await freshGround('postgres', { tables: true });
  onTestFinished(() => ground.clear());
  const { checksumKey: key } = await openDataDir(ground.dataDir);
  return async () => {
    const store = await PostgresStore.open({ url: ground.databaseUrl!, key, epoch: 'test', ...limits });
    onTestFinished(() => store.close());
    return store;
  };
}
const nothing = { inserts: [], updates: [], deletes: [], facts: [] };

test('[SYS-4] a hub that hangs in a group loses the group, and another goes on', async () => {
  const hub = await hubs({ groupIdleMs: 200 });
  const [frozen, other] = [await hub(), await hub()];
  const held = await frozen.begin(['a'], []);
  const { transaction } = await other.begin(['a'], []);
  await transaction.rollback();
  await expect(held.transaction.commit(nothing)).rejects.toThrow(StoreAwayError);
  // It has another connection by then.
  await (await frozen.begin(['a'], [])).transaction.rollback();
});

test('[SYS-4] a group that waits too long for its locks is given up as if the database were away', async () => {
  const hub = await hubs({ lockWaitMs: 200 });
  const [slow, other] = [await hub(), await hub()];
  const held = await slow.begin(['a'], []);
  await expect(other.begin(['a'], [])).rejects.toThrow(StoreAwayError);
  await held.transaction.rollback();
  await (await other.begin(['a'], [])).transaction.rollback();
});

test('[SYS-8] a backup may pause for longer than a group: it waits for its disk', async () => {
  const hub = await hubs({ groupIdleMs: 200 });
  const [copying, other] = [await hub(), await hub()];
  await copying.snapshot(async (scan) => {
    const frozen = await other.begin(['a'], []);
    await (await copying.begin(['a'], [])).transaction.rollback();
    await expect(frozen.transaction.commit(nothing)).rejects.toThrow(StoreAwayError);
    for await (const rows of scan('settings')) expect(rows).toBeDefined();
  });
});

test('[SYS-4] a connection that died in silence is noticed within two minutes, at both ends', async () => {
  const store = await (await hubs({}))();
  const shown = async (name: string): Promise<string> => (await store.all<Record<string, string>>(`show ${name}`))[0]![name]!;
  expect(await shown('idle_in_transaction_session_timeout')).toBe('30s');
  expect(await shown('lock_timeout')).toBe('1min');
  expect(await shown('tcp_user_timeout')).toBe('60000');
  expect(await shown('tcp_keepalives_idle')).toBe('30');
});
