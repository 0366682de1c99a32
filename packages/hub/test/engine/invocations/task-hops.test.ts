// What an invocation gives to an agent is one hop further in its chain, and bounded with it; and the owner asks, who has to be
// allowed to.

import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type ProvokeWorld, startProvoke, type Woken } from '../../kit/provoke-runs.ts';

onBothEngines('a task that an invocation gives', (engine) => {
  let world: ProvokeWorld;
  let helpers: Person[];
  let lines: Wire[];
  beforeAll(async () => {
    // An invocation is at most two hops down its chain.
    world = await startProvoke(engine, { limits: { ...workLimits, maxDepth: 2, maxTasks: 2 } });
    helpers = await Promise.all(['ONE', 'TWO', 'THREE'].map((handle) => world.kit.agent(handle)));
    lines = await Promise.all(helpers.map((helper) => Wire.hello(helper)));
  });
  afterAll(async () => {
    for (const line of lines) await line.close();
    await world.stop();
  });

  const gives = (agent: string, trigger: object = {}, more: object = {}, by?: Person): Promise<Woken> =>
    world.wakes([{ text: 'Look.' }], { deliver_to: { agent }, ...more }, { ...trigger }, by);
  const ofTrigger = async ({ name }: Woken) => (await world.owner.call('listInvocations', { query: { trigger: name } })).invocations[0]!;
  const tasksIn = async (chainId: string) => world.kit.hub.kernel.store.rows('tasks', 'where chain_id = ? order by id', [chainId]);

  test('[SYS-2] [PRV-9] a task is as deep as its chain by then, and past the last hop there is none', async () => {
    const first = await world.wakes([{ text: 'on' }], { on_complete: { emit_event: 'test.hop.second' } });
    const on = { match: { type: 'test.hop.second' } };
    const second = await gives('ONE', on, { on_complete: { emit_event: 'test.hop.third' } });
    const third = await gives('TWO', { match: { type: 'test.hop.third' } });
    const { chainId } = await first.run();
    expect(await ofTrigger(second)).toMatchObject({ state: 'completed', level: 2 });
    expect(await ofTrigger(third)).toMatchObject({
      state: 'failed',
      level: 3,
      error: 'TWO cannot be given work from here (too_deep).',
      output: 'Look.',
    });
    expect((await tasksIn(chainId)).map(({ agent_id, depth }) => [agent_id, depth])).toEqual([[helpers[0]!.id, 2]]);
  });

  test('[SYS-10] a chain has so many tasks and no more', async () => {
    const match = { type: 'test.full.crossed' };
    const given: Woken[] = [];
    for (const handle of ['ONE', 'TWO', 'THREE']) given.push(await gives(handle, { match }));
    const answer = await world.emit(match);
    await world.settled();
    const states = await Promise.all(given.map(async (one) => (await ofTrigger(one)).error));
    const full = states.findIndex((error) => error !== null);
    const handle = ['ONE', 'TWO', 'THREE'][full]!;
    expect(states.filter((error) => error !== null)).toEqual([`${handle} cannot be given work from here (chain_full).`]);
    expect(await tasksIn('chainId' in answer ? answer.chainId : '')).toHaveLength(2);
  });

  test('[C2A-8] a member who is blocked for an agent gives it no work by a trigger', async () => {
    const bob = await world.kit.person('bob', 'admin');
    await world.owner.call('blockMember', { params: { memberId: helpers[0]!.id, blockedId: bob.id } });
    const woken = await gives('ONE', {}, {}, bob);
    const { state, error, chainId } = await woken.run();
    expect([state, error, await tasksIn(chainId)]).toEqual(['failed', 'ONE takes no requests from its owner.', []]);
  });

  test('[SYS-9] a member who may not write to an agent does not do so by a trigger', async () => {
    const [thinking, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ada = await world.kit.person('ada', 'admin');
    const woken = await world.wakes(
      async () => {
        thinking.resolve();
        await go.promise;
        return { text: 'Look.' };
      },
      { deliver_to: { agent: 'ONE' } },
      {},
      ada,
    );
    const id = await woken.emit();
    await thinking.promise;
    // Begun as an admin, ended as a guest.
    await world.owner.call('editMember', { params: { memberId: ada.id }, body: { role: 'guest' } });
    go.resolve();
    await world.settled();
    const { state, error, chainId } = await world.invocation(id);
    expect([state, error, await tasksIn(chainId)]).toEqual(['failed', 'Its owner may not write to ONE.', []]);
  });
});
