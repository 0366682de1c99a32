import type { OwnPeerCalls } from '@parley/protocol';
import { expect, test } from 'vitest';
import { commands, exchangeAll } from './negotiation-kit.ts';
import { newPair } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';
import { offline, space, valuesIn, write } from './spaces-kit.ts';

test('[A2C-33] two people edit a trip offline, and end with the same fields, history and changes', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'full-write' }] });
  await write(ann, id, { hotel: 'Astoria', days: 'Friday to Sunday' });
  expect(await space(bob, id)).toMatchObject({ name: 'Rome', isJoined: true, changes: [{ field: 'hotel' }, { field: 'days' }] });

  await offline(ann, id, { hotel: 'Ritz', 'ann.train': '9:14' });
  await offline(bob, id, { hotel: 'Hassler', 'bob.flight': 'BA 548' });
  await exchangeAll(ann, bob);
  const [hers, his] = [await space(ann, id), await space(bob, id)];
  expect(valuesIn(hers)).toEqual({ 'ann.train': '9:14', 'bob.flight': 'BA 548', days: 'Friday to Sunday', hotel: 'Hassler' });
  expect(valuesIn(his)).toEqual(valuesIn(hers));
  expect(hers.fields.find(({ field }) => field === 'hotel')!.earlier.map(({ value }) => value)).toEqual(['Ritz', 'Astoria']);
  expect(hers.changes.map(({ field, before, value }) => [field, before, value])).toEqual([
    ['hotel', 'Ritz', 'Hassler'],
    ['bob.flight', null, 'BA 548'],
  ]);
  expect((await space(ann, id)).changes).toHaveLength(2);
  await commands(ann).seeSpace({ id });
  expect((await space(ann, id)).changes).toEqual([]);
  // A space is no negotiation: nobody is asked anything, and `send` goes on where it was.
  expect(await commands(bob).negotiations()).toEqual([]);
});

test('[A2C-33] permissions hold at the reader, whatever a writer sends', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const { id } = await commands(ann).createSpace({ name: 'Rome', people: [{ with: { address: bob.address }, may: 'write-own-fields' }] });
  await write(ann, id, { hotel: 'Astoria' });
  await expect(write(bob, id, { hotel: 'Ritz' })).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('"bob."') });
  await write(bob, id, { 'bob.flight': 'BA 548' });
  const forged = [
    { field: 'hotel', counter: 9, value: 'Ritz' },
    { field: 'bob.flight', counter: 2 ** 40, value: 'x'.repeat(9000) },
  ];
  await bob.peer.write(ann.address, {
    type: 'space_update',
    threadId: `thr_${id.slice(4)}`,
    members: { space_id: id, created_by: ann.address, updates: forged },
  });
  await exchangeAll(ann, bob);
  expect(await space(ann, id)).toMatchObject({ refused: [{ address: bob.address, times: 2 }] });
  expect(valuesIn(await space(ann, id))).toEqual({ 'bob.flight': 'BA 548', hotel: 'Astoria' });
});

test('[A2C-33] errors name what is wrong', async () => {
  const [ann, bob] = await newPair(await startRelay());
  const create = (request: Parameters<OwnPeerCalls['createSpace']>[0]) => commands(ann).createSpace(request);
  const people = [{ with: { address: bob.address }, may: 'full-write' as const }];
  await expect(create({ name: ' ', people })).rejects.toThrow('name needs 1 to 100 characters');
  await expect(create({ name: 'x', people: [] })).rejects.toThrow('at least one other person');
  await expect(create({ name: 'x', people: [...people, ...people] })).rejects.toThrow('everybody once');
  await expect(create({ name: 'x', people: [{ with: { address: bob.address }, may: 'all' as 'read-all' }] })).rejects.toThrow(
    '"all" is none of',
  );
  await expect(create({ name: 'x', people: [{ with: { address: 'agent:eve@localhost' }, may: 'read-all' }] })).rejects.toThrow(
    'not one of your peers',
  );
  const { id } = await create({ name: 'x', people });
  await expect(write(ann, id, { '__proto__x y': '1' })).rejects.toThrow('must be a word');
  await expect(write(ann, id, { big: 'x'.repeat(9000) })).rejects.toThrow('more than 8192 bytes');
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}`, 'x'.repeat(8000)]));
  await expect(write(ann, id, many)).rejects.toThrow('The values have 72018 bytes; one write has at most 60000.');
  await expect(write(ann, 'spc_nothing', { a: '1' })).rejects.toThrow('There is no space spc_nothing.');
});
