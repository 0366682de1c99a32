// Two hundred of everything: none of it is too much for a command, and the store is asked as often as for a few.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chainLimits } from '@parley/core';
import { ParleyError, type ProvokeKind } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, expect, test, vi } from 'vitest';
import { operator } from '../../../src/engine/command.ts';
import { roundsOf } from '../../kit/rounds.ts';
import { provokeFor } from '../../kit/provoke-runs.ts';

const many = 200;
const all = Array.from({ length: many }, (_, i) => i);
/** However many there are of them. */
const few = 20;

onBothEngines('two hundred', (engine) => {
  let mal: Person;
  const world = provokeFor(engine);
  beforeAll(async () => {
    // With a role that has no bound of its own.
    mal = await world.kit.person('mal', 'admin');
  });

  const kernel = () => world.kit.hub.kernel;
  const count = async (table: string, where: string): Promise<number> =>
    (await kernel().store.all<{ n: number }>(`select count(*) as n from ${table} where ${where}`))[0]!.n;
  const put = async (kind: ProvokeKind, bodies: ({ id: string } & Record<string, unknown>)[], who = mal): Promise<void> => {
    const { by } = (await kernel().auth.principal(who.token))!;
    await Promise.all(bodies.map((body) => kernel().engine.submit({ type: 'provoke.put', by, kind, id: body.id, version: 0, body })));
  };
  /** Each of them asks for approval, and has an agent that is not there yet. */
  const waitFor = async (name: string, type: string, who = mal): Promise<void> => {
    await put(
      'manifest',
      all.map((i) => ({ id: `${name}-m${i}`, risk_level: 'high' })),
      who,
    );
    await put(
      'trigger',
      all.map((i) => ({ id: `${name}-${i}`, match: { type }, agent: `${name}-m${i}` })),
      who,
    );
  };
  const inFewRounds = async (work: () => Promise<unknown>): Promise<void> => {
    const { rounds, begins } = await roundsOf(kernel().store, work);
    expect(rounds.length + begins, rounds.map((round) => round.slice(0, 200)).join('\n')).toBeLessThanOrEqual(few);
  };
  const file = (name: string): string => join(world.kit.ground.dataDir, 'triggers', name);
  const scan = () => kernel().provokeFiles.scan();
  const triggersOf = (ids: readonly number[], name: string): string =>
    ids.map((i) => `pap_version: "0.2"\ntrigger: { id: ${name}-${i}, match: { type: a.${name}.said }, agent: nobody }\n`).join('---\n');
  const inForce = (name: string) => count('provoke_objects', `id like '${name}-%' and removed_at is null`);

  test('[SYS-14] triggers, schedules and monitors of one person stop when they leave', async () => {
    const eve = await world.kit.person('eve', 'admin');
    await put('manifest', [{ id: 'eves', risk_level: 'low' }], eve);
    await put(
      'trigger',
      all.map((i) => ({ id: `eve-t${i}`, match: { type: 'a.eve.said' }, agent: 'eves' })),
      eve,
    );
    await put(
      'schedule',
      all.map((i) => ({ id: `eve-s${i}`, cron: '0 * * * *', emit: { type: 'a.eve.struck' } })),
      eve,
    );
    const emit = { type: 'a.eve.missing' };
    await put(
      'absence',
      all.map((i) => ({ id: `eve-a${i}`, match: { type: 'a.eve.said' }, within_seconds: 60, emit })),
      eve,
    );
    expect(await count('provoke_objects', `owner_id = '${eve.id}' and enabled = 1`)).toBe(3 * many + 1);
    await inFewRounds(() => world.owner.call('deactivateMember', { params: { memberId: eve.id } }));
    expect((await eve.ask('listMembers', { query: {} })).status).toBe(401);
    expect(await count('provoke_objects', "id like 'eve%' and enabled = 1")).toBe(0);
    expect(await count('timers', "kind in ('schedule.due', 'absence.due')")).toBe(0);
  });

  test('[PRV-7] [PRV-11] triggers of a member, each of which asks for approval, keep nobody’s event out', async () => {
    await waitFor('asks', 'a.alert.firing');
    const answer = { status: 0 };
    await inFewRounds(async () => {
      const body = {
        pap_version: '0.2',
        id: 'e-asks',
        source: 'x',
        time: '2026-03-11T06:00:00Z',
        type: 'a.alert.firing',
        data: {},
      } as const;
      answer.status = (await world.kit.operator.ask('emitEvent', { body })).status;
    });
    expect(answer.status).toBe(200);
    expect(await count('invocations', "event_id = 'e-asks' and state = 'awaiting_approval' and agent_id is not null")).toBe(many);
    expect(await count('agents', "manifest_id like 'asks-m%'")).toBe(many);
  });

  test('[PRV-14] the result of an invocation is not lost because a member waits for its end', async () => {
    await waitFor('after', 'a.work.done');
    const over = { deliver_to: { conversation: '#general' }, on_complete: { emit_event: 'a.work.done' } };
    const woken = await world.wakes([{ text: 'all is well' }], over);
    expect(await woken.run()).toMatchObject({ state: 'completed', error: null });
    expect(await world.bodies()).toContain('all is well');
    // What invocations start is bounded, as tasks are; the rest are told why not.
    expect(await count('invocations', "trigger_id like 'after-%'")).toBe(chainLimits.maxTasks);
    const { events } = await world.owner.call('listEvents', { query: { type: 'a.work.done' } });
    expect(events[0]!.triggers.filter(({ reason }) => reason === 'chain_full')).toHaveLength(many - chainLimits.maxTasks);
  });

  test('[PRV-7] [PRV-11] a schedule comes though a member waits for it', async () => {
    await waitFor('struck', 'a.clock.struck');
    await put('schedule', [{ id: 'hourly', cron: '30 * * * *', emit: { type: 'a.clock.struck' } }], world.owner);
    // Before anybody is reminded of all that waits for approval.
    await world.pass(30 * 60_000);
    expect((await world.owner.call('listEvents', { query: { type: 'a.clock.struck' } })).events).toHaveLength(1);
    expect(await count('invocations', "trigger_id like 'struck-%'")).toBe(many);
  });

  test('[PRV-4] an event is heard by monitors of absence, and one that hears many values can be changed, switched off and removed', async () => {
    const match = { type: 'a.heart.beat' };
    const emit = { type: 'a.heart.missing' };
    await put(
      'absence',
      all.map((i) => ({ id: `beat-${i}`, match, within_seconds: 600, key: '$.data.host', emit })),
    );
    await inFewRounds(() => world.emit({ ...match, data: { host: 'one' } }));
    expect(await count('absence_keys', "absence_id like 'beat-%'")).toBe(many);
    const hosts = { id: 'hosts', match: { type: 'a.host.beat' }, within_seconds: 600, key: '$.data.host', emit };
    await put('absence', [hosts], world.owner);
    const { by } = (await kernel().auth.principal(world.owner.token))!;
    const hear = async (): Promise<void> => {
      await Promise.all(all.map((i) => world.emit({ type: 'a.host.beat', data: { host: `h${i}` } })));
      expect(await count('absence_keys', "absence_id = 'hosts'")).toBe(many);
      expect(await count('timers', "kind = 'absence.due' and subject like 'hosts %'")).toBe(many);
    };
    const changes = [
      { type: 'provoke.put', body: { ...hosts, within_seconds: 900 }, version: 1 },
      { type: 'provoke.enable', enabled: false, version: 2 },
      { type: 'provoke.enable', enabled: true, version: 3 },
      { type: 'provoke.remove', version: 4 },
    ] as const;
    for (const change of changes) {
      // Switched off it hears nothing.
      if (change.version !== 3) await hear();
      await inFewRounds(() => kernel().engine.submit({ ...change, by, kind: 'absence', id: 'hosts' }));
      expect(await count('timers', "kind = 'absence.due' and subject like 'hosts %'")).toBe(0);
    }
  });

  test('[PRV-4] a file of them is taken up, changed, and taken away', async () => {
    await writeFile(file('large.yaml'), triggersOf(all, 'large'));
    await inFewRounds(scan);
    expect(await inForce('large')).toBe(many);
    // Others instead.
    await writeFile(
      file('large.yaml'),
      triggersOf(
        all.map((i) => i + many),
        'large',
      ),
    );
    await inFewRounds(scan);
    expect(await inForce('large')).toBe(many);
    await rm(file('large.yaml'));
    await inFewRounds(scan);
    expect(await inForce('large')).toBe(0);
  });

  test('[PRV-4] a file that cannot be taken away holds up no other', async () => {
    for (const name of ['bad', 'goes']) await writeFile(file(`${name}.yaml`), triggersOf([1], name));
    await scan();
    for (const name of ['bad', 'goes']) await rm(file(`${name}.yaml`));
    await writeFile(file('comes.yaml'), triggersOf([1], 'comes'));
    const { engine: running } = kernel();
    const submit = running.submit.bind(running);
    const submits = vi.spyOn(running, 'submit').mockImplementation((command) => {
      const bad = command.type === 'provoke.load' && command.files.some(({ file: one }) => one.endsWith('bad.yaml'));
      return bad ? Promise.reject(new ParleyError('internal')) : submit(command);
    });
    await scan();
    submits.mockRestore();
    expect([await inForce('bad'), await inForce('goes'), await inForce('comes')]).toEqual([1, 0, 1]);
    // It is tried again.
    await scan();
    expect(await inForce('bad')).toBe(0);
  });

  test('[PRV-8] a chain of invocations goes when its time has come', async () => {
    await put('manifest', [{ id: 'wide', risk_level: 'low' }]);
    await put(
      'trigger',
      all.map((i) => ({ id: `wide-${i}`, match: { type: 'a.wide.said' }, agent: 'wide' })),
    );
    await world.emit({ type: 'a.wide.said', id: 'e-wide' });
    await world.settled();
    // All of them are over: those that one chain has turns for, and the rest.
    expect(await count('invocations', "event_id = 'e-wide' and open = 0 and lease > 0")).toBe(many);
    const chainId = (await kernel().store.rows('events', "where event_id = 'e-wide'"))[0]!.chain_id;
    world.clock.advance(31 * 24 * 3_600_000);
    await inFewRounds(() => kernel().engine.submit({ type: 'provoke.forget', by: operator, chainId }));
    expect(await count('invocations', "event_id = 'e-wide'")).toBe(0);
  });
});
