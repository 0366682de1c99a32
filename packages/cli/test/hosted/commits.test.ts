import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { confirmBoth, shareOnce, startStory } from './story-kit.ts';

/** SQLite counts the commits of a file in its header, where it keeps no write-ahead log. */
async function commitsIn(path: string): Promise<number> {
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 24);
  await file.close();
  return buffer.readUInt32BE();
}

const isOfNegotiation = (types: readonly string[]): boolean =>
  types.some((type) => /^(negotiation|checkpoint|sharing)\./.test(type)) && !types.some((type) => type.startsWith('turn.'));

test('[A2C-34] a whole first negotiation is at most 60 commits over both peers and the hub', async () => {
  const groups: string[][] = [];
  const story = await startStory({
    onGroup: ({ committed, facts }) => {
      if (committed) groups.push(facts.map(({ type }) => type));
    },
  });
  const { ann, bob, general, folder } = story;
  for (const person of [ann, bob]) await person.call('makePeer', {});
  const count = () => Promise.all([ann, bob].map(({ id }) => commitsIn(join(folder, 'peers', id, 'peer.db'))));
  let last: number[] = [];
  /** Nothing is stored any more. */
  const settled = () =>
    waitFor(async () => {
      const before = last;
      last = await count();
      expect(last).toEqual(before);
      return last;
    }, 500);
  const before = await settled();
  groups.length = 0;
  await ann.post(general, '^ORAC sort dinner with @bob on Friday');
  await shareOnce(bob);
  await shareOnce(ann);
  await confirmBoth(ann, bob);
  await story.ended();
  const after = await settled();
  const [anns = 0, bobs = 0] = after.map((commits, place) => commits - before[place]!);
  const hubs = groups.filter(isOfNegotiation).length;
  expect([anns, bobs, hubs].every((commits) => commits > 5)).toBe(true);
  expect(anns + bobs + hubs, `${anns} of the initiator's peer, ${bobs} of the other, ${hubs} of the hub`).toBeLessThanOrEqual(60);
});
