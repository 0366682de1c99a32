import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { type Changes, ConflictError, CorruptRowError, type StoredRow, type Want } from '../port.ts';
import type { MemberRow } from '../tables.ts';
import { SqliteStore } from './store.ts';

const member: MemberRow = {
  id: 'm1',
  kind: 'human',
  handle: 'ada',
  handle_fold: 'ada',
  display_name: 'Ada',
  about: '',
  role: 'member',
  owner_id: null,
  manager_id: null,
  status: 'active',
  dnd_until: null,
  created_at: 1,
};
const wants: Want[] = [
  { table: 'members', values: ['m1'] },
  { table: 'members', values: ['m2'] },
];
const nothing: Changes = { inserts: [], updates: [], deletes: [], facts: [] };

let folder: string;
let path: string;
let stores: SqliteStore[];
const open = async (): Promise<SqliteStore> => {
  const store = await SqliteStore.open({ path, key: new Uint8Array(32), clock: systemClock, epoch: 'test' });
  stores.push(store);
  return store;
};
async function read(store: SqliteStore): Promise<StoredRow<'members'> | undefined> {
  const { transaction, loaded } = await store.begin([], wants);
  await transaction.rollback();
  expect(loaded.found[1]).toEqual([]);
  return loaded.found[0]![0] as StoredRow<'members'> | undefined;
}
async function rename(store: SqliteStore, name: string): Promise<void> {
  const { transaction, loaded } = await store.begin([], wants);
  const was = loaded.found[0]![0]!;
  await transaction.commit({ ...nothing, updates: [{ table: 'members', row: { ...was, display_name: name }, was: was['sum'] as string }] });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-'));
  path = join(folder, 'parley.db');
  stores = [];
  const store = await open();
  const { transaction } = await store.begin([], []);
  await transaction.commit({ ...nothing, inserts: [{ table: 'members', row: { ...member } }] });
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true });
});

test('[SYS-4] a kept row is as the last commit left it', async () => {
  const [store] = stores;
  expect(await read(store!)).toMatchObject({ display_name: 'Ada' });
  await rename(store!, 'Ada L.');
  expect(await read(store!)).toMatchObject({ display_name: 'Ada L.' });
  const { transaction, loaded } = await store!.begin([], wants);
  await transaction.commit({ ...nothing, deletes: [{ table: 'members', key: ['m1'], was: loaded.found[0]![0]!['sum'] as string }] });
  expect(await read(store!)).toBeUndefined();
});

test('[SYS-4] what another connection wrote is seen by the next group', async () => {
  const [store] = stores;
  const other = await open();
  await read(store!);
  await read(other);
  await rename(other, 'Ada from elsewhere');
  expect(await read(store!)).toMatchObject({ display_name: 'Ada from elsewhere' });
  await rename(store!, 'Ada again');
  expect(await read(other)).toMatchObject({ display_name: 'Ada again' });
});

test('[SYS-4] a kept row that was changed behind the hub’s back is noticed', async () => {
  const [store] = stores;
  await read(store!);
  const db = new DatabaseSync(path);
  db.exec("update members set role = 'owner'");
  db.close();
  await expect(read(store!)).rejects.toThrow(CorruptRowError);
  // The failed group left no transaction open.
  await expect(read(store!)).rejects.toThrow(CorruptRowError);
});

test('[SYS-4] a group whose rows were all known is refused when another connection wrote, and then sees it', async () => {
  const [store] = stores;
  const other = await open();
  const known = wants.slice(0, 1);
  await read(store!);
  const stale = await store!.begin([], known);
  await rename(other, 'Ada from elsewhere');
  const row = { ...stale.loaded.found[0]![0]!, display_name: 'Ada, unaware' };
  const update = { table: 'members' as const, row, was: stale.loaded.found[0]![0]!['sum'] as string };
  await expect(stale.transaction.commit({ ...nothing, updates: [update] })).rejects.toThrow(ConflictError);
  const fresh = await store!.begin([], known);
  expect(fresh.loaded.found[0]).toMatchObject([{ display_name: 'Ada from elsewhere' }]);
  await fresh.transaction.rollback();
});

test('[SYS-4] nothing is decided on known rows without looking whether they still hold, not even a refusal', async () => {
  const [store] = stores;
  const other = await open();
  const known = wants.slice(0, 1);
  await read(store!);
  const current = await store!.begin([], known);
  await current.transaction.rollback();
  const first = await store!.begin([], known);
  await rename(other, 'Ada 2');
  await expect(first.transaction.rollback()).rejects.toThrow(ConflictError);
  await read(store!);
  const second = await store!.begin([], known);
  await rename(other, 'Ada 3');
  await expect(second.transaction.load(wants)).rejects.toThrow(ConflictError);
  await second.transaction.rollback();
  expect(await read(store!)).toMatchObject({ display_name: 'Ada 3' });
});

test('[SYS-4] a group whose rows were all known commits them in order with the others', async () => {
  const [store] = stores;
  await read(store!);
  for (const name of ['one', 'two', 'three']) {
    const { transaction, loaded } = await store!.begin([], wants.slice(0, 1));
    const was = loaded.found[0]![0]!;
    await transaction.commit({
      ...nothing,
      updates: [{ table: 'members', row: { ...was, display_name: name }, was: was['sum'] as string }],
    });
    const again = await store!.begin([], wants.slice(0, 1));
    expect(again.loaded.found[0]).toMatchObject([{ display_name: name }]);
    await again.transaction.rollback();
  }
});

test('[SYS-4] that a setting is not there is known until it is set, here or by another connection', async () => {
  const [store] = stores;
  const other = await open();
  const value = async (at: SqliteStore, key: string) => {
    const { transaction, loaded } = await at.begin([], [{ table: 'settings', values: [key] }]);
    await transaction.rollback();
    return loaded.found[0]![0]?.['value'];
  };
  const set = async (at: SqliteStore, key: string) => {
    const { transaction } = await at.begin([], []);
    await transaction.commit({ ...nothing, inserts: [{ table: 'settings', row: { key, value: 'set' } }] });
  };
  for (const key of ['a', 'b']) expect(await value(store!, key)).toBeUndefined();
  await set(store!, 'a');
  expect(await value(store!, 'a')).toBe('set');
  await set(other, 'b');
  // What it knew is no longer true: it is told so, as every group is, and decides again.
  await expect(value(store!, 'b')).rejects.toThrow(ConflictError);
  expect(await value(store!, 'b')).toBe('set');
});

test('[SYS-4] what was known of an empty store is not known of what is restored into it', async () => {
  const [store] = stores;
  const { transaction } = await store!.begin([], []);
  await transaction.commit({ ...nothing, inserts: [{ table: 'settings', row: { key: 'a', value: 'set' } }] });
  const rows = await store!.rows('settings', '');
  path = join(folder, 'other.db');
  const empty = await open();
  const asked = async () => {
    const group = await empty.begin([], [{ table: 'settings', values: ['a'] }]);
    await group.transaction.rollback();
    return group.loaded.found[0]![0]?.['value'];
  };
  expect(await asked()).toBeUndefined();
  await empty.restore(
    (async function* () {
      for (const row of rows) yield { table: 'settings' as const, row };
    })(),
  );
  expect(await asked()).toBe('set');
});
