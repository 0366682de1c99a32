// Actions of one's own that cannot run: the card says so before one confirms, and nothing of them is listed as done.

import type { PeerOwner, ProposalCard } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { agree, ann, answerWith, bob, openDinner, promptOf, shareAll, startHosting, stateOf } from './hosting-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-29] [A2C-24] the card marks what one’s own peer can no longer do; an address that nobody may call has changed nothing', async () => {
  const called: string[] = [];
  const hosting = await startHosting({
    fetch: async (url) => {
      called.push(url as string);
      throw Object.assign(new Error('10.0.0.7 is a private address.'), { name: 'PrivateTarget' });
    },
  });
  const { host, hub } = hosting;
  const book = { kind: 'webhook', run: 'https://bookings.example/book', undo: null } as const;
  for (const name of ['book_table', 'order_cab']) await host.call(ann, 'addAction', { ...book, name });
  await expect(host.call(ann, 'addAction', { ...book, name: 'post_outcome' })).rejects.toMatchObject({ code: 'bad_input' });
  await expect(host.call(ann, 'addAction', { ...book, name: 'book_table' })).rejects.toMatchObject({ code: 'occupied' });
  await expect(host.call(ann, 'addAction', { ...book, name: 'x', run: 'http://bookings.example/' })).rejects.toMatchObject({
    code: 'bad_input',
  });
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  const marked = async (person: PeerOwner) =>
    ((await promptOf(hosting, person, dinner, 'proposal')).card as ProposalCard).actions.map(({ text, own, missing = false }) => [
      text.split(' ').at(-1),
      own,
      missing,
    ]);
  expect((await marked(ann)).slice(0, 2)).toEqual([
    ['book_table', true, false],
    ['order_cab', true, false],
  ]);
  expect((await host.call(ann, 'removeAction', { name: 'order_cab' })).actions).toMatchObject([{ name: 'book_table' }]);
  await expect(host.call(ann, 'removeAction', { name: 'order_cab' })).rejects.toMatchObject({ code: 'unknown_id' });
  expect((await marked(ann)).slice(0, 2)).toEqual([
    ['book_table', true, false],
    ['order_cab', true, true],
  ]);
  expect((await marked(bob)).slice(0, 2)).toEqual([
    ['book_table', false, false],
    ['order_cab', false, false],
  ]);
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
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
  const hosting = await startHosting({
    fetch: async (url) => {
      calls.push(url as string);
      return answered.promise;
    },
  });
  const { host } = hosting;
  await host.call(ann, 'addAction', { name: 'book_table', kind: 'webhook', run: 'https://bookings.example/book', undo: null });
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  for (const person of [bob, ann]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  await waitFor(() => expect(calls).toHaveLength(1));
  // Each of these takes a turn of the peer whose webhook hangs.
  await host.call(ann, 'setTier', { field: 'dietary', tier: 'always_share' });
  await openDinner(hosting, 'thr_dinner02');
  await promptOf(hosting, bob, 'thr_dinner02', 'proposal');
  expect((await host.call(ann, 'negotiation', { threadId: dinner })).state).toBe('EXECUTING');
  answered.resolve(new Response('{}'));
  await stateOf(hosting, bob, dinner, 'COMPLETED');
  expect(calls).toHaveLength(1);
});

test('[A2C-29] [A2C-24] a peer posts the agreed sentence to the channel that both read, once, and takes it back when a later action fails', async () => {
  const answers = [409, 200];
  const hosting = await startHosting({ fetch: async () => new Response('{}', { status: answers.shift() ?? 200 }) });
  const { host, hub } = hosting;
  const tell = { name: 'tell_team', kind: 'channel', run: 'con_general', undo: null } as const;
  await expect(host.call(ann, 'addAction', tell)).rejects.toMatchObject({ code: 'bad_input' });
  await host.call(ann, 'addAction', { ...tell, audience: '#general at Northwind' });
  await host.call(ann, 'addAction', { name: 'book_table', kind: 'webhook', run: 'https://bookings.example/book', undo: null });
  expect((await host.call(ann, 'actions', null)).actions[0]).toEqual({ ...tell, undo: 'con_general', audience: '#general at Northwind' });
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  const sentence = async (person: PeerOwner) => {
    const { actions, summary } = (await promptOf(hosting, person, dinner, 'proposal')).card as ProposalCard;
    const text = `Post “${summary}” in #general at Northwind (tell_team)`;
    expect(actions[0]).toEqual({ action: 'tell_team', text, scope: 'shared', by: null, reversible: true, own: person === ann });
    return summary;
  };
  const [first] = [await sentence(ann), await sentence(bob)];
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  // The table is refused after the post.
  await waitFor(() => expect([hub.postings, hub.posts.size]).toEqual([[first], 0]));
  await agree(hosting, dinner);
  expect(hub.postings).toHaveLength(2);
  expect([...hub.posts.values()]).toEqual([`#general at Northwind: ${hub.postings[1]}`]);
  expect(hub.postings[1]).not.toBe(first);
  expect(hub.problems).toEqual([]);
});
