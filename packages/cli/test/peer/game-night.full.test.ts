// A dinner that becomes a game night, and the games that are split off.

import { expect, test } from 'vitest';
import { commands, dinnerPair, eventsOf, exchangeAll, opened, untilProposal } from './negotiation-kit.ts';

test('[A2C-19] [A2C-20] a dinner becomes a game night, the games are split off, and each is agreed on its own', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const first = (await commands(ann).show(id)).proposal?.hash;

  const wider = 'Game night on Friday (dinner and games)';
  const needs = [{ field: 'game_preferences', priority: 'helpful' as const, reason: 'To choose a game' }];
  const changed = await commands(ann).changeIntent({ threadId: id, intent: wider, needs });
  expect(changed).toMatchObject({ state: 'NEGOTIATING', intent: wider, waitsForMe: false });
  await exchangeAll(ann, bob);
  const asked = await commands(bob).show(id);
  expect(asked).toMatchObject({ state: 'NEGOTIATING', intent: wider });
  expect(asked.openPrompts).toMatchObject([
    { kind: 'expansion', before: 'Dinner on Friday', intent: wider, asked: ['game_preferences'], isFork: false },
  ]);
  expect(asked.openPrompts[0]!.shared.toSorted()).toEqual(['dietary', 'location_preference', 'time_windows']);
  // Nothing goes out before Bob has answered.
  const packets = (await opened(ann)).length;
  await exchangeAll(ann, bob);
  expect((await opened(ann)).length).toBe(packets);
  await commands(bob).answer({ promptId: id, answer: { kind: 'go_on' } });
  await exchangeAll(ann, bob);
  // The further need follows the ordinary consent.
  expect((await commands(bob).show(id)).openPrompts).toMatchObject([{ kind: 'consent', fields: [{ field: 'game_preferences' }] }]);
  await commands(bob).consent({ id, answers: [{ field: 'game_preferences', answer: 'share', value: 'chess' }] });
  await exchangeAll(ann, bob);
  const widened = await commands(ann).show(id);
  expect([widened.state, widened.received['game_preferences']]).toEqual(['PROPOSED', 'chess']);
  expect(widened.proposal?.hash).not.toBe(first);

  const split = await commands(ann).split({ id, into: ['Games on Friday'], rest: 'Dinner on Friday' });
  expect(split.forks).toHaveLength(1);
  const [games] = split.forks as [string];
  await exchangeAll(ann, bob);
  expect([ann.failures, bob.failures]).toEqual([[], []]);
  const [hers, his] = [await commands(ann).show(games), await commands(bob).show(games)];
  // No word in it is new, so nobody is asked about the scope; nothing that was answered is asked again.
  expect([hers.state, his.state, hers.parent, his.parent]).toEqual(['PROPOSED', 'PROPOSED', id, id]);
  expect(hers.proposal?.hash).toBe(his.proposal?.hash);
  expect([hers.packets, his.prompts, his.received['dietary']]).toEqual([1, 0, 'vegetarian']);
  // The games know when the dinner ends.
  const dinner = (await commands(ann).show(id)).proposal!;
  expect(hers.proposal!.details['start']).toBe(dinner.details['end']);
  expect(hers.proposal!.reasoning).toContain('it follows');

  for (const person of [bob, ann]) await commands(person).confirm({ id: games, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
  const states = async (thread: string): Promise<string[]> =>
    Promise.all([ann, bob].map(async (person) => (await commands(person).show(thread)).state));
  expect([await states(games), await states(id)]).toEqual([
    ['COMPLETED', 'COMPLETED'],
    ['PROPOSED', 'PROPOSED'],
  ]);
  for (const person of [bob, ann]) await commands(person).confirm({ id, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
  expect([await states(id), await eventsOf(ann), await eventsOf(bob)]).toEqual([['COMPLETED', 'COMPLETED'], 2, 2]);
});
