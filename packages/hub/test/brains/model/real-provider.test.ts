// With a key in the environment, under the name that the provider's own programs use, the same agent asks the real provider:
// nothing but its provider and model is said. Here what would go there is caught on its way out.

import { onBothEngines } from '@parley/testkit';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type ModelWorld, startWorld } from '../../kit/models.ts';

const places = {
  anthropic: {
    env: 'ANTHROPIC_API_KEY',
    url: 'https://api.anthropic.com/v1/messages',
    header: 'x-api-key',
    model: 'claude-haiku-4-5',
    micros: 70,
  },
  openai: { env: 'OPENAI_API_KEY', url: 'https://api.openai.com/v1/responses', header: 'authorization', model: 'gpt-5-mini', micros: 25 },
} as const;

onBothEngines('models of real providers', (engine) => {
  let world: ModelWorld;
  beforeAll(async () => {
    for (const [provider, { env }] of Object.entries(places)) vi.stubEnv(env, `key-of-${provider}`);
    world = await startWorld(engine);
    vi.unstubAllEnvs();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each(['anthropic', 'openai'] as const)('%s: a key in the environment is all that is needed', async (provider) => {
    const { url, header, model, micros } = places[provider];
    const real = fetch;
    const sent: { url: string; key: string | null }[] = [];
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
      const to = input instanceof Request ? input.url : String(input);
      if (/^http:\/\/(?:localhost|127\.0\.0\.1)/.test(to)) return real(input, init);
      sent.push({ url: to, key: new Headers(init?.headers).get(header) });
      return real(to.replace(/^https:\/\/[^/]+\/v1/, world.models.baseUrl(provider)), init);
    });
    world.models.script(model, [{ text: `I am ${model}.`, usage: { input: 20, output: 10 } }]);
    const bot = await world.alone();
    const params = { memberId: bot.id };
    const { version, identity } = await world.owner.call('getIdentity', { params });
    await world.owner.call('putIdentity', { params, body: { ...identity, brain: { kind: 'model', provider, model }, version } });
    await bot.ask('who are you?');
    expect([await bot.last(), (await bot.task()).state]).toEqual([`I am ${model}.`, 'completed']);
    expect(sent).toEqual([{ url, key: provider === 'openai' ? `Bearer key-of-${provider}` : `key-of-${provider}` }]);
    // At its published price.
    const chain = await world.owner.call('getChain', { params: { chainId: (await bot.task()).chainId } });
    expect(chain).toMatchObject({ micros, tokens: { input: 20, output: 10 } });
  });
});
