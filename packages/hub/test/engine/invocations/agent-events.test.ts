// Events that agents send with their own token: what they may not say, and which of their invocations they are taken to be in.

import { onBothEngines, type Person, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { event, provokingFor } from '../../kit/provoke.ts';

onBothEngines('an agent that emits', (engine) => {
  /** The first two in one chain, both running as the agent. */
  let [outer, inner] = ['', ''];
  const world = provokingFor(engine);
  const agent = makeOnce(() => world.kit.agent('chainer'));
  beforeAll(async () => {
    await world.trigger('linked', 'a.chain.link');
    outer = await begun(world.owner);
    inner = await begun(agent);
  });

  /** As its runner would write it down. */
  const begun = async (by: Person): Promise<string> => {
    const { invocationId } = (await world.emit({ type: 'a.chain.link' }, by)).triggers[0]!;
    const { store } = world.kit.hub.kernel;
    const { transaction, loaded } = await store.begin([], [{ table: 'invocations', values: [invocationId!] }]);
    const row = loaded.found[0]![0]!;
    const updates = [{ table: 'invocations' as const, row: { ...row, agent_id: agent.id, state: 'running' }, was: row['sum'] as string }];
    await transaction.commit({ inserts: [], updates, deletes: [], facts: [] });
    return invocationId!;
  };

  test('[PRV-2] says nothing that only the system says, though it is at work', async () => {
    const refused = async (more: Parameters<typeof event>[0]) => {
      const { status, body } = await agent.ask('emitEvent', { body: event(more) });
      return [status, body.error?.problems?.map(({ field }) => field)];
    };
    expect(await refused({ type: 'pap.agent.invocation.completed' })).toEqual([400, ['type']]);
    expect(await refused({ type: 'a.chain.ended', id: `${outer}:completed` })).toEqual([400, ['id']]);
    expect(await refused({ type: 'a.chain.ended', id: 'alertmanager:f1:x:firing' })).toEqual([400, ['id']]);
  });

  test('[PRV-9] is in the deepest of those it runs in where it names none', async () => {
    const { id } = await world.emit({ type: 'a.chain.told' }, agent);
    expect((await world.owner.call('getEvent', { params: { eventRef: id } })).triggeredBy).toBe(inner);
  });

  test('[PRV-16] a dry run takes from the record how far its chain has come', async () => {
    const innermost = await begun(agent);
    const tried = async (triggered_by?: string) => {
      const events = [event({ type: 'a.chain.link', ...(triggered_by === undefined ? {} : { triggered_by }) })];
      return (await world.owner.call('testTriggers', { body: { events, triggers: ['linked'] } })).results[0]!.reason;
    };
    expect([await tried(), await tried(outer), await tried(inner)]).toEqual([null, null, null]);
    expect([await tried(innermost), await tried('inv_none')]).toEqual(['too_deep', 'unknown_invocation']);
  });
});
