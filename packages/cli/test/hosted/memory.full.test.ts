// What a peer remembers of the other person, over HTTP: shown and corrected by its own person alone, and gone with a block.

import { expect, test } from 'vitest';
import { confirmBoth, shareAlways, startStory } from './story-kit.ts';

test('[A2C-31] memory of a relationship is viewed, edited, forgotten by field, and purged by a block', async () => {
  const story = await startStory();
  const { ann, bob, general } = story;
  await ann.post(general, '^ORAC sort dinner with @bob on Friday');
  for (const person of [bob, ann]) await shareAlways(person);
  await confirmBoth(bob, ann);
  await story.ended();
  const memoryOf = async (person: typeof ann) => (await person.call('listPeerMemory', {})).memory;
  const [of] = await memoryOf(ann);
  expect(of).toMatchObject({ name: 'bob', interactions: 1, declines: [] });
  expect(of!.cache.map(({ field }) => field)).toContain('dietary');
  const params = { address: of!.address };
  const edited = await ann.call('editPeerMemory', { params, body: { field: 'dietary', value: 'vegan' } });
  expect(edited.cache.find(({ field }) => field === 'dietary')).toMatchObject({ value: 'vegan' });
  await ann.call('editPeerMemory', { params, body: { field: 'dietary', value: null } });
  expect((await memoryOf(ann))[0]!.cache.map(({ field }) => field)).not.toContain('dietary');
  // Nobody learns what somebody else’s peer remembers.
  expect((await bob.ask('editPeerMemory', { params, body: { field: 'dietary', value: 'x' } })).status).toBe(404);
  await ann.call('blockPeerPerson', { params, body: { isOn: true } });
  expect(await memoryOf(ann)).toEqual([]);
  await ann.call('blockPeerPerson', { params, body: { isOn: false } });
  expect(await memoryOf(ann)).toEqual([]);
  expect(await memoryOf(bob)).toHaveLength(1);
});
