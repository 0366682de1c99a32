// The story of issue and README: somebody asks an agent in a channel, two people tap, and the outcome is in the channel and in both
// calendars. A real hub, its relay, its peers and no model.

import { beforeEach, expect, test } from 'vitest';
import type { ConsentCard, ProposalCard } from '@parley/protocol';
import { cardOf, confirmBoth, inboxOf, shareAlways, startStory, type Story } from './story-kit.ts';

let story: Story;
beforeEach(async () => {
  story = await startStory();
});

test('[A2C-34] [SYS-1] [SYS-7] dinner with @bob: two taps each, the outcome in the same task, the event in both calendars', async () => {
  const { ann, bob, general } = story;
  await ann.post(general, '^ORAC sort dinner with @bob on Friday');
  const asked = (await cardOf(bob, 'consent')) as ConsentCard;
  expect(asked).toMatchObject({ peerName: 'ann', intent: 'dinner on Friday' });
  await shareAlways(bob);
  await shareAlways(ann);
  const { summary, actions } = (await cardOf(ann, 'proposal')) as ProposalCard;
  expect(actions.map(({ text }) => text)).toEqual([
    'Add “Dinner with Bob” to your calendar',
    expect.stringMatching(new RegExp(`^Post “${summary}, with Ann and Bob” in #general`)),
  ]);
  expect(await story.bodies()).not.toContain(summary);
  await confirmBoth(ann, bob);
  const [task] = await story.ended();
  expect(task).toMatchObject({ state: 'completed' });
  expect((await story.bodies()).filter((body) => body.includes(summary))).toEqual([`${summary}, with Ann and Bob`]);
  for (const person of [ann, bob]) {
    expect((await story.calendar(person)).match(/BEGIN:VEVENT/g)).toHaveLength(1);
    expect(await inboxOf(person)).toEqual([]);
  }

  await ann.post(general, '^ORAC sort dinner with @bob on Saturday');
  await confirmBoth(ann, bob);
  await story.ended(2);
  const { negotiations } = await bob.call('listNegotiations', {});
  const second = await bob.call('getNegotiation', { params: { threadId: negotiations[0]!.threadId } });
  expect(second).toMatchObject({ state: 'COMPLETED', prompts: 0 });
});
