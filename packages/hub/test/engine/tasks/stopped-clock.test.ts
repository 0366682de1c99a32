// Time that passes while everything is stopped is nobody's (SYS-10), and is taken out once, whatever the clocks did.

import { onBothEngines, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { floorOn, floorFor } from '../../kit/floor.ts';

const minute = 60_000;
const hour = 60 * minute;

onBothEngines('clocks while everything is stopped', (engine) => {
  let here: string;
  const { floor } = floorFor(engine);
  const a = makeOnce(() => floor.agent('A'));
  beforeAll(async () => {
    here = await floor.channel('halted', a);
  });
  const at = async () => (await floor.tasks(here)).at(-1)!;
  const leftMs = async () => (await at()).timer!.endsAt! - floor.clock.now();
  const work = async () => {
    await floor.ann.post(here, '^A go');
    await floor.pass(10 * minute);
    return leftMs();
  };
  const release = async () => {
    await floor.kit.owner.call('release', {});
    await floor.pass();
    await floor.kit.hub.kernel.timers.tick();
  };
  /** What was left is left, and no more: it runs out when it should. */
  const runsOutAfter = async (left: number) => {
    expect(await leftMs()).toBe(left);
    await floor.pass(left - minute);
    expect((await at()).state).toBe('active');
    await floor.pass(2 * minute);
    expect((await at()).state).toBe('timed_out');
  };

  test.each([
    ['forward', 2 * hour],
    ['back', -2 * hour],
  ])('[SYS-10] [PAP-8] a clock that is set %s while everything is stopped', async (_, gap) => {
    const left = await work();
    await floor.ann.call('halt', {});
    await floor.pass(5 * minute);
    floor.clock.jump(gap);
    await floor.pass(5 * minute);
    await release();
    await runsOutAfter(left);
  });

  test('[SYS-10] [PAP-8] a machine that slept, and is stopped before anybody has looked at its clock', async () => {
    const left = await work();
    floor.clock.jump(2 * hour);
    await floor.ann.call('halt', {});
    await floor.pass(5 * minute);
    await release();
    await runsOutAfter(left);
  });
});

onBothEngines('a hub that is down while everything is stopped', (engine) => {
  test('[SYS-10] [PAP-8] takes nothing from the time of its own agents, and gives them none', async () => {
    let began!: () => void;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    const floor = await floorOn(engine, {
      brain: {
        turn: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('taken away')));
            began();
          }),
      },
    });
    try {
      const a = await floor.agent('A');
      const here = await floor.channel('down', a);
      await floor.ann.call('editAgent', { params: { memberId: a.id }, body: { brain: 'builtin' } });
      await floor.ann.call('halt', {});
      await floor.ann.post(here, '^A go');
      const timer = async () => (await floor.tasks(here))[0]!.timer!;
      const { leftMs } = await timer();
      await floor.pass(5 * minute);
      floor.clock.jump(2 * hour);
      await floor.kit.restart();
      expect(await timer()).toMatchObject({ running: false, leftMs });
      await floor.pass(5 * minute);
      await floor.kit.owner.call('release', {});
      await beginning;
      expect((await timer()).endsAt).toBe(floor.clock.now() + leftMs!);
    } finally {
      await floor.kit.stop();
    }
  });
});
