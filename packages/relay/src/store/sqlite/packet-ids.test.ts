import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { NewFrame, RelayStore } from '../port.ts';
import { storeOver } from './store.ts';

const frame = (n: number, sender = `s${n % 50}`): NewFrame => ({
  from: `agent:${sender}@x`,
  to: 'agent:bob@x',
  tag: 't',
  packetId: `pkt_${String(n).padStart(8, '0')}`,
  sentAt: 1000 + n,
  storedAt: n,
  bytes: Buffer.from(String(n).padStart(40, '.')),
});
const forged = (n: number): NewFrame => ({ ...frame(n), bytes: Buffer.alloc(40) });
const frames = (from: number, to: number): NewFrame[] => Array.from({ length: to - from }, (_, i) => frame(from + i));
const count = (db: DatabaseSync, table: string): number => (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

/** What the store says of one frame, in a word. */
async function saidOf(store: RelayStore, one: NewFrame): Promise<string> {
  const [answer] = await store.accept([one], [], () => undefined);
  return 'refused' in answer! ? answer.refused : Object.keys(answer!)[0]!;
}

test('[A2C-6] an id counts once wherever it waits: in its group, among recent ones, in its place, and after a restart', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  const [first, again, other] = await store.accept([frame(1), frame(1), forged(1)], [], () => undefined);
  expect([first, again, other]).toMatchObject([{ stored: {} }, { repeated: true }, { refused: 'packet_id_taken' }]);
  await store.accept(frames(2, 60), [], () => undefined);
  expect([count(db, 'recent'), count(db, 'seen')]).toEqual([2, 0]);
  for (const opened of [store, storeOver(db)])
    expect([await saidOf(opened, frame(7)), await saidOf(opened, forged(7))]).toEqual(['repeated', 'packet_id_taken']);
  await store.forget({ sentAt: 0, storedAt: 0 });
  expect([count(db, 'recent'), count(db, 'seen')]).toEqual([0, 59]);
  expect([await saidOf(store, frame(7)), await saidOf(store, forged(7))]).toEqual(['repeated', 'packet_id_taken']);
  await store.forget({ sentAt: 1008, storedAt: 0 });
  expect([await saidOf(store, frame(8)), await saidOf(store, frame(7))]).toEqual(['repeated', 'stored']);
});

test('[A2C-6] recent ids go to their place once there are thousands, and at once where a sender has many', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  for (let n = 0; n < 4200; n += 60) await store.accept(frames(n, n + 60), [], () => undefined);
  expect(count(db, 'seen')).toBeGreaterThanOrEqual(4096);
  expect(count(db, 'recent')).toBeLessThan(5);
  const before = count(db, 'seen');
  await store.accept(
    Array.from({ length: 20 }, (_, n) => frame(9000 + n, 'ann')),
    [],
    () => undefined,
  );
  expect(count(db, 'seen')).toBe(before + 20);
  expect([await saidOf(store, frame(9000, 'ann')), await saidOf(store, frame(4199)), await saidOf(store, frame(0))]).toEqual([
    'repeated',
    'repeated',
    'repeated',
  ]);
});

test('[A2C-6] a group that is rolled back leaves no id, and forgets none of the ids before it', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  await store.accept(frames(0, 60), [], () => undefined);
  db.exec("CREATE TRIGGER broken BEFORE INSERT ON recent BEGIN SELECT raise(ABORT, 'broken'); END");
  await expect(store.accept(frames(60, 120), [], () => undefined)).rejects.toThrow('broken');
  db.exec('DROP TRIGGER broken');
  expect([await saidOf(store, frame(59)), await saidOf(store, frame(60))]).toEqual(['repeated', 'stored']);
});

test('[A2C-8] when a device last sent is known while its ids are recent, in their place, and not of the device before', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  db.exec("INSERT INTO accounts (address, key, epoch, device, email, created_at) VALUES ('agent:s3@x', 'k', 3, 'd', NULL, 7)");
  await store.accept(frames(0, 60), [], () => undefined);
  for (const opened of [store, storeOver(db)]) expect(await opened.lastSentAt('agent:s3@x')).toBe(1053);
  await store.setEpoch('agent:s3@x', { counter: 4, device: 'e' });
  expect([await store.lastSentAt('agent:s3@x'), await saidOf(store, frame(53))]).toEqual([0, 'repeated']);
});
