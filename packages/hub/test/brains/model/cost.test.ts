// What models cost is set aside before they are asked, settled after, and bounded.

import { Ear, onBothEngines, type Words } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { type Alone, type ModelWorld, startWorld, tool } from '../../kit/models.ts';

/** Three millionths for a token read, fifteen for one written. */
const price = { inputMicrosPerMillionTokens: 3_000_000, outputMicrosPerMillionTokens: 15_000_000 };

onBothEngines('what models cost', (engine) => {
  let world: ModelWorld;
  beforeAll(async () => {
    const { budgets } = workLimits;
    world = await startWorld(engine, {}, { ...workLimits, budgets: { ...budgets, chain: { turns: 100, micros: 20_000 } } });
    world.tools.for = () => Promise.resolve([tool('look', () => 'nothing')]);
  });
  afterAll(() => world.stop());

  const chainOf = async (bot: Alone) => world.owner.call('getChain', { params: { chainId: (await bot.task()).chainId } });
  const turnsOf = (bot: Alone) => world.kit.hub.kernel.store.rows('turns', 'where agent_id = ? order by started_at, id', [bot.id]);
  const purseOf = async (bot: Alone) => {
    // The agent's day, and not the part of it that is a member's.
    const rows = await world.kit.hub.kernel.store.rows('purses', 'where id like ? and id not like ?', [`agent:${bot.id}:%`, 'agent:%:%:%']);
    return rows.map(({ turns, micros }) => ({ turns, micros }));
  };

  test('[SYS-10] set aside while it runs, settled after: tokens and money of the turn, its chain and its agent’s day', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    let go!: () => void;
    const pause = new Promise<void>((resolve) => (go = resolve));
    world.models.script(bot.handle, [
      { calls: [{ name: 'look', input: {} }], usage: { input: 1000, output: 100 } },
      { text: 'done now', usage: { input: 2000, output: 10 }, pause },
    ]);
    const before = world.models.asked.length;
    await world.owner.post(bot.dm, 'go');
    await world.models.heard(before + 2);
    const [running] = await turnsOf(bot);
    expect(running).toMatchObject({ state: 'running', spent_micros: 4500 });
    expect(running!.reserved_micros).toBeGreaterThanOrEqual(13_500);
    // Of the budgets all of it is gone; what is shown as the cost is what was spent.
    expect(await purseOf(bot)).toEqual([{ turns: 1, micros: running!.reserved_micros }]);
    expect(await chainOf(bot)).toMatchObject({ micros: 4500, reservedMicros: running!.reserved_micros - 4500 });
    go();
    await world.settled();
    expect(await bot.last()).toBe('done now');
    expect(await turnsOf(bot)).toMatchObject([{ state: 'done', spent_micros: 4500 + 6150 }]);
    expect(await chainOf(bot)).toMatchObject({ micros: 10_650, reservedMicros: 0, turns: 1, tokens: { input: 3000, output: 110 } });
    expect(await purseOf(bot)).toEqual([{ turns: 1, micros: 10_650 }]);
  });

  test('[SYS-10] a turn that would spend more than is left ends as failed, and what it has spent is counted', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    world.models.script(bot.handle, [{ calls: [{ name: 'look', input: {} }], usage: { input: 2000, output: 100 } }]);
    await bot.ask('go');
    expect([await bot.task(), bot.asked().length]).toMatchObject([{ state: 'failed', cause: 'budget' }, 3]);
    expect(await bot.told()).toBe('budget');
    expect((await chainOf(bot)).micros).toBe(22_500);
    expect(await purseOf(bot)).toEqual([{ turns: 1, micros: 22_500 }]);
  });

  test('[SYS-10] too dear from the beginning: it is not asked at all', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 10_000 });
    world.models.script(bot.handle, [{ text: 'never' }]);
    await bot.ask('go');
    expect([await bot.task(), bot.asked().length, (await chainOf(bot)).micros]).toMatchObject([{ state: 'failed', cause: 'budget' }, 0, 0]);
  });

  test('[SYS-10] each try of a model that is charged is set aside before it is made: a chain’s money holds, whatever fails', async () => {
    const second = await world.alone({ price, maxOutputTokens: 100 });
    const fallback = {
      provider: 'anthropic',
      model: second.handle,
      baseUrl: world.models.baseUrl('anthropic'),
      key: 'canary',
      price,
    } as const;
    const bot = await world.alone({ price, maxOutputTokens: 100, fallback: { ...fallback, maxOutputTokens: 100 } });
    // Broken off in the middle: what was put to it is charged, some 11,000 of the 20,000 that there are.
    world.models.script(bot.handle, [{ fault: 'disconnect' }]);
    const before = world.models.asked.length;
    await world.owner.post(bot.dm, 'word '.repeat(1800));
    await world.models.heard(before + 1);
    await world.clock.over(1500);
    await world.settled();
    expect([await bot.task(), bot.asked().length]).toMatchObject([{ state: 'failed', cause: 'budget' }, 1]);
    const { micros, tokens } = await chainOf(bot);
    expect([micros > 10_000, micros <= 20_000, tokens.input > 3000]).toEqual([true, true, true]);
    expect(await purseOf(bot)).toEqual([{ turns: 1, micros }]);
  });

  test('[SYS-10] a model whose price nobody knows is counted as a dear one, so that money bounds it; one that is free is said to be', async () => {
    const bot = await world.alone({ maxOutputTokens: 10 });
    world.models.script(bot.handle, [{ text: 'dear', usage: { input: 70, output: 7 } }]);
    await bot.ask('go');
    expect([(await bot.task()).cause, bot.asked().length]).toEqual(['budget', 0]);
    const own = await world.alone({ price: { inputMicrosPerMillionTokens: 0, outputMicrosPerMillionTokens: 0 } });
    world.models.script(own.handle, [{ text: 'free', usage: { input: 70, output: 7 } }]);
    await own.ask('go');
    expect(await chainOf(own)).toMatchObject({ micros: 0, turns: 1, tokens: { input: 70, output: 7 } });
  });

  test('[SYS-10] an answer that was cut off is counted as far as it came', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 50 });
    world.models.script(bot.handle, [{ fault: 'endless' }]);
    await bot.ask('go');
    const { micros, tokens } = await chainOf(bot);
    expect([(await bot.task()).state, tokens.output > 200, micros >= tokens.output * 15]).toEqual(['failed', true, true]);
  });

  test('[SYS-10] a server that counts no tokens is not free: they are estimated', async () => {
    const bot = await world.alone({ provider: 'openai_compatible', price, maxOutputTokens: 100 });
    world.models.script(bot.handle, [{ text: 'Said without a count of it.', usage: { input: 0, output: 0 } }]);
    await bot.ask('go');
    const { micros, tokens } = await chainOf(bot);
    expect([await bot.last(), tokens.input > 100, tokens.output]).toEqual(['Said without a count of it.', true, 9]);
    expect(micros).toBe(tokens.input * 3 + tokens.output * 15);
  });

  test('[SYS-10] an answer with nothing in it costs what its provider says it cost, of either model', async () => {
    const dear = { price, maxOutputTokens: 100 };
    const bot = await world.alone({ ...dear, provider: 'anthropic' });
    const second = await world.alone(dear);
    world.models.script(bot.handle, [{ text: '', usage: { input: 1000, output: 100 } }]);
    world.models.script(second.handle, [{ text: 'done now', usage: { input: 500, output: 10 } }]);
    await bot.ask('go');
    expect(await bot.told()).toBe('The model returned nothing (anthropic)');
    expect(await chainOf(bot)).toMatchObject({ micros: 4500, tokens: { input: 1000, output: 100 } });
    expect(await purseOf(bot)).toEqual([{ turns: 1, micros: 4500 }]);
    for (const provider of ['anthropic', 'openai', 'openai_compatible'] as const) {
      const fallback = {
        provider,
        model: second.handle,
        baseUrl: world.models.baseUrl(provider),
        key: 'canary',
        price,
        maxOutputTokens: 100,
      };
      const first = await world.alone({ ...dear, provider, fallback });
      world.models.script(first.handle, [{ text: '', usage: { input: 1000, output: 100 } }]);
      await first.ask('go');
      expect([provider, await first.last()]).toEqual([provider, 'done now']);
      expect(await chainOf(first)).toMatchObject({ micros: 4500 + 1650, tokens: { input: 1500, output: 110 } });
    }
  });

  test('[SYS-10] one that took all of its time and said nothing has cost what was put to it; one that was refused, nothing', async () => {
    const [late, refused] = [await world.alone({ price, maxOutputTokens: 50 }), await world.alone({ price, maxOutputTokens: 50 })];
    world.models.script(late.handle, [{ fault: 'hang' }]);
    world.models.script(refused.handle, [{ status: 401 }]);
    const before = world.models.asked.length;
    await world.owner.post(late.dm, 'go');
    await world.models.heard(before + 1);
    world.clock.advance(180_000);
    await world.settled();
    const { micros, tokens } = await chainOf(late);
    expect([await late.told(), tokens.input > 100, micros]).toEqual(['The model took too long (anthropic)', true, tokens.input * 3]);
    await refused.ask('go');
    expect([(await refused.task()).state, (await chainOf(refused)).micros]).toEqual(['failed', 0]);
  });

  /** In the middle of what it says. */
  async function speaking(bot: Alone, ...then: Words[]) {
    world.models.script(bot.handle, [{ text: 'One sentence after the other, until all is said.', pause: new Promise(() => {}) }, ...then]);
    const ear = new Ear(world.owner);
    await ear.ready();
    const message = await world.owner.post(bot.dm, 'go');
    await ear.until(() => ear.heard.find((event) => event.type === 'draft' && event.text !== null));
    ear.close();
    return message;
  }
  const charges = async (bot: Alone) => {
    const rows = await world.kit.hub.kernel.store.rows('facts', "where type = 'turn.cut_off' and member_id = ?", [bot.id]);
    return rows.map(({ data }) => JSON.parse(data) as { micros: number; input: number; output: number; estimated: boolean });
  };

  test('[SYS-10] a call that is cut off by a stop is charged by estimate: what was put to it, and what it had said', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    await speaking(bot);
    await world.owner.call('stopTask', { params: { taskId: (await bot.task()).id } });
    await world.settled();
    const [charge, ...more] = await charges(bot);
    expect([charge!.estimated, charge!.input > 100, charge!.output > 1, more]).toEqual([true, true, true, []]);
    expect(charge!.micros).toBe(charge!.input * 3 + charge!.output * 15);
    const { input, output, micros } = charge!;
    expect(await chainOf(bot)).toMatchObject({ micros, tokens: { input, output } });
    expect(await turnsOf(bot)).toMatchObject([{ state: 'done', spent_micros: micros }]);
    expect(await purseOf(bot)).toEqual([{ turns: 1, micros }]);
  });

  test('[SYS-10] so is one that an edit begins again, besides the one that is made then', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    const { id: messageId } = await speaking(bot, { text: 'done now', usage: { input: 1000, output: 10 } });
    await world.owner.call('editMessage', { params: { messageId }, body: { body: 'go there', version: 1 } });
    await world.settled();
    const [charge] = await charges(bot);
    expect([await bot.last(), charge!.output > 1]).toEqual(['done now', true]);
    expect((await chainOf(bot)).micros).toBe(charge!.micros + 3150);
    expect((await purseOf(bot))[0]!.micros).toBe(charge!.micros + 3150);
  });

  test('what it is about to say is seen as it grows, and not after', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    let go!: () => void;
    const pause = new Promise<void>((resolve) => (go = resolve));
    const text = 'One sentence after the other, until all of it has been said and done.';
    world.models.script(bot.handle, [{ text, pause }]);
    const ear = new Ear(world.owner);
    await ear.ready();
    await world.owner.post(bot.dm, 'go');
    const drafts = () => ear.heard.flatMap((event) => (event.type === 'draft' ? [event.text] : []));
    const first = await ear.until(() => drafts()[0]);
    expect(first && text.startsWith(first) && first !== text).toBe(true);
    go();
    await world.settled();
    await ear.until(() => drafts().includes(null));
    expect(await bot.last()).toBe(text);
    ear.close();
  });
});
