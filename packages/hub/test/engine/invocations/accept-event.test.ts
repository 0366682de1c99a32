// What becomes of an event: its way past each trigger, and what is written down with it.

import { createHash } from 'node:crypto';
import { type Changes, type Hub, readConfig, startHub } from '@parley/hub';
import { onBothEngines, promote, until } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PostgresStore } from '../../../src/store/postgres/store.ts';
import { folderBeside } from '../../kit/hub-beside.ts';
import { type Accepted, event, type Provoking, startProvoking } from '../../kit/provoke.ts';

const ends = ({ triggers }: Accepted) => triggers.map(({ triggerId, reason }) => [triggerId, reason]);

onBothEngines('an event at its triggers', (engine) => {
  let world: Provoking;
  const groups: { rowWrites: number; facts: string[] }[] = [];
  beforeAll(async () => {
    world = await startProvoking(engine, {
      onGroup: ({ committed, facts, tables }) => {
        if (committed && facts.length + tables.size > 0)
          groups.push({ rowWrites: committed.rowWrites, facts: facts.map(({ type }) => type) });
      },
    });
  });
  afterAll(() => world.kit.stop());

  const invocations = async (trigger: string) =>
    (await world.owner.call('listInvocations', { query: { trigger, state: 'all' } })).invocations;

  test('[PRV-7] the answer says for each trigger how far it came and why; so does the record', async () => {
    const { put, trigger, emit, owner } = world;
    await trigger('price-no1', 'energy.price.exceeded', {
      match: {
        type: 'energy.price.exceeded',
        filter: [
          { path: '$.data.price', operator: 'gt', value: 3 },
          { path: '$.data.region', operator: 'eq', value: 'NO1' },
        ],
      },
    });
    await trigger('price-off', 'energy.price.exceeded', { enabled: false });
    await trigger('price-nobody', 'energy.price.exceeded', { agent: 'not-there' });
    await put('manifest', { id: 'dangerous', risk_level: 'low', tools: [{ name: 'x', source: 'mcp://x', risk_override: 'high' }] });
    await trigger('price-risk', 'energy.price.exceeded', { agent: 'dangerous' });
    const first = await emit({ type: 'energy.price.exceeded', data: { price: 4.82, region: 'NO1' } }, owner);
    expect(first.triggers).toEqual([
      { triggerId: 'price-no1', outcome: 'run', step: 'run', reason: null, until: null, invocationId: expect.stringMatching(/^inv_/) },
      { triggerId: 'price-nobody', outcome: 'rejected', step: 'risk', reason: 'no_manifest', until: null, invocationId: null },
      {
        triggerId: 'price-risk',
        outcome: 'paused',
        step: 'risk',
        reason: 'needs_approval',
        until: null,
        invocationId: expect.stringMatching(/^inv_/),
      },
      { triggerId: 'price-off', outcome: 'discarded', step: 'match', reason: 'disabled', until: null, invocationId: null },
    ]);
    const cheap = await emit({ type: 'energy.price.exceeded', data: { price: 2, region: 'NO1' } });
    expect(cheap.triggers.find(({ triggerId }) => triggerId === 'price-no1')).toMatchObject({ outcome: 'discarded', reason: 'filter' });
    // Read again, after the fact: the same.
    expect(await owner.call('getEvent', { params: { eventRef: first.id } })).toMatchObject({
      triggers: first.triggers,
      via: 'api',
      byId: owner.id,
      chainId: first.chainId,
    });
    expect(await invocations('price-no1')).toMatchObject([
      { state: 'queued', ownerId: owner.id, risk: 'read_only', level: 1, eventRef: first.id, manifestVersion: 1, attempt: 0 },
    ]);
    expect((await invocations('price-risk'))[0]).toMatchObject({ state: 'awaiting_approval', risk: 'high' });
  });

  test('[PRV-7] an event that matches nothing is one group and two rows; one that matches writes its key and its invocation beside', async () => {
    const { trigger, emit } = world;
    await trigger('counted', 'a.counted.thing', {
      match: { type: 'a.counted.thing', filter: [{ path: '$.data.n', operator: 'gt', value: 1 }] },
    });
    await emit({ type: 'a.counted.thing' });
    groups.length = 0;
    await emit({ type: 'nobody.waits.here' });
    expect(groups).toEqual([{ rowWrites: 2, facts: ['event.accepted'] }]);
    groups.length = 0;
    await emit({ type: 'a.counted.thing', data: { n: 0 } });
    expect(groups).toEqual([{ rowWrites: 2, facts: ['event.accepted'] }]);
    groups.length = 0;
    await emit({ type: 'a.counted.thing', data: { n: 2 } });
    expect(groups[0]).toEqual({ rowWrites: 5, facts: ['invocation.started', 'event.accepted'] });
  });

  test('[PRV-8] the pair of event and trigger runs once: sent again, after a restart, a day later, and never by its body', async () => {
    const { trigger, emit, kit, clock } = world;
    await trigger('once', 'a.thing.crossed');
    const sent = { id: 'same', type: 'a.thing.crossed' };
    expect(ends(await emit(sent))).toEqual([['once', null]]);
    expect(ends(await emit(sent))).toEqual([['once', 'duplicate']]);
    expect(ends(await emit({ ...sent, data: { other: 1 } }))).toEqual([['once', 'duplicate']]);
    // The same words under another id are another crossing.
    expect(ends(await emit({ ...sent, id: 'another' }))).toEqual([['once', null]]);
    await kit.restart();
    expect(ends(await emit(sent))).toEqual([['once', 'duplicate']]);
    clock.jump(24 * 3_600_000 + 1);
    await kit.hub.kernel.timers.tick();
    expect(ends(await emit(sent))).toEqual([['once', 'duplicate']]);
    clock.jump(-24 * 3_600_000);
    await kit.hub.kernel.timers.tick();
    expect(ends(await emit(sent))).toEqual([['once', 'duplicate']]);
    // Another trigger has not seen it.
    await trigger('once-more', 'a.thing.crossed');
    expect(ends(await emit(sent))).toEqual([
      ['once', 'duplicate'],
      ['once-more', null],
    ]);
    expect(await invocations('once')).toHaveLength(2);
  });

  test('[PRV-8] ("ab", "c") and ("a", "bc") are two pairs under one name', async () => {
    const { trigger, emit, kit } = world;
    await trigger('c', 'a.pair.met');
    await trigger('bc', 'a.pair.met');
    expect(ends(await emit({ id: 'ab', type: 'a.pair.met' }))).toEqual([
      ['bc', null],
      ['c', null],
    ]);
    expect(ends(await emit({ id: 'a', type: 'a.pair.met' }))).toEqual([
      ['bc', null],
      ['c', null],
    ]);
    const keys = await kit.hub.kernel.store.rows('provoke_keys', "where trigger_id in ('c', 'bc') order by event_id, trigger_id");
    const named = createHash('sha256').update('abc').digest('hex');
    expect(keys.map(({ event_id, trigger_id, hash }) => [event_id, trigger_id, hash === named])).toEqual([
      ['a', 'bc', true],
      ['a', 'c', false],
      ['ab', 'bc', false],
      ['ab', 'c', true],
    ]);
  });

  test('[PRV-8] a key is recorded whatever follows it, and let go after a week', async () => {
    const { trigger, emit, kit, clock } = world;
    await trigger('later', 'a.late.thing', { agent: 'comes-later' });
    expect(ends(await emit({ id: 'early', type: 'a.late.thing' }))).toEqual([['later', 'no_manifest']]);
    await world.put('manifest', { id: 'comes-later', risk_level: 'low' });
    expect(ends(await emit({ id: 'early', type: 'a.late.thing' }))).toEqual([['later', 'duplicate']]);
    clock.jump(7 * 24 * 3_600_000 + 1);
    await kit.hub.kernel.timers.tick();
    expect(await kit.hub.kernel.store.rows('provoke_keys', "where trigger_id = 'later'")).toEqual([]);
    expect(ends(await emit({ id: 'early', type: 'a.late.thing' }))).toEqual([['later', null]]);
  });

  test('[PRV-8] many at once, one of them runs', async () => {
    const { trigger, emit } = world;
    await trigger('crowded', 'a.crowd.came');
    const all = await Promise.all(Array.from({ length: 20 }, () => emit({ id: 'one', type: 'a.crowd.came' })));
    expect(all.filter(({ triggers }) => triggers[0]!.outcome === 'run')).toHaveLength(1);
    expect(await invocations('crowded')).toHaveLength(1);
  });

  test('[PRV-10] so many in any window, for each value; what has none shares one', async () => {
    const { trigger, emit, clock } = world;
    const throttle = { max_per_window: 2, window_key: '$.data.region', window_seconds: 3600 };
    await trigger('often', 'a.region.hot', { throttle });
    const type = 'a.region.hot';
    const hot = async (region?: unknown) => (await emit({ type, data: region === undefined ? {} : { region } })).triggers[0]!;
    expect((await hot('NO1')).reason).toBe(null);
    clock.advance(1_800_000);
    expect((await hot('NO1')).reason).toBe(null);
    expect(await hot('NO1')).toMatchObject({ outcome: 'discarded', step: 'throttle', reason: 'throttled', until: clock.now() + 1_800_000 });
    expect((await hot('NO2')).reason).toBe(null);
    expect((await hot(1)).reason).toBe(null);
    expect((await hot('1')).reason).toBe(null);
    for (const reason of [null, null, 'throttled']) expect((await hot()).reason).toBe(reason);
    // The window slides: the first has left it, the second has not.
    clock.advance(1_800_000);
    expect((await hot('NO1')).reason).toBe(null);
    expect((await hot('NO1')).reason).toBe('throttled');
  });

  test('[PRV-10] many at once take no more places than there are', async () => {
    const { trigger, emit } = world;
    await trigger('narrow', 'a.narrow.gate', { throttle: { max_per_window: 3, window_seconds: 60 } });
    const all = await Promise.all(Array.from({ length: 20 }, () => emit({ type: 'a.narrow.gate' })));
    expect(all.filter(({ triggers }) => triggers[0]!.outcome === 'run')).toHaveLength(3);
  });

  test('[PRV-10] [PRV-16] the window is as long as the trigger says now: made longer or shorter, it counts what is on record', async () => {
    const { trigger, emit, clock, kit, owner } = world;
    const type = 'a.window.changed';
    const lasts = (window_seconds: number) => trigger('wide', type, { throttle: { max_per_window: 1, window_seconds } });
    const dry = async () =>
      (await owner.call('testTriggers', { body: { events: [event({ type })], triggers: ['wide'] } })).results[0]!.reason;
    const both = async () => [await dry(), ends(await emit({ type }))[0]![1]];
    const start = clock.now();
    await lasts(60);
    expect(await both()).toEqual([null, null]);
    await lasts(36_000);
    clock.advance(120_000);
    // One that is turned away gives nobody's place away, and neither does housekeeping.
    expect([await both(), await both()]).toEqual([
      ['throttled', 'throttled'],
      ['throttled', 'throttled'],
    ]);
    clock.advance(2 * 3_600_000);
    await kit.hub.kernel.timers.tick();
    expect(await both()).toEqual(['throttled', 'throttled']);
    await lasts(60);
    expect(await both()).toEqual([null, null]);
    await lasts(36_000);
    clock.advance(36_000_000);
    await kit.hub.kernel.timers.tick();
    expect(await kit.hub.kernel.store.rows('throttle_starts', "where trigger_id = 'wide' and at = ?", [start])).toEqual([]);
    expect(await both()).toEqual([null, null]);
  });

  test('[SYS-9] a trigger uses nobody else’s manifest, and stops with its owner', async () => {
    const { put, emit, kit, owner } = world;
    const mia = await kit.person('mia');
    await put('trigger', { id: 'mias', agent: 'calm', match: { type: 'a.mia.thing' } }, mia);
    expect(ends(await emit({ type: 'a.mia.thing' }))).toEqual([['mias', 'no_manifest']]);
    await put('manifest', { id: 'mias-own', risk_level: 'low' }, mia);
    await put('trigger', { id: 'mias', agent: 'mias-own', match: { type: 'a.mia.thing' } }, mia);
    expect(ends(await emit({ type: 'a.mia.thing' }))).toEqual([['mias', null]]);
    // Nor is hers put under the name that another's trigger waits for, to have her words run as them.
    await world.trigger('of-owner', 'a.trap.set', { agent: 'mias-own' });
    expect(ends(await emit({ type: 'a.trap.set' }))).toEqual([['of-owner', 'no_manifest']]);
    const ada = await kit.person('ada', 'admin');
    await put('manifest', { id: 'adas', risk_level: 'low' }, ada);
    await world.trigger('of-owner', 'a.trap.set', { agent: 'adas' });
    expect(ends(await emit({ type: 'a.trap.set' }))).toEqual([['of-owner', null]]);
    // Who may have no trigger has none that runs.
    await owner.call('editMember', { params: { memberId: mia.id }, body: { role: 'guest' } });
    expect(ends(await emit({ type: 'a.mia.thing' }))).toEqual([['mias', 'disabled']]);
    await promote(owner, mia, 'member');
    expect(ends(await emit({ type: 'a.mia.thing' }))).toEqual([['mias', null]]);
    await owner.call('deactivateMember', { params: { memberId: mia.id } });
    expect(ends(await emit({ type: 'a.mia.thing' }))).toEqual([['mias', 'disabled']]);
  });
});

describe('two hubs on one database', () => {
  let world: Provoking;
  let other: Hub;
  beforeAll(async () => {
    world = await startProvoking('postgres');
    const { ground } = world.kit;
    const dataDir = await folderBeside(ground);
    other = await startHub(
      readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_DATABASE_URL: ground.databaseUrl, PARLEY_LOG: 'silent' }),
      { sync: false, clock: world.clock },
    );
  });
  afterAll(async () => {
    await other.stop();
    await world.kit.stop();
  });

  test('[PRV-8] the same event at both hubs at once runs once, and both know the outcome', async () => {
    const { trigger, kit, owner } = world;
    await trigger('shared', 'a.shared.thing', { throttle: { max_per_window: 5, window_seconds: 60 } });
    const hubs = [kit.hub, other];
    // What decides is loaded when there is something to decide on.
    expect(other.kernel.provoke.loaded).toBeUndefined();
    for (let round = 0; round < 10; round++) {
      const same = event({ id: `round-${round}`, type: 'a.shared.thing' });
      const both = await Promise.all([0, 1, 0, 1].map((i) => hubs[i]!.kernel.engine.submit({ type: 'event.accept', by, event: same })));
      const reasons = both.map(({ triggers }) => triggers[0]!.reason);
      expect(reasons.filter((reason) => reason === 'duplicate')).toHaveLength(3);
    }
    const { invocations } = await owner.call('listInvocations', { query: { trigger: 'shared', state: 'all' } });
    expect(invocations).toHaveLength(5);
  });

  const by = { operator: true } as const;
  const at = (hub: Hub, type: string) => hub.kernel.engine.submit({ type: 'event.accept', by, event: event({ type }) });

  test('[PRV-10] both at once take no more places than there are', async () => {
    const { trigger, kit } = world;
    await trigger('few', 'a.few.places', { throttle: { max_per_window: 3, window_seconds: 60 } });
    const all = await Promise.all(Array.from({ length: 16 }, (_, i) => at(i % 2 === 0 ? kit.hub : other, 'a.few.places')));
    expect(all.filter(({ triggers }) => triggers[0]!.outcome === 'run')).toHaveLength(3);
  });

  test('[PRV-4] a change at one hub is in force at the other when it is answered', async () => {
    const { trigger, kit } = world;
    await trigger('moody', 'a.mood.swung');
    for (const enabled of [true, false, true, false]) {
      await trigger('moody', 'a.mood.swung', { enabled });
      const both = await Promise.all([at(kit.hub, 'a.mood.swung'), at(other, 'a.mood.swung')]);
      expect(both.map(({ triggers }) => triggers[0]!.reason)).toEqual(enabled ? [null, null] : ['disabled', 'disabled']);
    }
  });

  test('[PRV-4] a monitor that is changed at one while the other hears for it waits as it says now', async () => {
    const { put, kit, clock } = world;
    const monitor = (within_seconds: number) =>
      put('absence', { id: 'both', match: { type: 'a.both.heard' }, key: '$.data', within_seconds, emit: { type: 'a.both.missing' } });
    await monitor(60);
    // The other has decided, and is about to commit.
    const { store } = other.kernel;
    const [decided, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begin = vi.spyOn(store, 'begin').mockImplementation(async (...given) => {
      const begun = await PostgresStore.prototype.begin.apply(store as PostgresStore, given);
      const commit = async (changes: Changes) => {
        decided.resolve();
        await go.promise;
        return begun.transaction.commit(changes);
      };
      return { ...begun, transaction: { ...begun.transaction, commit } };
    });
    const heard = at(other, 'a.both.heard');
    await decided.promise;
    begin.mockRestore();
    let isDone = false;
    const changed = monitor(90).finally(() => (isDone = true));
    // It waits for the other, or is done without having seen it.
    const waiting = 'select 1 from pg_locks l join pg_database d on d.oid = l.database where datname = current_database() and not granted';
    await until(async () => isDone || (await kit.hub.kernel.store.all(waiting)).length > 0);
    go.resolve();
    await Promise.all([heard, changed]);
    // What was heard before the change is forgotten with it; what is heard after it counts as it says by then.
    const timers = () => store.all("select due_at from timers where kind = 'absence.due' and subject like 'both %'");
    expect(await timers()).toEqual([]);
    await at(other, 'a.both.heard');
    expect(await timers()).toEqual([{ due_at: clock.now() + 90_000 }]);
  });

  test('a slot that both see due is one event', async () => {
    const { put, kit, clock, owner } = world;
    await put('schedule', { id: 'both', cron: '* * * * *', emit: { type: 'a.minute.passed' } });
    for (let minute = 0; minute < 3; minute++) {
      clock.advance(60_000);
      await Promise.all([kit.hub, other].map((hub) => hub.kernel.timers.tick()));
    }
    const { events } = await owner.call('listEvents', { query: { type: 'a.minute.passed' } });
    expect(new Set(events.map(({ event: { id } }) => id)).size).toBe(events.length);
    expect(events).toHaveLength(3);
  });
});
