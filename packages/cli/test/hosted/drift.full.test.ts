// Two people of one hub: one makes a dinner a game night, the other sees it as a card, and the games are split off.

import type { ExpansionCard } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHosting } from './hosting-kit.ts';

const dinner = 'thr_dinner01';
const wider = 'Game night on Friday (dinner and games)';

test('[A2C-19] [A2C-20] a wider scope is a card, a fork is reported with its parent, and the page gets both', async () => {
  const hosting = await startHosting();
  const { host, hub } = hosting;
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  await promptOf(hosting, ann, dinner, 'proposal');
  await host.call(ann, 'changeIntent', { threadId: dinner, intent: wider, needs: [] });
  const { card, id } = await promptOf(hosting, bob, dinner, 'expansion');
  const { before, intent, isFork, shared } = card as ExpansionCard;
  expect([before, intent, isFork, shared.length > 0]).toEqual(['Dinner on Friday', wider, false, true]);
  // The hub knows the state and the prompt, and no word.
  expect(JSON.stringify(hub.status(bob, dinner))).not.toContain('ight');
  const wrong = host.call(bob, 'answer', { promptId: id, answer: { kind: 'confirm' } });
  await expect(wrong).rejects.toMatchObject({ code: 'bad_input' });
  await answerWith(hosting, bob, dinner, 'expansion', { kind: 'go_on' });
  const again = host.call(bob, 'answer', { promptId: id, answer: { kind: 'go_on' } });
  await expect(again).rejects.toMatchObject({ code: 'answered' });
  await promptOf(hosting, ann, dinner, 'proposal');

  const [parent, games] = await host.call(ann, 'fork', { threadId: dinner, into: ['Games on Friday'] });
  expect([parent!.threadId, games!.intent]).toEqual([dinner, 'Games on Friday']);
  for (const person of [ann, bob]) {
    await promptOf(hosting, person, games!.threadId, 'proposal');
    expect(hub.status(person, games!.threadId)).toMatchObject({ parentThreadId: dinner, state: 'PROPOSED' });
    const whole = await host.call(person, 'negotiation', { threadId: games!.threadId });
    expect(whole.family).toMatchObject([{ relation: 'parent', threadId: dinner }]);
    // They got it before the split, and it is not sent again.
    expect(whole.sharedBefore).toContain('time_windows');
    const { family, steps } = await host.call(person, 'negotiation', { threadId: dinner });
    expect(family).toMatchObject([{ relation: 'fork', threadId: games!.threadId }]);
    const who = person === ann ? 'You' : 'They';
    const texts = steps.map(({ text }) => text);
    expect(texts).toContain(`${who} changed what it is about to “${wider}”, from “Dinner on Friday”`);
    expect(texts).toContain(`${who} split off “Games on Friday”`);
  }
  for (const person of [bob, ann]) await answerWith(hosting, person, games!.threadId, 'proposal', { kind: 'confirm' });
  await waitFor(() => hub.status(ann, games!.threadId)?.state === 'COMPLETED');
  expect(hub.status(ann, dinner)!.state).toBe('PROPOSED');

  // About something new: the scope is asked first, and the proposal after it.
  const [, drinks] = await host.call(ann, 'fork', { threadId: dinner, into: ['Drinks on Sunday'] });
  await promptOf(hosting, bob, drinks!.threadId, 'expansion');
  await waitFor(() => hub.status(bob, drinks!.threadId)?.state === 'PROPOSED');
  expect(hub.status(bob, drinks!.threadId)!.prompts.map(({ kind }) => kind)).toEqual(['expansion']);
  await answerWith(hosting, bob, drinks!.threadId, 'expansion', { kind: 'go_on' });
  await answerWith(hosting, bob, drinks!.threadId, 'proposal', { kind: 'confirm' });
});
