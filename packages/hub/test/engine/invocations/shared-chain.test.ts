// Triggers of several owners in one chain: what one of them spends, or starts, is no other's loss (SYS-9, SYS-10).

import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type ProvokeWorld, startProvoke } from '../../kit/provoke-runs.ts';

const micros = 1_000_000;

onBothEngines('a chain of several owners', (engine) => {
  let world: ProvokeWorld;
  let mal: Person;
  beforeAll(async () => {
    const budgets = { ...workLimits.budgets, chain: { turns: 3, micros }, member_day: { turns: 5, micros } };
    world = await startProvoke(engine, { limits: { ...workLimits, budgets } });
    mal = await world.kit.person('mal');
    await world.put('manifest', { id: 'mals', risk_level: 'low' }, mal);
  });
  afterAll(() => world.stop());

  /** How each ended, in the order of the triggers' ids; `chain`: what all of it came to. */
  const run = async (type: string) => {
    const answer = await world.emit({ type });
    await world.settled();
    if (!('triggers' in answer)) throw new Error('several');
    const ends = await Promise.all(answer.triggers.map(({ invocationId }) => world.invocation(invocationId!)));
    const [chain] = await world.kit.hub.kernel.store.rows('chains', 'where id = ?', [answer.chainId]);
    return { states: ends.map(({ state }) => state), errors: ends.map(({ error }) => error), chain: chain!, chainId: answer.chainId };
  };
  const spent = 'Budget exhausted.';

  test('[SYS-9] [SYS-10] each owner has its budget for themselves, what they hand on included; a day is not all one member’s', async () => {
    const type = 'host.disk.full';
    const helper = await world.kit.agent('HELPER');
    const line = await Wire.hello(helper);
    for (const n of [1, 2, 3, 4]) await world.put('trigger', { id: `a-${n}`, agent: 'mals', match: { type } }, mal);
    await world.put('manifest', { id: 'ours', risk_level: 'low', deliver_to: { agent: 'HELPER' } });
    await world.put('trigger', { id: 'important', agent: 'ours', match: { type } });
    const first = await run(type);
    expect(first.states).toEqual(['completed', 'completed', 'completed', 'failed', 'completed']);
    expect(first.errors).toEqual([null, null, null, spent, null]);
    // What it gave on is a turn of its owner's as well; the chain is told whole.
    const { tasks } = await world.owner.call('listTasks', { query: { state: 'all' } });
    expect(tasks).toMatchObject([{ agentId: helper.id, state: 'active', chainId: first.chainId }]);
    expect(first.chain.turns).toBe(5);
    expect((await world.owner.call('getChain', { params: { chainId: first.chainId } })).turns).toBe(5);
    // Counted for whoever it is: an owner may be a member by the time it is settled.
    const day = await world.kit.hub.kernel.store.rows('purses', 'where id like ?', [`member:${world.owner.id}:%`]);
    expect(day.map(({ turns }) => turns)).toEqual([2]);
    await world.owner.call('stopTask', { params: { taskId: tasks[0]!.id } });
    // Of the member's five for the day two are left. Those of who answers for the workspace are not counted so.
    expect((await run(type)).errors.slice(0, 4)).toEqual([null, null, spent, spent]);
    const own = 'host.disk.cleaned';
    for (const n of [1, 2, 3]) await world.put('trigger', { id: `b-${n}`, agent: 'ours', match: { type: own } });
    await world.put('manifest', { id: 'ours', risk_level: 'low' });
    expect((await run(own)).states).toEqual(['completed', 'completed', 'completed']);
    expect((await run(own)).states).toEqual(['completed', 'completed', 'completed']);
    await line.close();
  });
});
