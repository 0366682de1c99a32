// What one member may ask of a hub that all others are waiting for: counted, never timed.

import type { ProvokeKind } from '@parley/protocol';
import { makeOnce, onBothEngines, Person } from '@parley/testkit';
import { expect, test, vi } from 'vitest';
import type { TableName } from '../../../src/store/tables.ts';
import { type Accepted, event, startProvoking } from '../../kit/provoke.ts';

onBothEngines('what one member may ask of all', (engine) => {
  const world = makeOnce(
    () => startProvoking(engine),
    (made) => made.kit.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const kernel = () => world.kit.hub.kernel;
  const putAll = async (kind: ProvokeKind, bodies: readonly ({ id: string } & Record<string, unknown>)[], who = mia) => {
    const { by } = (await kernel().auth.principal(who.token))!;
    return Promise.allSettled(
      bodies.map((body) => kernel().engine.submit({ type: 'provoke.put', by, kind, id: body.id, version: 0, body })),
    );
  };
  const taken = (outcomes: readonly PromiseSettledResult<unknown>[]) => outcomes.filter(({ status }) => status === 'fulfilled').length;
  const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
  /** How many rows of the table each commit has brought. */
  const inserted = async (table: TableName, work: () => Promise<unknown>): Promise<number[]> => {
    const { store } = kernel();
    const begin = store.begin.bind(store);
    const counts: number[] = [];
    const spy = vi.spyOn(store, 'begin').mockImplementation(async (...of) => {
      const begun = await begin(...of);
      const { transaction } = begun;
      const commit = transaction.commit.bind(transaction);
      transaction.commit = (changes) => {
        counts.push(changes.inserts.filter((insert) => insert.table === table).length);
        return commit(changes);
      };
      return begun;
    });
    await work();
    spy.mockRestore();
    return counts.filter((count) => count > 0);
  };

  test('[PRV-4] a member keeps 100 of each kind over the API; what is taken away makes room, and owners have no bound', async () => {
    const schedule = (i: number, name = 'mine') => ({
      id: `${name}-${i}`,
      enabled: false,
      cron: '0 * * * *',
      emit: { type: 'a.b.struck' },
    });
    expect(
      taken(
        await putAll(
          'schedule',
          times(102, (i) => schedule(i)),
        ),
      ),
    ).toBe(100);
    const put = (id: string, version = 0) =>
      mia.ask('putProvoke', { params: { kind: 'schedule', id }, body: { version, object: { ...schedule(0), id, description: 'x' } } });
    const { status, body } = await put('one-more');
    expect([status, body.error?.code, body.error?.problems]).toEqual([
      400,
      'invalid_request',
      [
        {
          field: 'object.id',
          message: 'you have 100 of kind schedule, the limit for a member: remove one, or ask an owner or admin',
        },
      ],
    ]);
    // What there is can still be changed, and other kinds are counted by themselves.
    expect((await put('mine-0', 1)).status).toBe(200);
    expect(taken(await putAll('manifest', [{ id: 'mias', risk_level: 'low' }]))).toBe(1);
    await mia.call('removeProvoke', { params: { kind: 'schedule', id: 'mine-1' }, query: { version: 1 } });
    expect([(await put('one-more')).status, (await put('and-another')).status]).toEqual([200, 400]);
    expect(
      taken(
        await putAll(
          'schedule',
          times(102, (i) => schedule(i, 'owners')),
          world.owner,
        ),
      ),
    ).toBe(102);
  });

  test('[PRV-2] [PRV-6] nobody’s regexes are asked about what its source may not say', async () => {
    const type = 'a.secret.text';
    await world.trigger('secretive', type, { match: { type, filter: [{ path: '$.data.text', operator: 'regex', value: 'x' }] } });
    await world.put('source', { id: 'gauge', types: ['a.gauge.*'] });
    const { secret } = await world.owner.call('createToken', { body: { kind: 'source', label: 'gauge', source: 'gauge' } });
    const gauge = new Person(world.kit.url, secret, world.owner.id, 'gauge');
    const asked = vi.spyOn(kernel().provoke.matcher, 'ask');
    const body = event({ type, source: 'gauge', data: { text: 'xyz' } });
    expect((await gauge.ask('emitEvent', { body })).body.error?.code).toBe('forbidden');
    expect(asked).not.toHaveBeenCalled();
    await world.put('source', { id: 'gauge', types: ['a.*'] });
    expect((await gauge.ask('emitEvent', { body })).status).toBe(200);
    expect(asked.mock.calls).toEqual([[world.owner.id, [{ kind: 'match', source: 'x', text: 'xyz' }]]]);
    asked.mockRestore();
  });

  test('[PRV-16] a dry run tells so many filters and no more, and how many results it left out', async () => {
    const type = 'a.dry.run';
    const filter = times(50, (i) => ({ path: '$.data.list', operator: 'not_in', value: times(60, (k) => `v${i}-${k}`) }));
    await putAll('trigger', [{ id: 'dry', agent: 'mias', match: { type, filter } }]);
    const ask = (events: number) =>
      mia.call('testTriggers', { body: { events: times(events, () => event({ type, data: { list: times(100, (i) => i) } })) } });
    const { results, leftOut } = await ask(100);
    expect([results.length, leftOut]).toEqual([100, 0]);
    const [first] = results[0]!.filters;
    expect([String(first!.value).length, String(first!.found).slice(0, 8), first!.holds]).toEqual([201, '[0,1,2,3', true]);
    await putAll('trigger', [{ id: 'dry-too', agent: 'mias', match: { type, filter } }]);
    expect(await ask(100)).toMatchObject({ results: { length: 100 }, leftOut: 100 });
  });

  test('[PRV-6] of many monitors that take note the answer tells twenty and how many they are, and of a long key its beginning', async () => {
    const type = 'a.heart.beat';
    const absence = (i: number) => ({
      id: `beat-${i}`,
      match: { type },
      key: '$.data.k',
      within_seconds: 60,
      emit: { type: 'a.heart.lost' },
    });
    await putAll(
      'absence',
      times(30, (i) => absence(i + 10)),
    );
    world.clock.advance(1000);
    const { id: eventRef, absences, heard } = await world.emit({ type, data: { k: 'x'.repeat(5000) } });
    expect([absences.length, heard, absences[0]]).toEqual([20, 30, { absenceId: 'beat-10', key: `${'x'.repeat(200)}…` }]);
    const later = await world.owner.call('getEvent', { params: { eventRef } });
    expect([later.absences, later.heard]).toEqual([absences, 30]);
    // All of them wait, and each for its own value.
    const kept = await kernel().store.rows('absence_keys', "where absence_id like 'beat-%'");
    expect([kept.length, kept[0]!.key.length]).toEqual([30, 5002]);
  });

  test('[PRV-3] a batch is handed in a few at a time, fewer where each starts much: no commit holds all of it', async () => {
    const type = 'a.batch.came';
    await putAll(
      'trigger',
      times(30, (i) => ({ id: `batch-${i}`, agent: 'mias', match: { type } })),
    );
    const send = (events: object[]) =>
      fetch(`${world.kit.url}/api/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mia.token}`, 'content-type': 'application/cloudevents-batch+json' },
        body: JSON.stringify(events),
      });
    let answer: Response | undefined;
    const started = await inserted('invocations', async () => {
      answer = await send(times(20, (i) => ({ specversion: '1.0', id: `batch-${i}`, type, source: `member:${mia.id}` })));
    });
    const { events } = (await answer!.json()) as { events: Accepted[] };
    expect(events.map(({ eventId }) => eventId)).toEqual(times(20, (i) => `batch-${i}`));
    expect(started).toEqual([8 * 30, 6 * 30, 6 * 30]);
  });

  test('[SYS-4] schedules that are due together come in several commits', async () => {
    const schedule = (i: number) => ({ id: `tick-${i}`, cron: '* * * * *', emit: { type: 'a.clock.ticked' } });
    await putAll('schedule', times(60, schedule), world.owner);
    world.clock.advance(61_000);
    const events = await inserted('events', () => kernel().timers.tick());
    // What has fallen silent by then comes with them.
    expect(events.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...events)).toBeLessThanOrEqual(25);
  });
});
