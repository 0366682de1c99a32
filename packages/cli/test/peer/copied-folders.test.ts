import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { groupOf } from '@parley/peer';
import { readFrame, toBase64Url } from '@parley/protocol/relay';
import { newPair, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

const day = 86_400_000;

/** A file backup of the peer's folder. */
async function copyOf({ folder }: Person): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'parley-copy-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  await cp(folder, copy, { recursive: true });
  return copy;
}

async function putBack(person: Person, copy: string): Promise<void> {
  await person.close();
  await rm(person.folder, { recursive: true });
  await cp(copy, person.folder, { recursive: true });
  await person.open();
}

/** The groups of the frames that leave from now on: within one group every key is used by its number. */
function watchGroups(person: Person): Set<string> {
  const groups = new Set<string>();
  person.meddler = {
    toRelay: (data) => {
      if (typeof data !== 'string') groups.add(toBase64Url(groupOf(readFrame(data).body)));
      return data;
    },
  };
  return groups;
}

test('[A2C-8] a folder that is put back from a copy uses no session again, and nobody gets an alarm', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await bob.send(ann, { n: 1 });
  await ann.exchange();
  await ann.send(bob, { hello: true });
  // The copy is made in the middle of a connection.
  bob.online();
  await expect.poll(() => bob.contexts()).toEqual([{ hello: true }]);
  const copy = await copyOf(bob);
  const before = watchGroups(bob);
  await bob.sendOnline(ann, { n: 2 });
  await ann.exchange();

  await putBack(bob, copy);
  const after = watchGroups(bob);
  await bob.send(ann, { n: 3 });
  await ann.exchange();
  expect(before.size).toBe(1);
  expect(after.size).toBeGreaterThan(0);
  expect(after.isDisjointFrom(before)).toBe(true);
  expect(await ann.contexts()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(await ann.peer.list()).toMatchObject([{ address: bob.address, alarm: null }]);
  expect(bob.peer.self.epoch.counter).toBe(2);
  await ann.send(bob, { back: true });
  await bob.exchange();
  expect(await bob.contexts()).toContainEqual({ back: true });
});

test('[A2C-8] a copy that nothing was sent after keeps its sessions, whatever the clock says', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await bob.send(ann, { n: 1 });
  bob.ahead = -0.9 * day;
  await bob.send(ann, { n: 2 });
  await putBack(bob, await copyOf(bob));
  await bob.send(ann, { n: 3 });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(bob.peer.self.epoch.counter).toBe(1);
});

test('[A2C-8] a copy that is months old is noticed after the relay has forgotten the packets', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  await bob.send(ann, { n: 1 });
  const copy = await copyOf(bob);
  await bob.send(ann, { n: 2 });
  await ann.exchange();
  for (const one of [relay, ann, bob]) one.ahead = 90 * day;
  await relay.served.relay.forget();
  await putBack(bob, copy);
  await bob.exchange();
  expect(bob.peer.self.epoch.counter).toBe(2);
});

test('[A2C-8] two copies that live: the one behind starts new sessions, and the other learns that there is a copy', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await bob.send(ann, { n: 1 });
  const copy = await copyOf(bob);
  bob.online();
  await expect.poll(() => bob.events).toContainEqual({ type: 'connected' });
  await bob.sendOnline(ann, { n: 2 });
  const twin = await bob.twin(copy);
  await twin.send(ann, { n: 3 });
  await expect
    .poll(() => bob.events.at(-1))
    .toMatchObject({ type: 'disconnected', reason: expect.stringContaining('A copy of this folder'), retryMs: null });
  await expect(bob.exchange()).rejects.toMatchObject({ code: 'displaced' });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(await ann.peer.list()).toMatchObject([{ alarm: null }]);
});

test('[A2C-8] a relay that always names a later packet costs new sessions, and no packet', async () => {
  const [ann, bob] = await newPair(await startRelay());
  await bob.send(ann, { n: 1 });
  bob.meddler = {
    fromRelay: (data) => {
      if (typeof data !== 'string' || !data.includes('"ready"')) return data;
      return JSON.stringify({ ...(JSON.parse(data) as object), last_sent_at: Number.MAX_SAFE_INTEGER });
    },
  };
  await bob.send(ann, { n: 2 });
  await bob.send(ann, { n: 3 });
  await ann.exchange();
  expect(await ann.contexts()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(bob.peer.self.epoch.counter).toBe(3);
});
