// The hub's model for people's peers: the person's day and the workspace's day pay, reserved before and settled after.

import type { PeerModelQuestion } from '@parley/protocol';
import { startTestHub, type TestHub } from '@parley/testkit';
import { type ModelServer, startModels } from '@parley/testkit/models';
import { onTestFinished, expect, test } from 'vitest';
import { dayOf, defaultBudgets } from '@parley/core';
import { workLimits } from '../../src/engine/limits.ts';
import { PeerServiceKit } from '../kit/peers.ts';

const question: PeerModelQuestion = {
  isSecond: false,
  model: 'little',
  system: 'You negotiate.',
  user: 'CANARY-words',
  tools: [{ name: 'wait', description: 'Do nothing.', input: { type: 'object', properties: {} } }],
};
const waits = { calls: [{ name: 'wait', input: { confidence: 1 } }] };

interface Start {
  kit: TestHub;
  service: PeerServiceKit;
  models: ModelServer;
}

async function start(
  micros = defaultBudgets.workspace_day.micros,
  env: Record<string, string> = { PARLEY_SECRET_PEERS: 'sk-of-the-hub' },
): Promise<Start> {
  const models = await startModels();
  const service = new PeerServiceKit();
  const budgets = { ...defaultBudgets, workspace_day: { turns: 1000, micros }, member_day: { turns: 500, micros: micros / 2 } };
  const kit = await startTestHub(
    'sqlite',
    { peers: service, env, limits: { ...workLimits, budgets } },
    {
      PARLEY_PEER_MODEL: `anthropic small=little key=peers url=${models.baseUrl('anthropic')}`,
      PARLEY_PEER_MODEL_SECOND: `openai_compatible large=other url=${models.baseUrl('openai_compatible')}`,
    },
  );
  onTestFinished(async () => {
    await kit.stop();
    await models.stop();
  });
  return { kit, service, models };
}

const purse = async ({ kit }: Start, id: string) => (await kit.hub.kernel.store.rows('purses', { id: `${id}:${dayOf(Date.now())}` }))[0];

test('[A2C-37] [SYS-10] a question goes out with the hub’s key, and its cost is on the person’s day and the workspace’s', async () => {
  const started = await start();
  const { kit, service, models } = started;
  const ann = await kit.person('ann');
  expect(service.hub!.models).toEqual({
    first: { provider: 'anthropic', baseUrl: models.baseUrl('anthropic'), models: { small: 'little' } },
    second: { provider: 'openai_compatible', baseUrl: models.baseUrl('openai_compatible'), models: { large: 'other' } },
  });
  models.script('little', [waits]);
  models.script('other', [waits]);
  const answer = { calls: [{ name: 'wait', input: { confidence: 1 } }] };
  expect(await service.hub!.askModel(ann.id, question)).toEqual(answer);
  const first = await purse(started, 'workspace');
  expect(first).toMatchObject({ turns: 1, micros: expect.any(Number) });
  expect(first!.micros).toBeGreaterThan(0);
  // Far less than what was reserved for the longest answer.
  expect(first!.micros).toBeLessThan(10_000);
  expect(await purse(started, `member:${ann.id}`)).toMatchObject({ turns: 1, micros: first!.micros });
  expect(await service.hub!.askModel(ann.id, { ...question, isSecond: true, model: 'other' })).toEqual(answer);
  expect((await purse(started, 'workspace'))!.turns).toBe(2);
  expect(models.asked[0]!.headers['x-api-key']).toBe('sk-of-the-hub');
  // No row of the hub holds a word of it.
  for (const table of ['journal', 'outbox', 'purses', 'negotiations'] as const)
    expect(JSON.stringify(await kit.hub.kernel.store.rows(table, {}))).not.toContain('CANARY');
});

test('[A2C-35] [SYS-10] a day without budget asks no provider; neither does a model that is not offered, or somebody who left', async () => {
  const started = await start(20);
  const { kit, service, models } = started;
  const ann = await kit.person('ann');
  models.script('little', [waits]);
  expect(await service.hub!.askModel(ann.id, question)).toEqual({ failed: 'your budget for models is used up for today' });
  expect(await service.hub!.askModel(ann.id, { ...question, model: 'expensive' })).toEqual({ failed: 'This hub offers no such model' });
  await expect(service.hub!.askModel('mem_nobody', question)).rejects.toMatchObject({ code: 'not_found' });
  expect(models.asked).toEqual([]);
  expect(await purse(started, 'workspace')).toBeUndefined();
});

test('[A2C-35] a provider that fails costs the question and no money; without a key the person reads so', async () => {
  const started = await start();
  const { kit, service, models } = started;
  const ann = await kit.person('ann');
  models.script('little', [{ status: 400 }]);
  expect(await service.hub!.askModel(ann.id, question)).toEqual({ failed: expect.stringContaining('anthropic') });
  expect(await purse(started, 'workspace')).toMatchObject({ turns: 1, micros: 0 });
  const bare = await start(undefined, {});
  const bob = await bare.kit.person('bob');
  expect(await bare.service.hub!.askModel(bob.id, question)).toEqual({ failed: expect.stringMatching(/key/i) });
  expect(bare.models.asked).toEqual([]);
});
