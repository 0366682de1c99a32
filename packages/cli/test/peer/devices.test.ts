import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { groupOf, newSigningKey, registerPeer, signFrame, takeOver, writeBackup } from '@parley/peer';
import { fromBase64Url, readFrame, toBase64Url } from '@parley/protocol/relay';
import { newPair, newPerson, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

/** So that a test waits for no guess. */
const cheap = 2 ** 4;
const secret = { passphrase: 'correct horse' };
const backupOf = (person: Person): Promise<string> => writeBackup(person.peer, secret, cheap);
const restored = (person: Person, backup: string): Promise<Person> => person.restored(backup, secret);

test('[A2C-8] a backup holds no session, and a restored device gets what it missed in a new one, without an alarm', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  await bob.exchange();
  const backup = await backupOf(bob);
  expect(backup).not.toContain('agent:bob');
  await ann.send(bob, { n: 2 });
  await bob.exchange();
  await bob.send(ann, { after: 'the backup' });
  await ann.exchange();
  await ann.send(bob, { n: 3 });

  const device = await restored(bob, backup);
  expect(await device.store.list('session')).toEqual([]);
  await device.exchange();
  await ann.exchange();
  await device.exchange();
  expect(new Set(await device.contexts())).toEqual(new Set([{ n: 1 }, { n: 2 }, { n: 3 }]));
  expect(await ann.peer.list()).toMatchObject([{ address: bob.address, alarm: null, trust: 'pinned' }]);
  await device.send(ann, { from: 'the new device' });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ after: 'the backup' }, { from: 'the new device' }]);
});

test('[A2C-8] the displaced device is read-only and says so; taking over again needs no session of before', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const device = await restored(bob, await backupOf(bob));
  bob.online();
  await expect.poll(() => bob.events).toContainEqual({ type: 'connected' });
  await device.exchange();
  await expect
    .poll(() => bob.events.at(-1))
    .toMatchObject({ type: 'disconnected', reason: expect.stringContaining('Another device took'), retryMs: null });
  await expect(bob.peer.write(ann.address, { type: 'context', context: {} })).rejects.toMatchObject({ code: 'displaced' });
  await bob.close();
  await bob.open();
  await expect(bob.exchange()).rejects.toMatchObject({ code: 'displaced' });
  await takeOver(bob.peer);
  expect(bob.peer.self.epoch.counter).toBe(3);
  await bob.send(ann, { back: true });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ back: true }]);
  await expect(device.exchange()).rejects.toMatchObject({ code: 'displaced' });
});

test('[A2C-8] a relay that once names a device of the highest epoch keeps nobody out', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const device = { counter: 2 ** 31, device: toBase64Url(new Uint8Array(16)) };
  await bob.peer.keepSelf({ ...bob.peer.self, displacedBy: device });
  await takeOver(bob.peer);
  await bob.send(ann, { back: true });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ back: true }]);
});

test('[A2C-8] a device that slept through a restore takes over at its first attempt', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const device = await restored(bob, await backupOf(bob));
  await device.exchange();
  await takeOver(bob.peer);
  await bob.send(ann, { back: true });
  expect(bob.peer.self).toMatchObject({ epoch: { counter: 3 }, displacedBy: null });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ back: true }]);
  await expect(device.exchange()).rejects.toMatchObject({ code: 'displaced' });
});

test('[A2C-8] a packet that waits when a backup is made waits on the restored device, also for an address alone', async () => {
  const relay = await startRelay();
  const [ann, bob, cat] = [await newPerson(relay, 'ann'), await newPerson(relay, 'bob'), await newPerson(relay, 'cat')];
  await ann.peer.add(bob.address);
  await ann.peer.add(cat.peer.card());
  await relay.stop();
  for (const one of [bob, cat]) await expect(ann.send(one, { kept: true })).rejects.toMatchObject({ code: 'relay_away' });
  const device = await restored(ann, await backupOf(ann));
  await relay.start();
  for (const one of [device, bob, cat]) await one.exchange();
  for (const one of [bob, cat]) expect(await one.contexts()).toEqual([{ kept: true }]);
  expect((await device.store.list('packet')).map(({ value }) => value)).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
});

test('[A2C-1] somebody whom an older copy of the relay does not know registers again, with the key and the history they have', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await bob.send(ann, { n: 1 });
  await relay.stop();
  const db = new DatabaseSync(join(relay.folder, 'relay.db'));
  for (const table of ['accounts', 'directory', 'packages']) db.prepare(`DELETE FROM ${table} WHERE address = ?`).run(bob.address);
  db.close();
  await relay.start();
  await expect(bob.exchange()).rejects.toMatchObject({ code: 'unregistered' });
  const again = { name: 'bob', relayUrl: relay.served.url, code: await relay.invite() };
  await expect(registerPeer(bob.peer.parts, { ...again, name: 'eve' })).rejects.toMatchObject({ code: 'occupied' });
  const card = bob.peer.card();
  bob.hold(await registerPeer(bob.peer.parts, again));
  expect(bob.peer.card()).toBe(card);
  await ann.send(bob, { n: 2 });
  await bob.send(ann, { n: 3 });
  await ann.exchange();
  expect([await ann.contexts(), await bob.contexts()]).toEqual([[{ n: 1 }, { n: 3 }], [{ n: 2 }]]);
});

test('[A2C-8] one backup restored twice is a fork: the second device stops until the person decides', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const backup = await backupOf(bob);
  const [one, two] = [await restored(bob, backup), await restored(bob, backup)];
  await one.exchange();
  await expect(two.exchange()).rejects.toMatchObject({ code: 'epoch_fork' });
  await expect(two.exchange()).rejects.toMatchObject({ code: 'displaced' });
  await one.send(ann, { from: 'one' });
  await ann.exchange();
  await takeOver(two.peer);
  await two.send(ann, { from: 'two' });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ from: 'one' }, { from: 'two' }]);
});

test('[A2C-8] a week-old backup, restored while the device lives, takes over above every counter', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await bob.send(ann, { n: 1 });
  await ann.exchange();
  const backup = await backupOf(bob);
  for (let n = 0; n < 3; n += 1) {
    await takeOver(bob.peer);
    expect(await bob.store.list('session'), 'of the epoch before').toEqual([]);
    await bob.send(ann, { takeover: n });
  }
  relay.ahead = ann.ahead = bob.ahead = 7 * 86_400_000;
  const device = await restored(bob, backup);
  await device.send(ann, { from: 'the backup' });
  expect(device.peer.self.epoch.counter).toBe(5);
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ n: 1 }, { takeover: 0 }, { takeover: 1 }, { takeover: 2 }, { from: 'the backup' }]);
  await expect(bob.send(ann, {})).rejects.toMatchObject({ code: 'displaced' });
});

test('[A2C-8] frames of an earlier device are refused, and the same epoch on another device stops the line', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames: Uint8Array[] = [];
  const toRelay = (data: string | Uint8Array): string | Uint8Array => (typeof data === 'string' || frames.push(data), data);
  bob.meddler = { toRelay };
  await bob.send(ann, { old: true });
  const device = await restored(bob, await backupOf(bob));
  device.meddler = { toRelay };
  await device.send(ann, { from: 'the new device' });
  const [old, current] = [frames[0]!, frames.at(-1)!];
  expect(await ann.peer.receive(current)).toMatchObject({ kind: 'packet' });
  expect(await ann.peer.receive(old)).toMatchObject({ kind: 'dropped', reason: 'old_epoch' });
  const { header, body } = readFrame(current);
  const { seed, address, epoch } = device.peer.self;
  const fork = { ...header, packet_id: 'pkt_forked0001', epoch: { ...epoch, device: bob.peer.self.epoch.device } };
  const forked = signFrame({ address: address!, key: newSigningKey(fromBase64Url(seed)), epoch }, fork, body);
  expect(await ann.peer.receive(forked)).toMatchObject({ kind: 'stopped', alarm: 'epoch_fork' });
  await expect(ann.send(bob, {})).rejects.toMatchObject({ code: 'line_stopped' });
});

const turns = process.env['PARLEY_TEST_FULL'] === '1' ? 100 : 8;

test(`[A2C-8] two devices that alternate ${turns} times share no session and repeat no nonce`, async () => {
  const [ann, bob] = await newPair(await startRelay());
  const frames = ann.watchFrames();
  const devices = [bob, await restored(bob, await backupOf(bob))];
  for (let turn = 0; turn < turns; turn += 1) {
    const device = devices[turn % 2]!;
    if (turn > 0) {
      await device.exchange().catch(() => {});
      await takeOver(device.peer);
    }
    await device.send(ann, { turn });
    await ann.exchange();
  }
  const sent = (await ann.contexts()).map((context) => (context as { turn: number }).turn);
  expect(sent).toEqual(Array.from({ length: turns }, (_, turn) => turn));
  const bodies = frames.map((frame) => readFrame(frame).body);
  const epochs = new Map<string, Set<number>>();
  for (const { header, body } of frames.map((frame) => readFrame(frame))) {
    const group = toBase64Url(groupOf(body));
    epochs.set(group, (epochs.get(group) ?? new Set()).add(header.epoch.counter));
  }
  expect([...epochs.values()].every(({ size }) => size === 1)).toBe(true);
  expect(epochs.size).toBeGreaterThanOrEqual(turns);
  // The box begins with its nonce, after the messages whose length stands in front.
  const nonces = bodies.map((body) =>
    toBase64Url(body.subarray(4 + new DataView(body.buffer, body.byteOffset).getUint32(0)).subarray(0, 24)),
  );
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(await ann.peer.list()).toMatchObject([{ alarm: null }]);
});
