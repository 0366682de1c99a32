import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { NewFrame } from '../port.ts';
import { schemaSteps } from './schema.ts';
import { storeOver } from './store.ts';

const frame = (n: number): NewFrame => ({
  from: 'agent:ann@x',
  to: 'agent:bob@x',
  tag: 't',
  packetId: `pkt_${String(n).padStart(8, '0')}`,
  sentAt: n,
  storedAt: n,
  bytes: new Uint8Array(3000).fill(n),
});
const everything = { only: false, among: [] };

test('[A2C-6] a full disk stores all of a group or nothing, and goes on once there is room', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  const add = (...numbers: number[]) => store.accept(numbers.map(frame), [], () => undefined);
  await add(1, 2);
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number };
  db.exec(`PRAGMA max_page_count = ${pages + 4}`);
  await expect(add(3, 4, 5, 6, 7, 8)).rejects.toThrow('full');
  expect((await store.waiting('agent:bob@x', 0, everything, 10)).map(({ sentAt }) => sentAt)).toEqual([1, 2]);
  db.exec('PRAGMA max_page_count = 10000');
  expect(await add(3, 4)).toMatchObject([{ stored: { sentAt: 3 } }, { stored: { sentAt: 4 } }]);
  expect(await add(3)).toEqual([{ repeated: true }]);
  expect((await store.waiting('agent:bob@x', 0, everything, 10)).map(({ sentAt }) => sentAt)).toEqual([1, 2, 3, 4]);
  expect(await store.report('agent:bob@x', 'agent:ann@x', 'spam', 1)).toBe(true);
});

test('[A2C-1] a database from before passkeys keeps its accounts, and gets the new tables', async () => {
  const db = new DatabaseSync(':memory:');
  db.exec(`${schemaSteps[0]} PRAGMA user_version = 1;`);
  db.exec("INSERT INTO accounts (address, key, epoch, device, email, created_at) VALUES ('agent:ann@x', 'k', 3, 'd', NULL, 7)");
  const store = storeOver(db);
  expect(await store.account('agent:ann@x')).toMatchObject({ key: 'k', epoch: { counter: 3, device: 'd' } });
  await store.invite('code', 100);
  expect(await store.mayHold('agent:ann@x', 'code', 1)).toBe('taken');
  expect(await store.mayHold('agent:bob@x', 'code', 1)).toBe('free');
  expect(storeOver(db), 'a second opening changes nothing').toBeDefined();
  db.exec('PRAGMA user_version = 6');
  expect(() => storeOver(db)).toThrow("The relay's database has schema 6; this Parley knows 5. Update Parley.");
});

test('[A2C-8] the store knows when a device last sent, also in a frame that overtook others, until another device takes over', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  db.exec("INSERT INTO accounts (address, key, epoch, device, email, created_at) VALUES ('agent:ann@x', 'k', 3, 'd', NULL, 7)");
  const lastSent = () => store.lastSentAt('agent:ann@x');
  expect([await lastSent(), await store.lastSentAt('agent:nobody@x')]).toEqual([0, 0]);
  await store.accept([frame(8), frame(5)], [], () => undefined);
  await store.accept([frame(7)], [], () => undefined);
  await store.accept([frame(9)], [], () => 'queue_full');
  expect(await lastSent()).toBe(8);
  await store.forget({ sentAt: 100, storedAt: 100 });
  expect(await lastSent()).toBe(8);
  await store.setEpoch('agent:ann@x', { counter: 4, device: 'e' });
  expect(await lastSent()).toBe(0);
});

test('[A2C-6] a packet id stands for its bytes, also in a database of before; a frame without room leaves no id behind', async () => {
  const db = new DatabaseSync(':memory:');
  const store = storeOver(db);
  const add = (one: NewFrame) => store.accept([one], [], () => undefined);
  expect(await store.accept([frame(1)], [], () => 'queue_full')).toEqual([{ refused: 'queue_full' }]);
  expect(await add(frame(1))).toMatchObject([{ stored: { sentAt: 1 } }]);
  expect(await add(frame(1))).toEqual([{ repeated: true }]);
  expect(await add({ ...frame(1), bytes: new Uint8Array(3000) })).toEqual([{ refused: 'packet_id_taken' }]);
  await store.forget({ sentAt: 0, storedAt: 0 });
  db.prepare('UPDATE seen SET digest = ?').run(hash('sha256', frame(1).bytes, 'buffer').subarray(0, 16));
  expect(await add(frame(1))).toEqual([{ repeated: true }]);
  expect(await add({ ...frame(1), bytes: new Uint8Array(3000) })).toEqual([{ refused: 'packet_id_taken' }]);
});
