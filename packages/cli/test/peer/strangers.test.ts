import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf, newBackupKey, writeBackup } from '@parley/peer';
import type { OwnPeerCalls } from '@parley/protocol';
import { newPair, newPerson, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const commands = ({ link, negotiations }: Person): OwnPeerCalls => callsOf(link, (act) => link.exchange(act), negotiations);

/** Every record, so that a test sees that nothing was stored. */
const sizes = async ({ store }: Person): Promise<number[]> =>
  Promise.all(
    (['peer', 'seen', 'session', 'packet', 'negotiation', 'outbox'] as const).map(async (kind) => (await store.list(kind)).length),
  );

async function changePeer(of: Person, about: Person, change: object): Promise<void> {
  const { value } = (await of.store.get('peer', about.address))!;
  await of.store.commit([{ put: 'peer', key: about.address, value: { ...(value as object), ...change } }]);
}

test('[A2C-9] a blocked sender’s packets are dropped by the relay and, if it does not, here; unblocked, the line works again', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await ann.send(bob, { n: 1 });
  await bob.send(ann, { answer: 1 });
  await ann.exchange();
  await bob.peer.write(ann.address, { type: 'context', context: { waits: true } });
  expect(await commands(bob).block({ address: ann.address, isOn: true })).toMatchObject({ blocked: true, line: null });
  expect(await bob.store.list('outbox')).toEqual([]);
  const frames: Uint8Array[] = [];
  ann.meddler = { toRelay: (data) => (typeof data === 'string' || frames.push(data), data) };
  await ann.send(bob, { n: 2 });
  const before = bob.events.length;
  await bob.exchange();
  expect(bob.events.slice(before)).toEqual([]);
  const stored = await sizes(bob);
  expect(await bob.peer.receive(frames[0]!)).toMatchObject({ kind: 'dropped', reason: 'blocked' });
  expect(await sizes(bob)).toEqual(stored);
  await expect(bob.send(ann, { n: 3 })).rejects.toMatchObject({ code: 'blocked' });
  expect(await commands(bob).block({ address: ann.address, isOn: false })).toMatchObject({ blocked: false, line: null });
  await bob.send(ann, { n: 4 });
  for (const one of [ann, bob, ann, bob]) await one.exchange();
  await ann.send(bob, { n: 5 });
  await bob.exchange();
  expect(await ann.contexts()).toEqual([{ answer: 1 }, { n: 4 }]);
  expect((await bob.contexts()).at(-1)).toEqual({ n: 5 });
});

test('[A2C-8] [A2C-9] the relay blocks what the device that took over blocks, and nothing that only the one before did', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  const eve = 'agent:eve@localhost';
  await commands(bob).block({ address: eve, isOn: true });
  const secret = { key: newBackupKey() };
  const backup = await writeBackup(bob.peer, secret);
  await commands(bob).block({ address: ann.address, isOn: true });
  const device = await bob.restored(backup, secret);
  await device.exchange();
  expect(await relay.served.relay.store.blocks()).toEqual([{ owner: bob.address, address: eve }]);
  await ann.send(device, { n: 1 });
  await device.exchange();
  expect(await device.contexts()).toEqual([{ n: 1 }]);
});

test('[A2C-9] a block without a relay counts at once, and the relay learns it with the next connection', async () => {
  const relay = await startRelay();
  const [, bob] = await newPair(relay);
  await relay.stop();
  const unknown = 'agent:eve@localhost';
  expect(await commands(bob).block({ address: unknown, isOn: true })).toMatchObject({ blocked: true, line: expect.any(String) });
  await relay.start();
  const said: string[] = [];
  bob.meddler = { toRelay: (data) => (typeof data === 'string' && said.push(data), data) };
  for (let n = 0; n < 2; n += 1) await bob.exchange();
  expect(said.filter((text) => text.includes('"type":"block"'))).toEqual([
    expect.stringContaining(`"address":"${unknown}","blocked":true`),
  ]);
  await expect(commands(bob).block({ address: 'agent:nobody@localhost', isOn: false })).rejects.toMatchObject({ code: 'unknown_peer' });
});

test('[A2C-9] a signed report reaches the relay', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await ann.send(bob, { buy: 'now' });
  await bob.exchange();
  await commands(bob).report({ address: ann.address, reason: 'spam' });
  await relay.stop();
  const db = new DatabaseSync(join(relay.folder, 'relay.db'));
  const rows = db.prepare('SELECT reporter, about, reason FROM reports').all();
  db.close();
  await relay.start();
  expect(rows).toEqual([{ reporter: bob.address, about: ann.address, reason: 'spam' }]);
});

test('[A2C-9] a stranger fills only so much of this disk; once the person answers, the rest comes', async () => {
  const relay = await startRelay();
  const [, bob] = await newPair(relay);
  const eve = await newPerson(relay, 'eve');
  await eve.peer.add(bob.peer.card());
  await eve.send(bob, { n: 1 });
  await bob.exchange();
  expect((await bob.store.get('peer', eve.address))!.value).toMatchObject({ stranger: { frames: 1, bytes: expect.any(Number) } });
  for (const full of [
    { frames: 100, bytes: 0 },
    { frames: 2, bytes: 2 ** 20 },
  ]) {
    await changePeer(bob, eve, { stranger: full });
    await eve.send(bob, { full });
    const stored = await sizes(bob);
    await bob.exchange();
    expect(bob.events.at(-1)).toMatchObject({ arrival: { kind: 'dropped', reason: 'stranger_limit' } });
    expect(await sizes(bob)).toEqual(stored);
  }
  await bob.send(eve, { hello: true });
  for (const one of [eve, bob]) await one.exchange();
  expect(await bob.contexts()).toHaveLength(3);
  expect((await bob.store.get('peer', eve.address))!.value).toMatchObject({ stranger: null });
});

test('[A2C-9] of 200 strangers nobody was answered: the next one is dropped, and people who are known are not', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  const eve = await newPerson(relay, 'eve');
  await eve.peer.add(bob.peer.card());
  const { value } = (await bob.store.get('peer', ann.address))!;
  const strangers = Array.from({ length: 200 }, (_, n) => `agent:stranger${n}@localhost`);
  await bob.store.commit(
    strangers.map((address) => ({
      put: 'peer',
      key: address,
      value: { ...(value as object), address, stranger: { frames: 1, bytes: 1 } },
    })),
  );
  await eve.send(bob, { n: 1 });
  await ann.send(bob, { n: 2 });
  const before = await sizes(bob);
  await bob.exchange();
  expect(await bob.contexts()).toEqual([{ n: 2 }]);
  expect((await sizes(bob))[0]).toBe(before[0]);
});

test('[A2C-9] a stranger who uses a key package again leaves others their one-time packages', async () => {
  const relay = await startRelay();
  const [bob, eve] = [await newPerson(relay, 'bob'), await newPerson(relay, 'eve')];
  await eve.peer.add(bob.peer.card());
  let used: string | null = null;
  eve.meddler = {
    fromRelay: (data) => {
      if (typeof data !== 'string' || !data.includes('"type":"entry"')) return data;
      const entry = JSON.parse(data) as { package: string | null };
      used ??= entry.package;
      return JSON.stringify({ ...entry, package: used });
    },
  };
  for (let hour = 0; hour < 4; hour += 1) {
    for (const one of [bob, eve]) one.ahead = hour * 3_700_000;
    for (const { key } of await eve.store.list('session')) await eve.store.commit([{ remove: 'session', key }]);
    await eve.send(bob, { hour });
    for (let n = 0; n < 2; n += 1) await bob.exchange();
    expect(await relay.served.relay.store.packagesLeft(bob.address), `hour ${hour}`).toBeGreaterThan(20);
  }
});

test('[A2C-9] on a line that stays up, packages that somebody took come back', async () => {
  const relay = await startRelay();
  const bob = await newPerson(relay, 'bob');
  bob.online();
  await expect.poll(() => bob.events).toContainEqual({ type: 'connected' });
  const { store } = relay.served.relay;
  for (let n = 0; n < 30; n += 1) await store.lookup(bob.address, true);
  const anHourLater = () => ((bob.ahead += 3_700_000), store.packagesLeft(bob.address));
  await expect.poll(anHourLater).toBe(30);
  expect(bob.ahead, 'before the entry is renewed').toBeLessThan(10 * 86_400_000);
});
