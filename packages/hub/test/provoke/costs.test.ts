// What an invocation costs: set aside before a model is asked, also when it is asked again, and settled after (SYS-10).

import { onBothEngines, type Words } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workLimits } from '../../src/engine/limits.ts';
import { type ProvokeWorld, startProvoke } from '../kit/provoke-runs.ts';

/** Three millionths for a token read, fifteen for one written. */
const price = { input_micros_per_million_tokens: 3_000_000, output_micros_per_million_tokens: 15_000_000 };

const mostInDay = 15;

onBothEngines('what an invocation costs', (engine) => {
  let world: ProvokeWorld;
  beforeAll(async () => {
    const budgets = { ...workLimits.budgets, chain: { turns: 2, micros: 20_000 }, workspace_day: { turns: mostInDay, micros: 1_000_000 } };
    world = await startProvoke(engine, { limits: { ...workLimits, budgets } });
  });
  afterAll(() => world.stop());

  const priced = async (script: Parameters<ProvokeWorld['wakes']>[0], more: object = {}) => {
    const woken = await world.wakes(script, more);
    const { object, version } = await world.owner.call('getProvoke', { params: { kind: 'manifest', id: `m-${woken.name}` } });
    const { model, ...rest } = object as { id: string; model: object };
    const params = { kind: 'manifest', id: rest.id } as const;
    await world.owner.call('putProvoke', { params, body: { version, object: { ...rest, model: { ...model, max_tokens: 100, price } } } });
    return woken;
  };
  /** Of the chain and of its agent's day: the same, as nothing else draws on them. */
  const drawn = async (id: string) => {
    const { store } = world.kit.hub.kernel;
    const { chainId, agentId } = await world.invocation(id);
    const [chain] = await store.rows('chains', 'where id = ?', [chainId]);
    const [purse] = await store.rows('purses', 'where id like ?', [`agent:${agentId}:%`]);
    expect(purse).toMatchObject({ turns: chain!.turns, micros: chain!.micros });
    return chain!.micros;
  };
  const asides = async (id: string) =>
    (await world.kit.hub.kernel.store.rows('journal', 'where turn_id like ?', [`${id}:%`])).map(
      ({ input }) => JSON.parse(input) as { micros: number },
    );
  /** Broken off in the middle, and asked again after a pause. */
  const brokenOff = async (emitted: Promise<string>, before: number): Promise<string> => {
    const id = await emitted;
    await world.models.heard(before + 1);
    await world.clock.over(1500);
    return id;
  };

  test('[SYS-10] is counted at the price that the manifest names', async () => {
    const woken = await priced([{ text: 'done', usage: { input: 1000, output: 100 } }]);
    const { id, state, micros } = await woken.run();
    expect([state, micros, await drawn(id)]).toEqual(['completed', 4500, 4500]);
    const params = { kind: 'manifest', id: `m-${woken.name}` } as const;
    const { object, version } = await world.owner.call('getProvoke', { params });
    const model = { ...(object as { model: object }).model, price: { ...price, input_micros_per_million_tokens: -1 } };
    const wrong = await world.owner.ask('putProvoke', { params, body: { version, object: { ...object, model } } });
    expect(wrong.body.error?.problems?.map(({ field }) => field)).toEqual(['object.model.price.input_micros_per_million_tokens']);
  });

  test('[SYS-10] a try for which too little is left is not made, and what the first has cost is counted', async () => {
    const woken = await priced([{ fault: 'disconnect' }, { text: 'never' }]);
    // Some 11,000 of the 20,000 that there are: for one there is room, for two there is not.
    const id = await brokenOff(woken.emit({ note: 'word '.repeat(1800) }), world.models.asked.length);
    await world.settled();
    const { state, error, micros, runs } = await world.invocation(id);
    expect([state, error, woken.asked().length]).toEqual(['failed', 'Budget exhausted.', 1]);
    expect(runs).toMatchObject([{ state: 'failed', micros }]);
    expect([micros > 5000, micros <= 20_000, await drawn(id)]).toEqual([true, true, micros]);
  });

  test('[SYS-10] a second try is set aside before it is made; after it the purses hold what both have cost', async () => {
    const go = Promise.withResolvers<void>();
    let first = true;
    const woken = await priced(async () => {
      if (first) return ((first = false), { fault: 'disconnect' as const });
      await go.promise;
      return { text: 'done', usage: { input: 100, output: 10 } } satisfies Words;
    });
    const before = world.models.asked.length;
    const id = await woken.emit();
    await world.models.heard(before + 1);
    const [once] = await asides(id);
    await brokenOff(Promise.resolve(id), before);
    await world.models.heard(before + 2);
    const [aside] = await asides(id);
    expect([aside!.micros > once!.micros, await drawn(id)]).toEqual([true, aside!.micros]);
    go.resolve();
    await world.settled();
    const { state, micros } = await world.invocation(id);
    expect([state, woken.asked().length, micros > 450, micros < aside!.micros]).toEqual(['completed', 2, true, true]);
    expect(await drawn(id)).toBe(micros);
  });

  test('[SYS-10] of a second try that nobody saw the end of all that was set aside is gone', async () => {
    const woken = await priced([{ fault: 'disconnect' }, { fault: 'hang' }]);
    const before = world.models.asked.length;
    const id = await brokenOff(woken.emit(), before);
    await world.models.heard(before + 2);
    const [aside] = await asides(id);
    const { micros } = aside!;
    await world.owner.call('cancelInvocation', { params: { invocationId: id } });
    await world.settled();
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', micros, runs: [{ micros }] });
    expect(await drawn(id)).toBe(micros);
  });

  test('[SYS-10] stopped between two tries, it has cost what the first has', async () => {
    const woken = await priced([{ fault: 'disconnect' }, { text: 'after all', usage: { input: 1000, output: 100 } }]);
    const before = world.models.asked.length;
    const id = await woken.emit();
    await world.models.heard(before + 1);
    await world.clock.waited(1500);
    await world.owner.call('halt', {});
    await world.settled();
    const given = await world.invocation(id);
    expect([given.state, given.micros > 0, given.micros, woken.asked().length]).toEqual(['queued', true, await drawn(id), 1]);
    await world.owner.call('release', {});
    await world.settled();
    const { state, micros } = await world.invocation(id);
    expect([state, micros, await drawn(id)]).toEqual(['completed', given.micros + 4500, given.micros + 4500]);
  });

  test('[SYS-10] an attempt for which the chain has no turn left is not made', async () => {
    const woken = await priced([{ text: 'prose' }], {
      output: { type: 'structured', schema: { ok: 'boolean' } },
      on_failure: { retry: { max_attempts: 3 } },
    });
    const { state, error, runs } = await woken.run();
    expect([state, error, runs.map((one) => one.state)]).toEqual(['failed', 'Budget exhausted.', ['bad_output', 'bad_output', 'failed']]);
    expect(woken.asked()).toHaveLength(2);
  });

  test('[SYS-10] nor is one for which the workspace has none left that day; the next day it is', async () => {
    const woken = await priced(() => ({ text: 'done' }));
    const day = new Date(world.clock.now()).toISOString().slice(0, 10);
    const [purse] = await world.kit.hub.kernel.store.rows('purses', 'where id = ?', [`workspace:${day}`]);
    const left = mostInDay - purse!.turns;
    expect(left).toBeGreaterThan(0);
    const states: string[] = [];
    for (let i = 0; i <= left; i++) states.push((await woken.run()).state);
    expect(states).toEqual([...Array.from({ length: left }, () => 'completed'), 'failed']);
    expect(woken.asked()).toHaveLength(left);
    await world.pass(24 * 3_600_000);
    expect(await woken.run()).toMatchObject({ state: 'completed' });
  });
});
