import type { PacketContents } from '@parley/protocol/relay';
import { beforeEach, describe, expect, test } from 'vitest';
import { newEpoch, newRemotePeer, type RemotePeer } from '../packets/peer-records.ts';
import type { PeerStore, StoredRecord } from '../store/port.ts';
import { takeSpaceUpdate } from './arrivals.ts';
import { spaceKey, type SpaceRecord, withSeen } from './space-records.ts';

const own = 'agent:ann@localhost';
const person = (name: string, trust: RemotePeer['trust'] = 'pinned'): RemotePeer =>
  newRemotePeer(`agent:${name}@localhost`, { key: 'k', epoch: newEpoch(1), trust });
const [bob, mallory] = [person('bob'), person('mallory')];
const idOf = (n: number): string => `spc_${String(n).padStart(10, '0')}`;

let stored: SpaceRecord[] = [];
beforeEach(() => {
  stored = [];
});
const recordOf = (value: SpaceRecord, at: number): StoredRecord => ({
  key: spaceKey(value.creator, value.id),
  sequence: at + 1,
  version: 1,
  value,
});
/** Holds spaces only, and takes no time for it. */
const store: PeerStore = {
  get: async (_, key) => stored.map(recordOf).find((one) => one.key === key),
  list: async (kind, after = 0) => (kind === 'space' ? stored.map(recordOf).slice(after) : []),
  commit: async (changes) => {
    for (const change of changes) {
      if (!('put' in change)) continue;
      const at = stored.map(recordOf).findIndex(({ key }) => key === change.key);
      stored.splice(at === -1 ? stored.length : at, 1, change.value as SpaceRecord);
    }
  },
  close: async () => {},
};

type Content = PacketContents<'space_update'>;
const take = (peer: RemotePeer, content: Partial<Content> & { space_id: string }) =>
  takeSpaceUpdate(store, {
    peer,
    own,
    now: 1,
    content: { created_by: peer.address, updates: [], ...content },
  });
/** A space of this person, whose packets name all three. */
const define = (creator: RemotePeer, id: string) =>
  take(creator, {
    space_id: id,
    space: { name: 'Rome', participants: [own, bob.address, mallory.address].map((agent) => ({ agent, may: 'full-write' as const })) },
  });
const write = (peer: RemotePeer, fields: Record<string, string>, counter = 1, id = idOf(0)) =>
  take(peer, {
    space_id: id,
    created_by: bob.address,
    updates: Object.entries(fields).map(([field, value]) => ({ field, counter, value })),
  });

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('[A2C-33] a field may be called %s', async (field) => {
  await define(bob, idOf(0));
  await write(bob, { [field]: 'x' });
  const [space] = stored;
  expect(space!.changes).toMatchObject([{ field, before: null, value: 'x' }]);
});

test('[A2C-33] a space that somebody shares is new to the person until they look', async () => {
  await define(bob, idOf(0));
  expect(stored[0]).toMatchObject({ isNew: true, noticed: 1 });
  expect(withSeen(stored[0]!)).toMatchObject({ seenNoticed: 1, changes: [] });
  expect(withSeen(stored[0]!)).not.toHaveProperty('isNew');
});

describe('[A2C-33] storage that others can fill', () => {
  test.each([
    ['pinned', 20],
    ['unverified', 3],
  ] as const)('of somebody %s: %i spaces, whatever creator they name', async (trust, most) => {
    const eve = person('eve', trust);
    for (let n = 0; n < 60; n += 1) await take(eve, { space_id: idOf(n), created_by: `agent:c${n}@localhost` });
    expect(stored).toHaveLength(most);
  });

  test.each([
    ['wrote in one', { fields: { hotel: { current: { counter: 1, by: own, value: 'x' }, earlier: [] } } }],
    ['watches one', { watches: ['*'] }],
    ['posts one', { channel: { audience: '', last: 0, pending: [] } }],
    ['shared one of their own', { creator: own }],
  ])('50 once the person %s', async (_, used) => {
    await define(bob, idOf(0));
    stored[0] = { ...stored[0]!, ...used };
    for (let n = 1; n < 60; n += 1) await define(bob, idOf(n));
    expect(stored.filter(({ creator }) => creator === bob.address)).toHaveLength(50);
  });

  test('spaces that somebody else speaks of take no room of their creator’s', async () => {
    for (let n = 1; n <= 60; n += 1) await take(mallory, { space_id: idOf(n), created_by: bob.address });
    await define(bob, idOf(0));
    expect(stored.filter(({ definition }) => definition)).toHaveLength(1);
  });

  test('a creator has twenty, also where somebody else spoke of them first', async () => {
    for (let n = 0; n < 60; n += 1) {
      await take(mallory, { space_id: idOf(n), created_by: bob.address });
      await define(bob, idOf(n));
    }
    expect(stored.filter(({ definition }) => definition)).toHaveLength(20);
  });

  test('a writer who replaces large values has two megabytes of a space, and nobody else loses a version by it', async () => {
    const size = (): number => JSON.stringify(stored[0]!.fields).length;
    const seven = (name: string, n: number) => Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`${name}${at}`, large(n)]));
    const large = (n: number): string => String(n).padEnd(8000, 'x');
    await define(bob, idOf(0));
    for (const [n, hotel] of ['Astoria', 'Ritz'].entries()) await write(bob, { hotel }, n + 1);
    for (let n = 0; n < 40; n += 1) {
      await write(mallory, seven('f', n), n + 1);
      await write(mallory, seven(`g${n}.`, n));
    }
    expect(size()).toBeLessThan(2.2e6);
    const [space] = stored;
    expect(space!.refused[mallory.address]).toBeGreaterThan(0);
    expect(space!.fields['hotel']!.earlier.map(({ value }) => value)).toEqual(['Astoria']);
    await write(bob, { hotel: 'Hassler', days: 'two' }, 3);
    expect(stored[0]!.fields).toMatchObject({ hotel: { current: { value: 'Hassler' } }, days: { current: { value: 'two' } } });
  });

  test('a value that no space takes does not wait for its definition either', async () => {
    await write(mallory, { big: 'x'.repeat(9000), small: 'y' });
    expect(stored).toMatchObject([{ early: [{ field: 'small' }], refused: { [mallory.address]: 1 } }]);
  });
});

test('[A2C-33] nobody hides a space behind another one with its ID', async () => {
  await define(bob, idOf(0));
  await write(bob, { hotel: 'Astoria' });
  await define(mallory, idOf(0));
  expect(stored).toMatchObject([{ creator: bob.address, fields: { hotel: {} } }]);
});
