import { expect, test } from 'vitest';
import type { Reply } from '@parley/testkit/models';
import { newModels, opening, openingWith, providerAt } from './model-kit.ts';
import { commands, dinnerPair, exchangeAll, latest, opened } from './negotiation-kit.ts';

test('[A2C-36] after three regenerations the negotiation pauses on both sides, and the person decides', async () => {
  const [ann, bob, models] = await openingWith([{ text: 'No call' }]);
  expect(models.asked).toHaveLength(4);
  expect(await latest(ann)).toMatchObject({ isPaused: true, state: 'INITIATED' });
  expect(ann.failures.at(-1)).toContain('is paused: Call one of these tools');
  expect((await latest(ann)).notes.map(({ notice }) => notice)).toContain('paused');
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['processing_error']);
  models.script('small', [opening]);
  await commands(ann).steer({ threadId: (await latest(ann)).threadId, act: 'continue' });
  await exchangeAll(ann, bob);
  expect(await latest(ann)).toMatchObject({ isPaused: false, packets: expect.any(Number) });
  expect((await opened(bob)).map(({ type }) => type)).toContain('context');
});

test('[A2C-35] without any model the packet waits, the person reads so, and a restarted peer sends it', async () => {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  let reply: Reply = { status: 503 };
  for (const name of ['small', 'mini']) models.script(name, () => reply);
  await commands(ann).setOwnModel({ provider: providerAt(models) });
  await commands(ann).setOwnModel({ provider: providerAt(models, 'openai', { small: 'mini' }), isSecond: true });
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  expect(models.asked).toHaveLength(6);
  const waiting = await latest(ann);
  expect(waiting).toMatchObject({ packets: 0, isPaused: false, model: { retryAt: expect.any(Number) } });
  expect(waiting.notes).toMatchObject([{ notice: 'model_away', details: { problem: expect.stringContaining('(anthropic, 503); ') } }]);
  // Nothing is asked before its time, and one notice is enough.
  expect(models.asked).toHaveLength(6);
  ann.ahead += 61_000;
  expect((await latest(ann)).notes).toHaveLength(1);
  expect(models.asked).toHaveLength(12);
  reply = opening;
  await ann.close();
  await ann.open();
  ann.ahead += 121_000;
  await exchangeAll(ann, bob);
  expect(await latest(ann)).toMatchObject({ model: { retryAt: null } });
  expect((await opened(bob)).map(({ type }) => type)).toContain('context');
});
