// Lists of invocations, and an agent's last one: the newest of all there are, found without reading the others.

import type { Invocation } from '@parley/protocol';
import { onBothEngines, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test, vi } from 'vitest';
import { forSqlite, sqliteParams } from '../../src/store/statements.ts';
import { tailOf } from '../../src/store/where.ts';
import { provokeFor } from '../kit/provoke-runs.ts';

const says = () => ({ text: 'Done.' });

onBothEngines('the newest first', (engine) => {
  let everything: Invocation[];
  const world = provokeFor(engine);
  const mal = makeOnce(() => world.kit.person('mal', 'admin'));
  beforeAll(async () => {
    const mine = await world.wakes(says, {}, {});
    const theirs = await world.wakes(says, {}, {}, mal);
    const asking = await world.wakes(says, { risk_level: 'high' }, {}, mal);
    for (let i = 0; i < 4; i++) for (const { type } of [mine, theirs, asking]) await world.emit({ type });
    await world.settled();
    everything = (await world.owner.call('listInvocations', { query: {} })).invocations;
    // From now on one of them sees what is theirs, and no more.
    await world.owner.call('editMember', { params: { memberId: mal.id }, body: { role: 'member' } });
  });

  const states = ['all', 'open', 'completed', 'awaiting_approval'] as const;
  const isIn = ({ state }: Invocation, wanted: string): boolean =>
    wanted === 'all' || (wanted === 'open' ? state === 'awaiting_approval' : state === wanted);

  test.each(states)('[PRV-7] of those that are %s each page has the newest that are left, of whom and of what is asked', async (state) => {
    expect(everything.map(({ state: is }) => is).toSorted()).toEqual([
      ...Array(4).fill('awaiting_approval'),
      ...Array(8).fill('completed'),
    ]);
    for (const who of [world.owner, mal])
      for (const trigger of [undefined, ...new Set(everything.map(({ triggerId }) => triggerId))])
        for (const before of [undefined, everything[5]!.seq]) {
          const { invocations, next } = await who.call('listInvocations', { query: { state, limit: 3, ...defined({ trigger, before }) } });
          const left = everything.filter(
            (one) =>
              (who === world.owner || one.ownerId === who.id) &&
              (trigger ?? one.triggerId) === one.triggerId &&
              one.seq < (before ?? Infinity) &&
              isIn(one, state),
          );
          expect(invocations.map(({ id }) => id)).toEqual(left.slice(0, 3).map(({ id }) => id));
          expect(next).toBe(left.length > 3 ? left[2]!.seq : null);
        }
  });

  test.runIf(engine === 'sqlite')('[SYS-4] an index has them in order: nothing is read to be left out', async () => {
    const { store } = world.kit.hub.kernel;
    const spy = vi.spyOn(store, 'rows');
    for (const who of [world.owner, mal])
      for (const state of states)
        for (const trigger of [undefined, everything[0]!.triggerId])
          await who.call('listInvocations', { query: { state, limit: 3, ...defined({ trigger, before: everything[5]!.seq }) } });
    await world.owner.call('listAgents', {});
    const asked = spy.mock.calls.flatMap(([table, ...query]) => (table === 'invocations' ? tailOf(query as [string]) : []));
    spy.mockRestore();
    expect(asked.some(({ tail }) => tail.includes('agent_id'))).toBe(true);
    for (const { tail, params } of asked) {
      const plan = await store.all<{ detail: string }>(
        `explain query plan select * from invocations ${forSqlite(tail)}`,
        sqliteParams(params),
      );
      const lines = plan.map(({ detail }) => detail).filter((line) => /invocations|ORDER BY/.test(line));
      const whole = lines.filter((line) => !/^SEARCH invocations .*(seq[<=]|agent_id[>])/.test(line));
      // What is open is read whole, as it is never much.
      expect(tail.includes("'running'") ? [] : whole, `${tail}\n${lines.join('\n')}`).toEqual([]);
    }
  });
});

const defined = <T extends object>(of: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as never;
