// What agents emit inside invocations (PRV-9): of which chain it is, how deep it may go, and how much it may start.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { type Accepted, event, sent, provokingFor } from '../../kit/provoke.ts';

const ends = ({ triggers }: Accepted) => triggers.map(({ triggerId, reason }) => [triggerId, reason]);

onBothEngines('what an agent emits', (engine) => {
  const world = provokingFor(engine);

  /** As its runner would write it down. */
  async function running(id: string, agentId: string, state: 'running' | 'completed' = 'running'): Promise<void> {
    const { store } = world.kit.hub.kernel;
    const { transaction, loaded } = await store.begin([], [{ table: 'invocations', values: [id] }]);
    const row = loaded.found[0]![0]!;
    const updates = [{ table: 'invocations' as const, row: { ...row, agent_id: agentId, state }, was: row['sum'] as string }];
    await transaction.commit({ inserts: [], updates, deletes: [], facts: [] });
  }

  test('[PRV-9] an agent emits inside an invocation of its own, which the platform names; too deep a chain is rejected', async () => {
    const { trigger, emit, kit } = world;
    await trigger('chained', 'a.chain.link');
    const agent = await kit.agent('chainer');
    const body = event({ type: 'a.chain.link' });
    const refused = await agent.ask('emitEvent', { body });
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'agent_without_invocation']);
    let emitted = await emit({ type: 'a.chain.link' });
    const chain = emitted.chainId;
    for (const level of [1, 2, 3]) {
      const { invocationId } = emitted.triggers[0]!;
      await running(invocationId!, agent.id);
      const before = invocationId!;
      // Whatever it claims: it is in this one.
      emitted = await emit({ type: 'a.chain.link', triggered_by: level === 2 ? 'inv_forged' : undefined }, agent);
      const record = await world.owner.call('getEvent', { params: { eventRef: emitted.id } });
      expect([record.triggeredBy, record.event.triggered_by, record.chainId]).toEqual([before, before, chain]);
      await running(before, agent.id, 'completed');
      expect(emitted.triggers[0]).toMatchObject(
        level < 3 ? { outcome: 'run' } : { outcome: 'rejected', step: 'cascade', reason: 'too_deep', invocationId: null },
      );
    }
  });

  test('[PRV-9] an agent that names a shallower invocation of its own gets no further by it', async () => {
    const { trigger, emit, kit } = world;
    const type = 'a.shallow.link';
    await trigger('shallow', type);
    const agent = await kit.agent('shallow-agent');
    const other = await emit({ type });
    await running(other.triggers[0]!.invocationId!, agent.id);
    const emitted = await emit({ type });
    const first = emitted.triggers[0]!.invocationId!;
    const ids = [first];
    await running(first, agent.id);
    const says = async (triggered_by: string) => emit({ type, triggered_by }, agent);
    for (const level of [2, 3]) {
      const next = await says(first);
      expect([level, next.chainId, next.triggers[0]!.outcome]).toEqual([level, emitted.chainId, 'run']);
      ids.push(next.triggers[0]!.invocationId!);
      await running(ids.at(-1)!, agent.id);
    }
    for (const id of ids) expect((await says(id)).triggers[0]).toMatchObject({ outcome: 'rejected', reason: 'too_deep' });
    const record = await world.owner.call('getEvent', { params: { eventRef: (await says(first)).id } });
    expect(record.triggeredBy).toBe(ids[2]);
    // In another chain it is as deep as it is there.
    expect(await says(other.triggers[0]!.invocationId!)).toMatchObject({ chainId: other.chainId, triggers: [{ outcome: 'run' }] });
    for (const id of [...ids, other.triggers[0]!.invocationId!]) await running(id, agent.id, 'completed');
  });

  test('[PRV-9] [SYS-10] [PRV-16] an agent in a loop starts fifty of one owner’s in a chain; another’s are not fewer for it', async () => {
    const { trigger, put, emit, kit, owner } = world;
    const type = 'a.loop.round';
    await trigger('looped', type);
    await trigger('looping', 'a.loop.begun');
    const agent = await kit.agent('looper');
    const begun = await emit({ type: 'a.loop.begun' });
    const emitter = begun.triggers[0]!.invocationId!;
    await running(emitter, agent.id);
    const says = async () => ends(await emit({ type }, agent));
    const all = await Promise.all(Array.from({ length: 60 }, says));
    expect(all.flat().filter(([, reason]) => reason === null)).toHaveLength(50);
    const lou = await kit.person('lou');
    await put('manifest', { id: 'lous', risk_level: 'low' }, lou);
    await put('trigger', { id: 'z-lous', agent: 'lous', match: { type } }, lou);
    const full = [
      ['looped', 'chain_full'],
      ['z-lous', null],
    ];
    const { results } = await owner.call('testTriggers', { body: { events: [event({ type, triggered_by: emitter })] } });
    expect(results.map(({ triggerId, reason }) => [triggerId, reason])).toEqual(full);
    expect(results[0]!.steps[2]!.text).toContain('have started 50 others');
    const last = await emit({ type }, agent);
    expect(last.triggers[0]).toMatchObject({ outcome: 'rejected', step: 'cascade', invocationId: null });
    // The agent is told of its owner's triggers; the record has all of them.
    expect(ends(last)).toEqual(full.slice(0, 1));
    expect((await owner.call('getEvent', { params: { eventRef: last.id } })).triggers[0]).toMatchObject({ reason: 'chain_full' });
    // What comes from outside is another chain.
    expect(ends(await emit({ type }))[0]).toEqual(['looped', null]);
    await running(emitter, agent.id, 'completed');
  });

  test('[PRV-9] a caller that is no agent cannot name the invocation it came from', async () => {
    const { body, status } = await world.owner.ask('emitEvent', {
      body: sent({ type: 'a.chain.link', triggered_by: 'inv_forged' }),
    });
    expect([status, body.error?.problems]).toEqual([400, [{ field: 'triggered_by', message: 'is set by the platform' }]]);
  });
});
