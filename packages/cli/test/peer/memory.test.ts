import { expect, test } from 'vitest';
import { newBackupKey, writeBackup } from '@parley/a2acp';
import { commands, dinnerPair, exchangeAll, latest, opened, untilPrompt, untilProposal } from './negotiation-kit.ts';

const day = 86_400_000;

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
  expect(asked.open_prompts[0]!.fields).toMatchObject([
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
  expect((await latest(ann)).open_prompts[0]!.fields.map(({ field }) => field)).toEqual(['cuisine_preference']);
});

test('[A2C-31] an old value is verified again, a contradiction is noted, and a block purges all of it', async () => {
  const [ann, bob, relay] = await dinnerPair();
  await untilProposal(ann, bob);
  for (const clock of [ann, bob, relay]) clock.ahead += 91 * day;
  expect((await commands(ann).memory({ address: bob.address }))[0]!.cache[0]).toMatchObject({ field: 'dietary', confidence: 'low' });
  await commands(bob).setField({ field: 'dietary', value: 'vegan' });
  await untilProposal(ann, bob);
  const again = (await opened(bob)).findLast(({ needs }) => needs);
  expect(again!.needs!.map(({ field }) => field)).toContain('dietary');
  expect((await latest(ann)).notes).toMatchObject([
    { notice: 'memory_changed', details: { field: 'dietary', before: 'none', value: 'vegan' } },
  ]);
  expect((await commands(ann).memory({}))[0]!.cache.find(({ field }) => field === 'dietary')).toMatchObject({
    value: 'vegan',
    before: 'none',
    confidence: 'high',
  });

  const edited = await commands(ann).editMemory({ address: bob.address, field: 'Dietary', value: 'none' });
  expect(edited.cache.find(({ field }) => field === 'dietary')).toMatchObject({ value: 'none', before: 'vegan' });
  const secret = { key: newBackupKey() };
  const device = await ann.restored(await writeBackup(ann.peer, secret), secret);
  expect(await commands(device).memory({})).toEqual(await commands(ann).memory({}));

  await expect(commands(ann).editMemory({ address: bob.address, field: 'no field', value: 1 })).rejects.toThrow('no field');
  await expect(commands(ann).memory({ address: 'agent:eve@localhost' })).rejects.toThrow('agent:eve@localhost');
  const forgotten = await commands(ann).editMemory({ address: bob.address, field: 'dietary', value: null });
  expect(forgotten.cache.map(({ field }) => field)).not.toContain('dietary');
  await commands(ann).block({ address: bob.address, isOn: true });
  expect(await commands(ann).memory({})).toEqual([]);
  await expect(commands(ann).editMemory({ address: bob.address, field: 'dietary', value: 'x' })).rejects.toThrow('blocked');
  await commands(bob).forgetMemory({ address: ann.address });
  expect(await commands(bob).memory({})).toEqual([]);
});
