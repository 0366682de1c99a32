// The hub's model negotiates for a person who chose it, and for nobody else.

import type { EscalationCard } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import type { Reply } from '@parley/testkit/models';
import { expect, test } from 'vitest';
import { dinner, opening } from '../peer/model-kit.ts';
import { agree, ann, answerWith, bob, openDinner, promptOf, startHosting, type TestHosting } from './hosting-kit.ts';
import { modelHosting } from './model-kit.ts';

const threadId = 'thr_dinner01';

/** Ann's negotiation, once its first packet is written. */
const opened = ({ host }: TestHosting) =>
  waitFor(async () => {
    const found = await host.call(ann, 'negotiation', { threadId });
    expect(found.packets).toBeGreaterThan(0);
    return found;
  });

test('[A2C-37] the model of the hub opens and proposes, and the timeline says which one and how sure it was', async () => {
  const { hosting, models, askers } = await modelHosting(ann, bob);
  const { host } = hosting;
  models.script('small', [opening]);
  models.script('large', [dinner]);
  expect(await host.call(ann, 'model', null)).toEqual({
    offered: [
      { provider: 'anthropic', models: ['small', 'medium', 'large'] },
      { provider: 'openai', models: ['mini'] },
    ],
    isOn: true,
  });
  await openDinner(hosting);
  await promptOf(hosting, ann, threadId, 'proposal');
  const texts = async (person: typeof ann) =>
    (await host.call(person, 'negotiation', { threadId })).steps.filter(({ kind }) => kind === 'model').map(({ text }) => text);
  expect(await texts(ann)).toEqual(['small (anthropic) wrote the first packet: 90 % sure']);
  expect(await texts(bob)).toEqual(['large (anthropic) weighed what both want: 90 % sure. It had read words of their peer']);
  expect(askers).toEqual([ann.memberId, bob.memberId]);
  await agree(hosting, threadId);
  expect(hosting.hub.problems).toEqual([]);
});

test('[A2C-35] a second provider answers for the first; without both the packet waits, and the person reads so', async () => {
  const { hosting, models } = await modelHosting(ann);
  const { host } = hosting;
  let reply: Reply = { status: 400 };
  models.script('small', [{ status: 400 }]);
  models.script('mini', () => reply);
  await openDinner(hosting);
  const waiting = await waitFor(async () => {
    const found = await host.call(ann, 'negotiation', { threadId });
    expect(found.notice).toBe("I can't process this right now — I'll handle it when I'm back online");
    return found;
  });
  expect(waiting.packets).toBe(0);
  expect(waiting.steps.find(({ kind }) => kind === 'model_away')!.text).toMatch(/back online \(.*anthropic.*; .*openai.*\)$/);
  expect((await host.call(ann, 'negotiations', null))[0]!.notice).toBe(waiting.notice);
  reply = opening;
  // Choosing again tries at once.
  await host.call(ann, 'setModel', { isOn: true });
  const { notice, steps } = await opened(hosting);
  expect(notice).toBeNull();
  expect(steps.find(({ kind }) => kind === 'model')!.text).toContain('mini (openai)');
});

test('[A2C-36] a model without a valid step pauses the negotiation: a card asks the person, and trying again goes on', async () => {
  const { hosting, models } = await modelHosting(ann);
  models.script('small', [{ text: 'No call' }]);
  await openDinner(hosting);
  const { card } = await promptOf(hosting, ann, threadId, 'escalation');
  expect(card as EscalationCard).toMatchObject({ isPaused: true, peerName: 'bob', question: null, conflict: null });
  expect(models.asked).toHaveLength(4);
  expect(hosting.hub.status(ann, threadId)).toMatchObject({ isEnded: false, outcome: null });
  models.script('small', [opening]);
  await answerWith(hosting, ann, threadId, 'escalation', { kind: 'continue' });
  await opened(hosting);
});

test('[A2C-37] the rules negotiate until the person chooses; a hub without a model offers none', async () => {
  const { hosting, models } = await modelHosting();
  await openDinner(hosting);
  await opened(hosting);
  expect(models.asked).toEqual([]);
  const bare = await startHosting();
  expect(await bare.host.call(ann, 'model', null)).toEqual({ offered: [], isOn: false });
  await expect(bare.host.call(ann, 'setModel', { isOn: true })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('PARLEY_PEER_MODEL'),
  });
});
