import { expect, test } from 'vitest';
import { commands, dinnerPair, exchangeAll, latest, opened, untilPrompt } from './negotiation-kit.ts';

test('[A2C-31] [A2C-32] a second dinner asks the person first and then takes two packets', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  await commands(ann).consent({
    id,
    answers: [
      { field: 'cuisine_preference', answer: 'share' },
      { field: 'transport_mode', answer: 'share' },
    ],
  });
  await exchangeAll(ann, bob);
  expect((await latest(ann)).packets).toBe(4);
  const [memory] = await commands(ann).memory({});
  expect(memory).toMatchObject({ address: bob.address, name: 'bob', interactions: 1, intents: ['dinner'] });
  expect(memory!.asks).toEqual(['cuisine_preference', 'transport_mode']);
  expect(memory!.cache.map(({ field, value, confidence }) => [field, value, confidence])).toEqual([
    ['dietary', 'none', 'high'],
    ['location_preference', 'anywhere near the station', 'high'],
  ]);

  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Saturday', needs: [] });
  const asked = await latest(ann);
  expect([asked.packets, asked.prompts]).toEqual([0, 1]);
  expect(asked.openPrompts[0]!.fields).toMatchObject([
    { field: 'cuisine_preference', reason: expect.stringContaining('cuisine'), value: 'Italian' },
    { field: 'transport_mode' },
  ]);
  const sent = (await opened(bob)).length;
  await commands(ann).consent({ id: asked.id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await exchangeAll(ann, bob);
  const first = (await opened(bob))[sent]!;
  expect(first.needs!.map(({ field }) => field)).toEqual(['time_windows']);
  expect(first.context).toMatchObject({ cuisine_preference: 'Italian' });
  expect(first.context).not.toHaveProperty('transport_mode');
  const [hers, his] = [await latest(ann), await latest(bob)];
  expect([hers.state, hers.packets, hers.prompts + his.prompts]).toEqual(['PROPOSED', 2, 1]);
  // The proposal brought the answer along.
  expect(hers.received).toHaveProperty('time_windows');
  expect([ann.failures, bob.failures]).toEqual([[], []]);
  // What Ann declined is not asked before the third dinner.
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Sunday', needs: [] });
  expect((await latest(ann)).openPrompts[0]!.fields.map(({ field }) => field)).toEqual(['cuisine_preference']);
});
