// Events and what they started are kept for a time, and nothing that is still needed goes.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { operator } from '../../../src/engine/command.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { Purge } from '../../../src/engine/purge.ts';
import { provokeFor } from '../../kit/provoke-runs.ts';

const day = 24 * 3_600_000;

onBothEngines('what events leave', (engine) => {
  const world = provokeFor(engine);

  const store = () => world.kit.hub.kernel.store;
  const count = async (table: string, where: string): Promise<number> =>
    (await store().all<{ n: number }>(`select count(*) as n from ${table} where ${where}`))[0]!.n;
  const listed = async (type: string) => (await world.owner.call('listEvents', { query: { type } })).events.length;
  /** Housekeeping comes by once an hour, and takes as many rounds as there is something to do. */
  const days = async (n: number) => {
    await world.pass(n * day);
    for (let i = 0; i < 5; i++) await world.pass(1000);
  };

  test('[PRV-8] goes after thirty days, with its invocation, attempts and steps; that it happened stays a fact', async () => {
    const woken = await world.wakes([{ calls: [{ name: 'echo', input: { text: 'x' } }] }, { text: 'done' }], {
      tools: [{ name: 'echo', source: 'mcp://test' }],
      on_complete: { emit_event: 'pap.agent.invocation.completed' },
    });
    const run = await woken.run();
    expect(await count('purses', `id like 'chain:${run.chainId}:%'`)).toBe(1);
    await world.emit({ type: 'nobody.waits.here' });
    await days(29);
    expect(await listed(woken.type)).toBe(1);
    expect((await world.owner.call('listEvents', { query: {} })).goneUntil).toBeNull();
    const until = (await world.owner.call('listEvents', { query: { type: 'nobody.waits.here' } })).events[0]!.acceptedAt;
    await days(2);
    for (const type of [woken.type, 'nobody.waits.here', 'pap.agent.invocation.completed']) expect(await listed(type)).toBe(0);
    expect((await world.owner.ask('getInvocation', { params: { invocationId: run.id } })).status).toBe(404);
    expect(await count('invocation_attempts', `invocation_id = '${run.id}'`)).toBe(0);
    expect(await count('journal', `turn_id like '${run.id}:%'`)).toBe(0);
    expect(await count('purses', `id like 'chain:${run.chainId}:%'`)).toBe(0);
    expect((await world.facts(run.id)).map(({ type }) => type)).toContain('invocation.completed');
    expect((await world.owner.call('listEvents', { query: {} })).goneUntil).toBe(until);
  });

  test('[PRV-10] [PRV-15] stays while something of its chain is not over, or takes a place in a window', async () => {
    const long = await world.wakes([{ text: 'done' }], {}, { throttle: { max_per_window: 1, window_seconds: (31 * day) / 1000 } });
    const slow = await world.wakes([{ text: 'done' }]);
    const held = await long.run();
    // Everything is stopped: what was started waits, however long.
    await world.owner.call('halt', {});
    const waiting = await slow.emit();
    await days(30.5);
    expect([await listed(long.type), await listed(slow.type)]).toEqual([1, 1]);
    expect((await world.invocation(held.id)).state).toBe('completed');
    await days(1);
    expect([await listed(long.type), await listed(slow.type)]).toEqual([0, 1]);
    await world.owner.call('release', {});
    await world.settled();
    expect(await world.invocation(waiting)).toMatchObject({ state: 'completed', attempt: 1 });
    // From its end on it is kept as long as any other.
    await days(29);
    expect(await listed(slow.type)).toBe(1);
    await days(2);
    expect(await listed(slow.type)).toBe(0);
  });

  test('[PRV-10] takes a place in the window as it is by now, made longer or shorter since', async () => {
    const lasts = (window_seconds: number) => ({ throttle: { max_per_window: 1, window_seconds } });
    const month = (31 * day) / 1000;
    const [longer, shorter] = [
      await world.wakes([{ text: 'done' }], {}, lasts(60)),
      await world.wakes([{ text: 'done' }], {}, lasts(month)),
    ];
    await longer.run();
    await shorter.run();
    for (const [{ name, type }, seconds] of [
      [longer, month],
      [shorter, 60],
    ] as const)
      await world.put('trigger', { id: name, match: { type }, agent: `m-${name}`, ...lasts(seconds) });
    await days(30.5);
    expect([await listed(longer.type), await listed(shorter.type)]).toEqual([1, 0]);
    await days(1);
    expect(await listed(longer.type)).toBe(0);
  });

  test('rows that cannot be purged hold up no later ones, however many there are', async () => {
    const slow = await world.wakes([{ text: 'done' }]);
    await world.owner.call('halt', {});
    const event = { pap_version: '0.2', source: 'm', time: '2026-03-11T06:00:00Z', data: {} };
    const many = (type: string, length: number) =>
      Promise.all(
        Array.from({ length }, (_, i) =>
          world.kit.hub.kernel.engine.submit({ type: 'event.accept', by: operator, event: { ...event, id: `${type}-${i}`, type } }),
        ),
      );
    await many(slow.type, 230);
    await many('many.of.them', 450);
    await days(31);
    expect(await count('events', "type = 'many.of.them'")).toBe(0);
    expect(await count('events', `type = '${slow.type}'`)).toBe(230);
  });

  test('[PRV-8] an event that another hub takes in between holds up no later one', async () => {
    const { engine: real, clock } = world.kit.hub.kernel;
    await Promise.all(Array.from({ length: 700 }, () => world.emit({ type: 'nobody.waits.here' })));
    const now = clock.now() + 40 * day;
    world.clock.advance(40 * day);
    const chains = (await store().all<{ id: string }>('select chain_id as id from events order by seq')).map(({ id }) => id);
    const purge = new Purge({
      store: store(),
      eventsKeptMs: 30 * day,
      // The other one is faster with every second of them.
      engine: {
        submit: async (command: Parameters<typeof real.submit>[0]) => {
          if (command.type === 'provoke.forget' && chains.indexOf(command.chainId) % 2 === 0) await real.submit(command);
          return real.submit(command);
        },
      } as unknown as Engine,
      report: (error) => expect.unreachable(String(error)),
    });
    while (await purge.some(now));
    expect(await listed('nobody.waits.here')).toBe(0);
  });
});
