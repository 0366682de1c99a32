import { expect, test } from 'vitest';
import { commands, exchangeAll } from './negotiation-kit.ts';
import { newPair, newPerson, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';
import { space, valuesIn, write } from './spaces-kit.ts';

type Update = { field: string; counter: number; value: unknown };

/** As a program that does not keep to the rules would send it. */
const send = (from: Person, to: Person, id: string, creator: string, updates: Update[], more: object = {}) =>
  from.peer.write(to.address, {
    type: 'space_update',
    ...(from.peer.address.startsWith('agent:eve@') ? {} : { threadId: `thr_${id.slice(4)}` }),
    members: { space_id: id, created_by: creator, updates, ...more },
  });

test('[A2C-33] 10,000 fields of a hostile writer end at the limit, and one’s own fields stay writable', async () => {
  const [ann, bob] = await newPair(await startRelay({ PARLEY_RELAY_FRAMES_PER_MINUTE: '100000', PARLEY_RELAY_QUEUE: '1000' }));
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  await write(ann, id, { hotel: 'Astoria' });
  await exchangeAll(ann, bob);
  for (let packet = 0; packet < 200; packet += 1)
    await send(
      bob,
      ann,
      id,
      ann.address,
      Array.from({ length: 50 }, (_, n) => ({ field: `f${packet * 50 + n}`, counter: 1, value: 'x' })),
    );
  await exchangeAll(ann, bob);
  const view = await space(ann, id);
  expect(view.fields).toHaveLength(2000);
  expect(view.refused).toEqual([{ address: bob.address, times: 8001 }]);
  expect(view.changes.length).toBeLessThanOrEqual(50);
  await write(ann, id, { hotel: 'Ritz' });
  expect((await space(ann, id)).fields.find(({ field }) => field === 'hotel')).toMatchObject({ value: 'Ritz', version: 2 });
});

test('[A2C-33] a value of a megabyte and counters near 2^53 are not taken, by the sender’s own peer or by the reader’s', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  await write(ann, id, { hotel: 'Astoria' });
  await exchangeAll(ann, bob);
  for (const counter of [2 ** 53 - 1, 2 ** 53, 2 ** 40 + 1, 0, -1, 1.5])
    await expect(send(bob, ann, id, ann.address, [{ field: 'hotel', counter, value: 'Ritz' }])).rejects.toThrow();
  await expect(send(bob, ann, id, ann.address, [{ field: 'hotel', counter: 9, value: 'x'.repeat(1_000_000) }])).rejects.toThrow();
  await expect(write(bob, id, { hotel: 'x'.repeat(1_000_000) })).rejects.toThrow('more than 8192 bytes');
  // The highest counter would win for ever.
  await send(bob, ann, id, ann.address, [{ field: 'hotel', counter: 2 ** 40, value: 'Hassler' }]);
  await exchangeAll(ann, bob);
  expect(valuesIn(await space(ann, id))).toEqual({ hotel: 'Astoria' });
  await write(ann, id, { hotel: 'Ritz' });
  expect(valuesIn(await space(ann, id))).toEqual({ hotel: 'Ritz' });
});

test('[A2C-33] an author is who sealed the packet: nobody writes in another’s name, redefines a space, or brings it back', async () => {
  const relay = await startRelay();
  const [ann, bob] = await newPair(relay);
  const eve = await newPerson(relay, 'eve');
  await eve.peer.add(ann.peer.card());
  await ann.peer.add(eve.peer.card());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'write-own-fields' }] });
  await write(ann, id, { hotel: 'Astoria' });
  await exchangeAll(ann, bob);
  // Eve is no participant, and names bob.
  await send(eve, ann, id, ann.address, [{ field: 'bob.flight', counter: 1, value: 'forged', by: bob.address } as Update]);
  // Bob gives himself everything.
  const people = [ann, bob].map(({ address }) => ({ agent: address, may: 'full-write' }));
  await send(bob, ann, id, ann.address, [{ field: 'hotel', counter: 9, value: 'Ritz' }], { space: { name: 'Mine', participants: people } });
  // An update is repeated.
  for (let n = 0; n < 3; n += 1) await send(bob, ann, id, ann.address, [{ field: 'bob.flight', counter: 1, value: 'BA 548' }]);
  await exchangeAll(ann, bob, eve);
  const view = await space(ann, id);
  expect([view.name, valuesIn(view)]).toEqual(['Rome', { 'bob.flight': 'BA 548', hotel: 'Astoria' }]);
  expect(view.refused).toHaveLength(2);
  for (const { address } of [eve, bob]) expect(view.refused).toContainEqual({ address, times: 1 });
  expect(view.fields.find(({ field }) => field === 'bob.flight')!.earlier).toEqual([]);

  await commands(ann).leaveSpace({ id });
  await send(bob, ann, id, ann.address, [{ field: 'bob.flight', counter: 2, value: 'back again' }]);
  await exchangeAll(ann, bob);
  expect(await commands(ann).spaces()).toEqual([]);
  expect(JSON.stringify(await ann.store.list('space'))).not.toContain('Astoria');
  expect(await space(bob, id)).toMatchObject({ people: [{ address: ann.address, isGone: true }, { isGone: false }] });
  await write(bob, id, { 'bob.flight': 'alone' });
  await expect(commands(ann).writeSpace({ id, writes: [{ field: 'hotel', value: 'x' }] })).rejects.toThrow('There is no space');
});
