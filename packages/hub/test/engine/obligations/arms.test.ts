// The protocol's four arms, through the way every message takes: it is counted that the recipient took a turn, not that
// something was sent. The same arms must fail on a hub that never comes back to what is owed.

import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Floor } from '../../kit/floor.ts';
import { interval, obliging, type World, worldOn } from '../../kit/obligations.ts';

const turnsOf = async ({ turns, asked, above }: World) => [await turns(asked), await turns(above)];

const arms: Record<string, (world: World) => Promise<void>> = {
  'a recipient that answers, and whose answer is enough, is not asked again': async (world) => {
    const { floor, asked, here } = world;
    const owed = await world.post();
    const [task] = await floor.tasks(here);
    await floor.say(asked, task!, 'answer', 'the second');
    await floor.ann.call('dischargeObligation', { params: { obligationId: owed.id } });
    await world.pass(4 * interval);
    expect([await turnsOf(world), await world.waitingFor(floor.bob)]).toEqual([[1, 0], []]);
  },

  'a silent one takes a turn at each of three returns; then its manager does; then a person is asked': async (world) => {
    const owed = await world.post();
    expect(await turnsOf(world)).toEqual([1, 0]);
    const seen: number[][] = [];
    for (let tick = 1; tick <= 7; tick++) {
      await world.pass(interval);
      seen.push(await turnsOf(world));
    }
    expect(seen).toEqual([
      [2, 0],
      [3, 0],
      [4, 0],
      [4, 1],
      [4, 2],
      [4, 3],
      [4, 4],
    ]);
    expect(await world.waitingFor(world.floor.bob)).toEqual([]);
    await world.pass(interval);
    expect([await turnsOf(world), await world.waitingFor(world.floor.bob)]).toEqual([[4, 4], [owed.id]]);
    // With the last person it stays: nothing expires, and nobody is nagged.
    await world.pass(3 * interval);
    const { obligations } = await world.floor.bob.call('listObligations', { query: { owe: 'me' } });
    expect([obligations.map(({ id }) => id), await turnsOf(world)]).toEqual([[owed.id], [4, 4]]);
  },

  'one that says it is at it is put off once, and then reminded as any other': async (world) => {
    const { asked } = world;
    const owed = await world.post();
    const working = () => asked.call('signalObligation', { params: { obligationId: owed.id }, body: { signal: 'working' } });
    await world.pass(2 * interval);
    expect((await working()).returns).toBe(0);
    await world.pass(2 * interval);
    expect((await working()).returns).toBe(2);
    expect(await turnsOf(world)).toEqual([5, 0]);
    await world.pass(interval);
    expect(await turnsOf(world)).toEqual([6, 0]);
    await world.pass(interval);
    expect(await turnsOf(world)).toEqual([6, 1]);
  },

  'over a restart that misses returns there is one, and its age counts from its creation': async (world) => {
    const { floor, asked, above } = world;
    const owed = await world.post();
    await world.pass(interval);
    expect(await turnsOf(world)).toEqual([2, 0]);
    // What it was given then has run out of time; the question has not.
    await world.pass(35 * 60_000);
    floor.clock.jump(3.5 * interval);
    await floor.kit.restart();
    for (const agent of [asked, above]) await floor.connect(agent);
    expect(await turnsOf(world)).toEqual([3, 0]);
    const { obligations } = await floor.ann.call('listObligations', { query: { waiting: 'me' } });
    const now = obligations.find(({ id }) => id === owed.id)!;
    expect([now.createdAt, now.returns, now.nextAt]).toEqual([owed.createdAt, 2, owed.createdAt + 6 * interval]);
    await floor.say(asked, (await floor.tasks(world.here)).at(-1)!, 'answer', 'not yet');
    await world.pass(interval);
    expect(await turnsOf(world)).toEqual([4, 0]);
  },
};

onBothEngines('what is owed', (engine) => {
  describe('[C2A-31]', () => {
    let floor: Floor;
    beforeAll(async () => {
      floor = await obliging(engine);
    });
    afterAll(() => floor.kit.stop());
    test.each(Object.entries(arms))('%s', async (_title, arm) => arm(await worldOn(floor)));
  });

  describe('[C2A-31] control: with returns taken away the arms fail', () => {
    let floor: Floor;
    beforeAll(async () => {
      floor = await obliging(engine, 'no returns');
    });
    afterAll(() => floor.kit.stop());
    // The first is about no return at all.
    test.each(Object.entries(arms).slice(1))('%s', async (_title, arm) => {
      await expect(arm(await worldOn(floor))).rejects.toThrow(/^expected/);
    });
  });
});
