// Actions of one's own that cannot run: the card says so before one confirms, and nothing of them is listed as done.

import type { PeerOwner, ProposalCard } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHouse, stateOf } from './house-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-29] [A2C-24] the card marks what one’s own peer can no longer do; an address that nobody may call has changed nothing', async () => {
  const called: string[] = [];
  const house = await startHouse({
    fetch: async (url) => {
      called.push(url as string);
      throw Object.assign(new Error('10.0.0.7 is a private address.'), { name: 'PrivateTarget' });
    },
  });
  const { host, hub } = house;
  const book = { kind: 'webhook', run: 'https://bookings.example/book', undo: null } as const;
  for (const name of ['book_table', 'order_cab']) await host.call(ann, 'addAction', { ...book, name });
  await expect(host.call(ann, 'addAction', { ...book, name: 'post_outcome' })).rejects.toMatchObject({ code: 'bad_input' });
  await expect(host.call(ann, 'addAction', { ...book, name: 'book_table' })).rejects.toMatchObject({ code: 'occupied' });
  await expect(host.call(ann, 'addAction', { ...book, name: 'x', run: 'http://bookings.example/' })).rejects.toMatchObject({
    code: 'bad_input',
  });
  await openDinner(house);
  for (const person of [bob, ann]) await shareAll(house, person, dinner, 'always');
  const marked = async (person: PeerOwner) =>
    ((await promptOf(house, person, dinner, 'proposal')).card as ProposalCard).actions.map(({ text, own, missing = false }) => [
      text.split(' ').at(-1),
      own,
      missing,
    ]);
  expect((await marked(ann)).slice(0, 2)).toEqual([
    ['book_table', true, false],
    ['order_cab', true, false],
  ]);
  expect((await host.call(ann, 'removeAction', { name: 'order_cab' })).actions).toMatchObject([{ name: 'book_table' }]);
  await expect(host.call(ann, 'removeAction', { name: 'order_cab' })).rejects.toMatchObject({ code: 'not_found' });
  expect((await marked(ann)).slice(0, 2)).toEqual([
    ['book_table', true, false],
    ['order_cab', true, true],
  ]);
  expect((await marked(bob)).slice(0, 2)).toEqual([
    ['book_table', false, false],
    ['order_cab', false, false],
  ]);
  for (const person of [ann, bob]) await answerWith(house, person, dinner, 'proposal', { kind: 'confirm' });
  const steps = await waitFor(async () => {
    const found = (await host.call(bob, 'negotiation', { threadId: dinner })).steps.map(({ kind }) => kind);
    expect(found.filter((kind) => kind === 'resolution')).not.toHaveLength(1);
    return found;
  });
  expect(steps).not.toContain('irreversible');
  expect(called).toEqual([book.run]);
  expect(hub.problems).toEqual([]);
});

test('[A2C-29] a webhook that does not answer holds up nothing else, and is called once', async () => {
  const calls: string[] = [];
  const answered = Promise.withResolvers<Response>();
  const house = await startHouse({
    fetch: async (url) => {
      calls.push(url as string);
      return answered.promise;
    },
  });
  const { host } = house;
  await host.call(ann, 'addAction', { name: 'book_table', kind: 'webhook', run: 'https://bookings.example/book', undo: null });
  await openDinner(house);
  for (const person of [bob, ann]) await shareAll(house, person, dinner, 'always');
  for (const person of [bob, ann]) await answerWith(house, person, dinner, 'proposal', { kind: 'confirm' });
  await waitFor(() => expect(calls).toHaveLength(1));
  // Each of these takes a turn of the peer whose webhook hangs.
  await host.call(ann, 'setTier', { field: 'dietary', tier: 'always_share' });
  await openDinner(house, 'thr_dinner02');
  await promptOf(house, bob, 'thr_dinner02', 'proposal');
  expect((await host.call(ann, 'negotiation', { threadId: dinner })).state).toBe('EXECUTING');
  answered.resolve(new Response('{}'));
  await stateOf(house, bob, dinner, 'COMPLETED');
  expect(calls).toHaveLength(1);
});
