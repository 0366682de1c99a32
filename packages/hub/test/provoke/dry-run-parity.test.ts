// A dry run says what the pipeline does (PRV-16), and a replay what it did: random triggers of several owners, one of whom may
// have none any more, and random events, each first tried and then in earnest.

import type { PapEvent } from '@parley/protocol';
import { onBothEngines, type Person, Random } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { mayRun, mayUse } from '../../src/engine/steps/triggers/triggers-in-force.ts';
import { printedSeed } from '../kit/bare.ts';
import { event, provokingFor } from '../kit/provoke.ts';

const types = ['a.b.c', 'a.b.d', 'a.b.e'];
const paths = ['$.data.a', '$.data.b', '$.data.c.d', "$.data['x y']", '$.data.l[0]', '$.data.l[-1]', '$.source', '$.extra', '$.data.long'];
const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains', 'exists', 'regex'] as const;
const values = [1, '1', 0, -1, 1.5, true, false, '', 'ab', 1e308];

function filterOf(random: Random): object {
  const operator = random.pick(operators);
  const value = {
    in: [random.pick(values), random.pick(values)],
    not_in: [random.pick(values), random.pick(values)],
    lt: random.pick([0, 1, 1.5]),
    lte: random.pick([0, 1, 1.5]),
    gt: random.pick([0, 1, -1]),
    gte: random.pick([0, 1, -1]),
    contains: random.pick(['', 'a', 'N']),
    exists: random.pick([true, false]),
    regex: random.pick(['a', '^$', '\\d', '.*']),
    eq: random.pick(values),
    ne: random.pick(values),
  }[operator];
  return { path: random.pick(paths), operator, value };
}

function eventOf(random: Random, id: string): PapEvent {
  const value = () => random.pick([...values, null, undefined, 'abN', { a: 1 }, [1]]);
  const data = {
    a: value(),
    b: value(),
    c: random.pick([{ d: value() }, value()]),
    'x y': value(),
    l: random.pick([[value(), value()], [], value()]),
    ...(random.int(10) === 0 ? { long: 'a'.repeat(128_001) } : {}),
  };
  const made = event({ id, type: random.pick(types), source: random.pick(['m', 'ab']), ...(random.int(3) === 0 ? { extra: 1 } : {}) });
  return JSON.parse(JSON.stringify({ ...made, data })) as PapEvent;
}

onBothEngines('a dry run and the pipeline', (engine) => {
  let bob: Person;
  let gus: Person;
  const world = provokingFor(engine);
  beforeAll(async () => {
    [bob, gus] = [await world.kit.person('bob'), await world.kit.person('gus')];
  });

  async function triggers(random: Random): Promise<void> {
    const { put, owner } = world;
    await put('manifest', { id: 'hot', risk_level: 'high' });
    await put('manifest', { id: 'bobs', risk_level: 'low' }, bob);
    await put('manifest', { id: 'guss', risk_level: 'low' }, gus);
    const { version } = await put('manifest', { id: 'off', risk_level: 'low' });
    await owner.call('enableProvoke', { params: { kind: 'manifest', id: 'off' }, body: { version, enabled: false } });
    const names = (who: Person) =>
      who === owner ? ['calm', 'hot', 'off', 'none', 'bobs'] : who === bob ? ['bobs', 'calm', 'none'] : ['guss'];
    for (let i = 0; i < 24; i++) {
      const who = random.pick([owner, owner, bob, gus]);
      const throttle = {
        max_per_window: 1 + random.int(2),
        window_seconds: random.pick([1.5, 60, 600]),
        ...(random.int(2) === 0 ? { window_key: random.pick(paths) } : {}),
      };
      const filter = Array.from({ length: random.int(3) }, () => filterOf(random));
      const trigger = { id: `t${i}`, agent: random.pick(names(who)), enabled: random.int(8) > 0, match: { type: types[i % 3], filter } };
      await put('trigger', { ...trigger, ...(random.int(2) === 0 ? { throttle } : {}) }, who);
    }
    await owner.call('editMember', { params: { memberId: gus.id }, body: { role: 'guest' } });
  }

  /** Its outcome at each trigger that waits for its type. */
  const tried = async (one: PapEvent) => {
    const { results } = await world.owner.call('testTriggers', { body: { events: [one] } });
    return results.map(({ triggerId, outcome, reason, steps }) => {
      const { step } = steps.findLast(({ state }) => state !== 'not_reached')!;
      return `${triggerId} ${outcome} ${step} ${reason}`;
    });
  };
  const inEarnest = async (one: PapEvent) =>
    (await world.emit(one)).triggers.map(({ triggerId, outcome, step, reason }) => `${triggerId} ${outcome} ${step} ${reason}`);

  test('[PRV-16] [PRV-7] say the same of every pair; so does a replay of all of it', async () => {
    const seed = printedSeed(`dry runs (${engine})`);
    const random = new Random(seed);
    await triggers(random);
    const record: { event: PapEvent; at: number; cascade: { from: 'root' } }[] = [];
    const became: string[][] = [];
    for (let i = 0; i < 50; i++) {
      const again = random.int(4) === 0 ? record.at(-1 - random.int(5))?.event.id : undefined;
      const one = eventOf(random, again ?? `${engine}-${i}`);
      const expected = await tried(one);
      const ends = await inEarnest(one);
      expect(ends.toSorted(), `seed ${seed}, event ${i}`).toEqual(expected.toSorted());
      record.push({ event: one, at: world.clock.now(), cascade: { from: 'root' } });
      became.push(ends.filter((end) => !end.includes(' match ')));
      if (random.int(3) === 0) world.clock.advance(random.int(40_000));
    }
    expect(
      (await replayed(record)).map((ends) => ends.toSorted()),
      `seed ${seed}`,
    ).toEqual(became.map((ends) => ends.toSorted()));
  });

  async function replayed(record: Parameters<Awaited<ReturnType<typeof library>>['core']['replay']>[2]): Promise<string[][]> {
    const { core, trigger, manifest } = await library();
    const { store } = world.kit.hub.kernel;
    const rows = await store.rows('provoke_objects', 'where removed_at is null');
    const members = new Map((await store.rows('members', '')).map((one) => [one.id, one]));
    const named = (kind: string, id: string) => rows.find((one) => one.kind === kind && one.id === id);
    const kept = rows.filter(({ kind, owner_id }) => kind === 'trigger' && mayRun(members.get(owner_id)!));
    const wakes = (id: string, agent: string) => {
      const [row, by] = [named('manifest', agent), named('trigger', id)!];
      const usable = row?.enabled === 1 && mayUse(row, members.get(row.owner_id), by, members.get(by.owner_id)!);
      return usable ? manifest(row) : undefined;
    };
    const set = core.triggerSet(kept.flatMap((row) => trigger(row) ?? []));
    return [...core.replay(set, ({ id, agent }) => wakes(id, agent), record, core.directPatterns())].map(({ verdicts }) =>
      verdicts.map(({ triggerId, outcome, step, reason }) => `${triggerId} ${outcome} ${step} ${reason}`),
    );
  }
  const library = () => world.kit.hub.kernel.provoke.load();
});
