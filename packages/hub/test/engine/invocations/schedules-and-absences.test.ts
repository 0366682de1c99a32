// Events that the platform brings itself: at set times, and when something did not happen. Both outlive a restart.

import { ParleyError } from '@parley/protocol';
import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { sent, provokingFor } from '../../kit/provoke.ts';

const minute = 60_000;
const hour = 60 * minute;

onBothEngines('events of the platform’s own', (engine) => {
  const world = provokingFor(engine);

  /** Time passes, and what is due is done. */
  const pass = async (ms: number): Promise<void> => {
    world.clock.advance(ms);
    await world.kit.hub.kernel.timers.tick();
  };
  const came = async (type: string) =>
    (await world.owner.call('listEvents', { query: { type } })).events
      .toReversed()
      .map(({ event, via, triggers }) => ({ id: event.id, time: event.time, via, data: event.data, reason: triggers[0]?.reason }));

  test('a schedule emits at its times, in its zone, and its trigger runs as any other', async () => {
    const { put, trigger } = world;
    // 06:00 UTC on a day in March is 07:00 in Oslo.
    await trigger('nightly', 'a.night.begun');
    await put('schedule', { id: 'night', cron: '30 7 * * *', time_zone: 'Europe/Oslo', emit: { type: 'a.night.begun', data: { n: 1 } } });
    await pass(29 * minute);
    expect(await came('a.night.begun')).toEqual([]);
    await pass(minute);
    expect(await came('a.night.begun')).toEqual([
      {
        id: 'schedule:night:2026-03-11T06:30:00.000Z',
        time: '2026-03-11T06:30:00.000Z',
        via: 'schedule',
        data: { n: 1, schedule: 'night', due: '2026-03-11T06:30:00.000Z' },
        reason: null,
      },
    ]);
    await pass(24 * hour);
    expect(await came('a.night.begun')).toHaveLength(2);
  });

  test('a slot missed while the hub was down is made up for once, or not at all', async () => {
    const { put, kit, clock } = world;
    await put('schedule', { id: 'often', cron: '*/10 * * * *', emit: { type: 'a.ten.passed' } });
    await put('schedule', { id: 'never', cron: '*/10 * * * *', missed: 'skip', emit: { type: 'a.ten.skipped' } });
    clock.jump(3 * hour + 5 * minute);
    await kit.restart();
    await kit.hub.kernel.timers.tick();
    expect((await came('a.ten.passed')).map(({ time }) => time)).toEqual(['2026-03-12T09:30:00.000Z']);
    expect(await came('a.ten.skipped')).toEqual([]);
    await pass(5 * minute);
    expect(await came('a.ten.passed')).toHaveLength(2);
    expect(await came('a.ten.skipped')).toHaveLength(1);
  });

  test('a clock that is set back makes no slot twice; set forward, one is made up for', async () => {
    const { clock, kit } = world;
    const before = await came('a.ten.passed');
    // Over two that have come.
    clock.jump(-15 * minute);
    await pass(0);
    await pass(10 * minute);
    await pass(10 * minute);
    expect(await came('a.ten.passed')).toEqual(before);
    clock.jump(4 * hour);
    await kit.hub.kernel.timers.tick();
    expect(await came('a.ten.passed')).toHaveLength(before.length + 1);
  });

  test('[PRV-7] a monitor whose time is no whole milliseconds holds up no event, and says so when all of it is over', async () => {
    const { put, emit } = world;
    await put('absence', {
      id: 'fraction',
      match: { type: 'a.fraction.seen' },
      within_seconds: 60.0005,
      emit: { type: 'a.fraction.missing' },
    });
    await emit({ type: 'a.fraction.seen' });
    await pass(minute);
    expect(await came('a.fraction.missing')).toEqual([]);
    await pass(1);
    expect(await came('a.fraction.missing')).toHaveLength(1);
  });

  test('switched off it is silent; switched on it does not make up for the time between', async () => {
    const { owner } = world;
    const params = { kind: 'schedule', id: 'often' } as const;
    const before = (await came('a.ten.passed')).length;
    await owner.call('enableProvoke', { params, body: { version: 1, enabled: false } });
    await pass(hour);
    expect(await came('a.ten.passed')).toHaveLength(before);
    await owner.call('enableProvoke', { params, body: { version: 2, enabled: true } });
    await pass(minute);
    expect(await came('a.ten.passed')).toHaveLength(before);
    await pass(10 * minute);
    expect(await came('a.ten.passed')).toHaveLength(before + 1);
    await owner.call('removeProvoke', { params, query: { version: 3 } });
    await pass(hour);
    expect(await came('a.ten.passed')).toHaveLength(before + 1);
  });

  test('nothing for four hours is an event, once for each silence', async () => {
    const { put, emit, trigger } = world;
    await trigger('worried', 'a.heart.silent');
    const heart = { id: 'heart', match: { type: 'a.heart.beat' }, within_seconds: 4 * 3600, emit: { type: 'a.heart.silent' } };
    await put('absence', heart);
    await pass(3 * hour);
    await emit({ type: 'a.heart.beat' });
    await pass(3 * hour);
    expect(await came('a.heart.silent')).toEqual([]);
    await pass(hour);
    const [first] = await came('a.heart.silent');
    expect(first).toMatchObject({
      via: 'absence',
      reason: null,
      data: { absence: 'heart', missing: 'a.heart.beat', within_seconds: 14400 },
    });
    await pass(24 * hour);
    expect(await came('a.heart.silent')).toHaveLength(1);
    await emit({ type: 'a.heart.beat' });
    await pass(4 * hour);
    expect(await came('a.heart.silent')).toHaveLength(2);
  });

  test('for each key apart, and only for those that its filters let through; after a restart as before', async () => {
    const { put, emit, kit, clock } = world;
    await put('absence', {
      id: 'hosts',
      match: { type: 'a.host.alive', filter: [{ path: '$.data.kind', operator: 'eq', value: 'prod' }] },
      key: '$.data.host',
      within_seconds: 600,
      emit: { type: 'a.host.gone' },
    });
    const alive = (host: string, kind = 'prod') => emit({ type: 'a.host.alive', data: { host, kind } });
    await alive('one');
    await alive('x'.repeat(100));
    await alive('three', 'test');
    await pass(5 * minute);
    await alive('one');
    await kit.restart();
    await pass(5 * minute);
    expect((await came('a.host.gone')).map(({ data }) => data['key'])).toEqual(['x'.repeat(100)]);
    clock.jump(hour);
    await kit.restart();
    await kit.hub.kernel.timers.tick();
    expect((await came('a.host.gone')).map(({ data }) => data['key'])).toEqual(['x'.repeat(100), 'one']);
    expect(await kit.hub.kernel.store.rows('absence_keys', "where absence_id = 'hosts'")).toEqual([]);
  });

  test('taken away, it waits for nothing', async () => {
    const { owner, kit } = world;
    await world.emit({ type: 'a.heart.beat' });
    await owner.call('removeProvoke', { params: { kind: 'absence', id: 'heart' }, query: { version: 1 } });
    expect(await kit.hub.kernel.store.rows('timers', "where kind = 'absence.due'")).toEqual([]);
  });

  test('[PRV-8] a member who knows the next slot of a schedule cannot send its event first', async () => {
    await world.trigger('hourly', 'a.hour.begun');
    await world.put('schedule', { id: 'hour', cron: '0 * * * *', emit: { type: 'a.hour.begun' } });
    const due = new Date(Math.ceil((world.clock.now() + 1) / hour) * hour).toISOString();
    const mal = await world.kit.person('mal');
    const forged = await mal.ask('emitEvent', { body: sent({ id: `schedule:hour:${due}`, type: 'a.hour.begun' }) });
    expect([forged.status, forged.body.error?.problems?.map(({ field }) => field)]).toEqual([400, ['id']]);
    await pass(hour);
    expect(await came('a.hour.begun')).toMatchObject([{ id: `schedule:hour:${due}`, reason: null }]);
    const params = { kind: 'schedule', id: 'hour' } as const;
    await world.owner.call('removeProvoke', { params, query: { version: 1 } });
  });

  test.each(['at work', 'restarted'])(
    '[PRV-10] [PRV-8] a clock that was a year ahead and is set right holds nothing up: %s',
    async (how) => {
      const { put, trigger, emit, clock, kit } = world;
      const name = how.slice(0, 2);
      const year = 365 * 24 * hour;
      const look = () => (how === 'restarted' ? kit.restart() : pass(0));
      await trigger(`${name}-seldom`, `a.${name}.seldom`, { throttle: { max_per_window: 1, window_seconds: 60 } });
      await put('schedule', { id: `${name}-minute`, cron: '* * * * *', emit: { type: `a.${name}.minute` } });
      await put('absence', {
        id: `${name}-beat`,
        match: { type: `a.${name}.beat` },
        key: '$.data.host',
        within_seconds: 60,
        emit: { type: `a.${name}.silent` },
      });
      await pass(minute);
      clock.jump(year);
      await look();
      await pass(0);
      for (const type of [`a.${name}.seldom`, `a.${name}.beat`]) await emit({ type, data: { host: 'one' } });
      const before = (await came(`a.${name}.minute`)).length;
      clock.jump(-year);
      // The database is away just then: it is not taken for done.
      const { engine: at } = kit.hub.kernel;
      const submit = at.submit.bind(at);
      at.submit = (c) => ('early' in c ? Promise.reject(new ParleyError('unavailable')) : submit(c));
      if (how === 'at work') await pass(0);
      at.submit = submit;
      await look();
      expect(await came(`a.${name}.silent`)).toEqual([]);
      await pass(minute);
      expect(await came(`a.${name}.minute`)).toHaveLength(before + 1);
      expect(await came(`a.${name}.silent`)).toHaveLength(1);
      expect((await emit({ type: `a.${name}.seldom` })).triggers).toMatchObject([{ outcome: 'run' }]);
      await pass(minute);
      expect(await came(`a.${name}.minute`)).toHaveLength(before + 2);
      expect(await came(`a.${name}.silent`)).toHaveLength(1);
      for (const [kind, id] of [
        ['schedule', `${name}-minute`],
        ['absence', `${name}-beat`],
      ] as const)
        await world.owner.call('removeProvoke', { params: { kind, id }, query: { version: 1 } });
    },
  );
});
