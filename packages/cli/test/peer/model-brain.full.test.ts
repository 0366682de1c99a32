import { callsOf } from '@parley/peer';
import { expect, test } from 'vitest';
import type { ModelCall } from '@parley/testkit/models';
import { call, dinner, newModels, opening, openingWith, providerAt } from './model-kit.ts';
import { newGroup, untilGroupProposal } from './group-kit.ts';
import { commands, dinnerPair, exchangeAll, latest, opened } from './negotiation-kit.ts';

test.each(['anthropic', 'openai', 'openai_compatible'] as const)(
  '[A2C-37] [A2C-38] a dinner by %s models: small ones open, large ones propose',
  async (provider) => {
    const [ann, bob] = await dinnerPair();
    const models = await newModels();
    models.script('small', [opening]);
    models.script('large', [dinner]);
    await commands(ann).setOwnModel({ provider: providerAt(models, provider) });
    await commands(bob).setOwnModel({ provider: providerAt(models, provider) });
    const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
    await exchangeAll(ann, bob);
    expect([ann.failures, bob.failures]).toEqual([[], []]);
    expect(models.asked.map(({ model, tools }) => [model, tools])).toEqual([
      ['small', ['send_context', 'wait']],
      ['large', ['send_context', 'propose', 'wait']],
    ]);
    const his = await latest(bob);
    expect(his).toMatchObject({ state: 'PROPOSED', proposal: { summary: expect.stringMatching(/^Dinner, Friday .*, Dopo$/) } });
    expect(his.model).toMatchObject({ dropped: 0, retryAt: null });
    expect(his.model!.steps).toMatchObject([
      { task: 'propose', size: 'large', provider, model: 'large', confidence: 0.9, isTainted: true },
    ]);
    expect((await latest(ann)).model!.steps).toMatchObject([{ task: 'open', size: 'small', model: 'small', isTainted: false }]);
    // The same prompts, hashes and actions follow as with the rules.
    for (const person of [bob, ann]) await commands(person).confirm({ id, answer: { kind: 'confirm' } });
    await exchangeAll(ann, bob);
    expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
  },
);

test('[A2C-37] a small model that is not sure is followed by a larger one, once', async () => {
  const unsure = call('send_context', { share: ['dietary'], confidence: 0.3 });
  const [ann, bob, models] = await openingWith([unsure], call('send_context', { share: ['time_windows'], confidence: 0.4 }));
  expect(models.asked.map(({ model }) => model)).toEqual(['small', 'medium']);
  expect(Object.keys((await opened(bob))[0]!.context!)).toEqual(['time_windows']);
  expect((await latest(ann)).model!.steps).toMatchObject([{ size: 'medium', confidence: 0.4 }]);
});

test('[A2C-37] without an answer of the larger model, the small one’s step counts', async () => {
  const unsure = call('send_context', { share: ['dietary'], confidence: 0.3 });
  const [ann, bob] = await openingWith([unsure], { status: 400 });
  expect(Object.keys((await opened(bob))[0]!.context!)).toEqual(['dietary']);
  expect((await latest(ann)).model!.steps).toMatchObject([{ size: 'small', confidence: 0.3 }]);
});

test('[A2C-36] a step that is refused is written again with the reason, and the third time goes out', async () => {
  const [ann, bob, models] = await openingWith([{ text: 'Sure, I will!' }, call('send_context', { ask: [{ field: 'X Y' }] }), opening]);
  expect(models.asked.map(({ system }) => /Your last step was refused: (.*) Take/.exec(system)?.[1])).toEqual([
    undefined,
    'Call one of these tools: send_context, wait.',
    expect.stringContaining('ask.0.field'),
  ]);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context']);
  expect((await latest(ann)).model!.steps).toMatchObject([{ regenerations: 2 }]);
});

test('[A2C-35] a busy provider is asked again after growing waits, then the second one answers', async () => {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  models.script('small', [{ status: 429 }]);
  models.script('mini', [opening]);
  await commands(ann).setOwnModel({ provider: providerAt(models, 'anthropic') });
  await commands(ann).setOwnModel({ provider: providerAt(models, 'openai', { small: 'mini' }), isSecond: true });
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  expect(models.asked.map(({ model }) => model)).toEqual(['small', 'small', 'small', 'mini']);
  expect(ann.modelClock.waits).toEqual([1500, 3000]);
  expect((await latest(ann)).model).toMatchObject({ steps: [{ provider: 'openai', model: 'mini' }], retryAt: null });
});

test('[A2C-35] who switches the model off does not wait for it', async () => {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  await commands(ann).setOwnModel({ provider: { ...providerAt(models), key: { variable: 'NO_SUCH_KEY' } } });
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  expect((await latest(ann)).notes[0]!.details['problem']).toContain('the variable NO_SUCH_KEY is not set');
  expect(models.asked).toEqual([]);
  expect(await commands(ann).removeOwnModel({})).toEqual({ first: null, second: null });
  await exchangeAll(ann, bob);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context']);
});

test('[A2C-37] the key comes from the environment or the sealed folder, and no answer shows it', async () => {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  models.script('small', [opening]);
  ann.env['ANN_KEY'] = 'sk-from-the-environment';
  const shown = await commands(ann).setOwnModel({ provider: { ...providerAt(models), key: { variable: 'ANN_KEY' } } });
  expect(shown.first!.key).toEqual({ variable: 'ANN_KEY' });
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  expect(await commands(ann).setOwnModel({ provider: providerAt(models) })).toMatchObject({ first: { key: 'stored' }, second: null });
  await commands(ann).negotiate({ address: bob.address, intent: 'Lunch on Friday', needs: [] });
  const keyOf = ({ headers }: ModelCall): unknown => headers['x-api-key'];
  expect(models.asked.map(keyOf)).toEqual(['sk-from-the-environment', 'sk-test-key-of-the-peer']);
  expect(JSON.stringify([await commands(ann).ownModel(), await commands(ann).negotiations()])).not.toContain('sk-');
});

test('[A2C-21] [A2C-34] a tier that changes while the model thinks counts: its step is thrown away, and it thinks again', async () => {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  const begun = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const greedy = call('send_context', { share: ['dietary', 'location_preference'] });
  models.script('small', async () => {
    begun.resolve();
    await changed.promise;
    return greedy;
  });
  await commands(ann).setOwnModel({ provider: providerAt(models) });
  const negotiating = commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await begun.promise;
  // The person is not kept waiting by the model.
  await commands(ann).setTier({ field: 'dietary', tier: 'never_share', address: bob.address });
  await ann.negotiations.resume({ waits: false });
  changed.resolve();
  await negotiating;
  await exchangeAll(ann, bob);
  expect(models.asked.map(({ told }) => JSON.stringify(told).includes('vegetarian'))).toEqual([true, false]);
  const [first] = await opened(bob);
  expect(Object.keys(first!.context!)).toEqual(['location_preference']);
  expect((await latest(ann)).model).toMatchObject({ dropped: 1 });
});

test('[A2C-28] a person who declines while the model thinks has declined', async () => {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  const begun = Promise.withResolvers<void>();
  const declined = Promise.withResolvers<void>();
  models.script('small', async () => {
    begun.resolve();
    await declined.promise;
    return opening;
  });
  await commands(ann).setOwnModel({ provider: providerAt(models) });
  const negotiating = commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await begun.promise;
  // As a command beside a running peer.
  const beside = callsOf(ann.link, (act) => act(), ann.negotiations);
  const [shown] = await beside.negotiations();
  await beside.steer({ threadId: shown!.threadId, act: 'decline' });
  declined.resolve();
  await negotiating;
  await exchangeAll(ann, bob);
  expect((await latest(ann)).state).toBe('DECLINED');
  expect((await opened(bob)).map(({ type }) => type)).not.toContain('context');
});

test('[A2C-36] [A2C-30] in a group the rules speak for everybody: a model that would propose is not asked', async () => {
  const people = await newGroup('ann', 'bob', 'cat');
  const models = await newModels();
  for (const name of ['small', 'medium', 'large']) models.script(name, () => dinner);
  for (const person of people) await commands(person).setOwnModel({ provider: providerAt(models) });
  const id = await untilGroupProposal(people);
  const views = await Promise.all(people.map((person) => commands(person).show(id)));
  expect(views.map(({ state, isPaused }) => [state, isPaused])).toEqual(people.map(() => ['PROPOSED', false]));
  expect(models.asked).toEqual([]);
});
