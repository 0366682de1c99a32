// The thread of the peers ends while a tool of somebody's own runs. A tool has no idempotency key: it is undone, never called again.

import type { ProposalCard } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHouse, stateOf } from './house-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-29] [A2C-34] the thread ends while a tool runs: one call for each proposal, and one undo', async () => {
  let isFirst = true;
  const house = await startHouse({
    onTool: async (tool) => {
      if (tool !== 'club/tell' || !isFirst) return;
      isFirst = false;
      void house.worker.terminate();
      await new Promise(() => {});
    },
  });
  const { host, hub } = house;
  hub.tools.set(bob.memberId, ['club/tell', 'club/untell']);
  await host.call(bob, 'addAction', { name: 'tell_club', kind: 'tool', run: 'club/tell', undo: 'club/untell' });
  await openDinner(house);
  await shareAll(house, bob, dinner, 'always');
  await shareAll(house, ann, dinner, 'always');
  const first = (await promptOf(house, ann, dinner, 'proposal')).card as ProposalCard;
  for (const person of [ann, bob]) await answerWith(house, person, dinner, 'proposal', { kind: 'confirm' });
  await waitFor(() => expect(hub.problems.join()).toContain('starts again'));
  for (const person of [ann, bob])
    await waitFor(async () => {
      const { card } = await promptOf(house, person, dinner, 'proposal');
      expect((card as ProposalCard).summary).not.toBe(first.summary);
    });
  for (const person of [ann, bob]) await answerWith(house, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) {
    await stateOf(house, person, dinner, 'COMPLETED');
    expect((await host.call(person, 'calendar', null)).ics.match(/BEGIN:VEVENT/g)).toHaveLength(1);
  }
  expect(hub.toolCalls).toEqual(['tell', 'untell', 'tell'].map((tool) => `${bob.memberId} club/${tool}`));
});
