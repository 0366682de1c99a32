// Models that do not answer as they should: asked again, replaced by the second, given up with a reason.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onBothEngines, type Reply } from '@parley/testkit';
import { expect, test } from 'vitest';
import { type Alone, type Provider, providers, worldFor } from '../../kit/models.ts';

onBothEngines('models that fail', (engine) => {
  const world = worldFor(engine);

  const begin = (bot: Alone): Promise<unknown> => world.owner.post(bot.dm, 'go');
  // A provider's own code knows nothing of the database: on one of them all three have to do.
  const some: readonly Provider[] = engine === 'sqlite' ? providers : ['anthropic'];

  test.each(some)('%s: 429 with retry-after is asked again then, and not before', async (provider) => {
    const bot = await world.alone({ provider });
    const at: number[] = [];
    world.models.script(bot.handle, () => {
      at.push(world.clock.now());
      return at.length === 1 ? { status: 429, retryAfter: 7 } : { text: 'here' };
    });
    await begin(bot);
    await world.clock.over(7000);
    await world.settled();
    expect([at[1]! - at[0]!, await bot.last(), bot.asked().length]).toEqual([7000, 'here', 2]);
  });

  test.each(
    some.flatMap((provider) =>
      ([{ status: 500 }, { status: 503, body: '<html>' }, { fault: 'malformed' }, { fault: 'disconnect' }] as Reply[]).map((reply) => ({
        provider,
        reply,
      })),
    ),
  )('$provider: $reply once, and again: then it answers', async ({ provider, reply }) => {
    const bot = await world.alone({ provider });
    world.models.script(bot.handle, [reply, reply, { text: 'at last' }]);
    await begin(bot);
    await world.clock.over(1500);
    await world.clock.over(3000);
    await world.settled();
    expect([await bot.last(), bot.asked().length, (await bot.task()).state]).toEqual(['at last', 3, 'completed']);
  });

  test('[IAC-18] a third time, and it is given up: whoever asked is told why, and so is whoever looks', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, [{ status: 429 }]);
    await begin(bot);
    await world.clock.over(1500);
    await world.clock.over(3000);
    await world.settled();
    const task = await bot.task();
    expect([task, bot.asked().length]).toMatchObject([{ state: 'failed', cause: 'brain_failed' }, 3]);
    expect(await bot.told()).toBe('Rate limit exceeded (anthropic, 429)');
    expect(task.reason).toBe('Rate limit exceeded (anthropic, 429)');
    const { steps } = await world.owner.call('getChain', { params: { chainId: task.chainId } });
    expect(steps).toMatchObject([{ state: 'failed', cause: 'brain_failed', reason: 'Rate limit exceeded (anthropic, 429)' }]);
  });

  test.each(some.flatMap((provider) => (['endless', 'flood'] as const).map((fault) => ({ provider, fault }))))(
    '[SYS-10] $provider: an answer without an end ($fault) is cut off',
    async ({ provider, fault }) => {
      const bot = await world.alone({ provider, maxOutputTokens: 50 });
      world.models.script(bot.handle, [{ fault }]);
      await bot.ask('go');
      expect([await bot.told(), bot.asked().length]).toEqual([`The model did not come to an end (${provider})`, 1]);
    },
  );

  test('[SYS-10] one that says nothing is not waited for without end', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, [{ fault: 'hang' }]);
    const before = world.models.asked.length;
    await begin(bot);
    await world.models.heard(before + 1);
    world.clock.advance(180_000);
    await world.settled();
    expect([await bot.told(), bot.asked().length]).toEqual(['The model took too long (anthropic)', 1]);
  });

  test.each<[what: string, reply: Reply, reason: string]>([
    ['nothing', { text: '' }, 'The model returned nothing (anthropic)'],
    ['nothing but blanks', { text: ' \n ' }, 'The model returned nothing (anthropic)'],
    ['that the key is wrong', { status: 401 }, 'The model’s server refused the key (anthropic, 401)'],
    ['that the request is wrong', { status: 400 }, 'The model’s server refused the request (anthropic, 400)'],
    ['come back in an hour', { status: 429, retryAfter: 3600 }, 'Rate limit exceeded (anthropic, 429)'],
  ])('a model that says %s is not asked again', async (_what, reply, reason) => {
    const bot = await world.alone();
    world.models.script(bot.handle, [reply]);
    await bot.ask('go');
    expect([await bot.told(), bot.asked().length, (await bot.task()).state]).toEqual([reason, 1, 'failed']);
  });

  test('a server that is not there, and a key that is not', async () => {
    const away = await world.alone({ baseUrl: 'http://127.0.0.1:9/v1' });
    await begin(away);
    await world.clock.over(1500);
    await world.clock.over(3000);
    await world.settled();
    expect(await away.told()).toBe('No connection to the model (anthropic)');
    const elsewhere = await world.alone({ baseUrl: 'http://elsewhere.example/v1' });
    await elsewhere.ask('go');
    expect(await elsewhere.told()).toBe(
      'The key may not be sent to the model’s host (anthropic); an owner allows the host with `npx parley secrets bind`',
    );
    const keyless = await world.alone({ key: 'nobody_has_it' });
    await keyless.ask('go');
    expect([await keyless.told(), keyless.asked().length]).toEqual([
      'There is no key for the model (anthropic); an owner or admin sets it under Keys',
      0,
    ]);
    // For programs: the words may change, the code does not.
    const failures = async (one: Alone) => [
      (await world.owner.call('listNotices', { query: {} })).notices.findLast(({ agentId }) => agentId === one.id)?.failure,
      (await world.owner.call('listTasks', { query: { state: 'all' } })).tasks.findLast(({ agentId }) => agentId === one.id)?.failure,
    ];
    expect([await failures(keyless), await failures(elsewhere)]).toEqual([
      ['no_key', 'no_key'],
      [null, null],
    ]);
  });

  test('the second model is asked when the first fails, of whatever provider it is', async () => {
    const fallback = { provider: 'openai', model: `second-${engine}`, baseUrl: world.models.baseUrl('openai'), key: 'canary' } as const;
    const bot = await world.alone({ fallback });
    world.models.script(bot.handle, [{ status: 401 }]);
    world.models.script(fallback.model, [{ text: 'I am the second.' }, { status: 400 }]);
    await bot.ask('go');
    expect(await bot.last()).toBe('I am the second.');
    await bot.ask('again');
    expect(await bot.told()).toBe(
      'The model’s server refused the key (anthropic, 401); The model’s server refused the request (openai, 400)',
    );
  });

  test('a key that is there and cannot be used is none: it is said so, and the second model is asked', async () => {
    const folder = join(world.kit.ground.dataDir, 'secrets');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'seen_by_all'), 'sk-seen', { mode: 0o644 });
    const fallback = { provider: 'openai', model: `third-${engine}`, baseUrl: world.models.baseUrl('openai'), key: 'canary' } as const;
    world.models.script(fallback.model, [{ text: 'I have one.' }]);
    const bot = await world.alone({ key: 'seen_by_all', fallback });
    await bot.ask('go');
    expect([await bot.last(), bot.asked().length]).toEqual(['I have one.', 0]);
    const alone = await world.alone({ key: 'seen_by_all' });
    await alone.ask('go');
    expect(await alone.told()).toMatch(/^There is no key for the model \(anthropic\)/);
  });

  test('[SYS-10] stop everything ends a wait for a model, and released it is asked again', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, [{ status: 500 }, { text: 'after all' }]);
    const before = world.models.asked.length;
    await begin(bot);
    await world.models.heard(before + 1);
    await world.owner.call('halt', {});
    await world.settled();
    expect([(await bot.task()).state, bot.asked().length]).toEqual(['active', 1]);
    await world.owner.call('release', {});
    await world.settled();
    expect([await bot.last(), bot.asked().length]).toEqual(['after all', 2]);
  });
});
