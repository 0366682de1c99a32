// What is written down of a run, what an approval covers, and that what waits is still waited for by the next hub.

import { onBothEngines, type Person, makeOnce } from '@parley/testkit';
import { expect, test } from 'vitest';
import { provokeFor } from '../../kit/provoke-runs.ts';

const hour = 3_600_000;

onBothEngines('a run and its yes', (engine) => {
  const world = provokeFor(engine);
  const ada = makeOnce(() => world.kit.person('ada', 'admin'));

  const tools = [{ name: 'write', source: 'mcp://test' }];
  const write = { calls: [{ name: 'write', input: { text: 'written down' } }] };
  const says = [{ text: 'done' }];
  const high = { risk_level: 'high' };
  const approve = async (id: string, by: Person = world.owner) => {
    const { checkpointId } = await world.invocation(id);
    await by.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice: 'approve' } });
    await world.settled();
    return world.invocation(id);
  };
  const steps = async (id: string) =>
    (await world.facts(id)).flatMap(({ type, data }) =>
      ['invocation.intended', 'invocation.known', 'invocation.done'].includes(type)
        ? [`${type.slice('invocation.'.length)} ${(data['name'] ?? data['n']) as string | number}`]
        : [],
    );
  const told = async (type: string) =>
    (await world.owner.call('listEvents', { query: { type } })).events.map(({ event, triggeredBy }) => [triggeredBy, event.data['error']]);

  test.each(['medium', 'high'] as const)('[PRV-11] at %s each step is a fact before it is taken and after', async (risk_level) => {
    const woken = await world.wakes([write, ...says], { risk_level, tools });
    const { id } = await woken.run();
    if (risk_level === 'high') await approve(id);
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', risk: risk_level });
    expect(await steps(id)).toEqual(['intended model', 'done 0', 'intended write', 'done 1', 'intended model', 'done 2']);
  });

  test('[PRV-11] [PRV-14] steps of an earlier attempt are recorded as known, and not as made again', async () => {
    const woken = await world.wakes([write, { text: 'prose' }, write, { text: '{"ok":true}' }], {
      risk_level: 'medium',
      tools,
      output: { type: 'structured', schema: { ok: 'boolean' } },
      on_failure: { retry: { max_attempts: 2 } },
    });
    const { id, state, attempt } = await woken.run();
    expect([state, attempt]).toEqual(['completed', 2]);
    const first = ['intended model', 'done 0', 'intended write', 'done 1', 'intended model', 'done 2'];
    expect(await steps(id)).toEqual([...first, 'intended model', 'done 0', 'known write', 'intended model', 'done 2']);
  });

  test('[PRV-11] [SYS-14] an approval is for the event as it was shown: once its sender is erased there is nothing left to approve', async () => {
    const woken = await world.wakes(says, high, { accept: 'members' });
    const eve = await world.kit.person('eve');
    await world.emit({ type: woken.type, data: { amount: 12 } }, eve);
    const id = (await world.owner.call('listInvocations', { query: { trigger: woken.name } })).invocations[0]!.id;
    await world.owner.call('eraseMember', { params: { memberId: eve.id } });
    await world.settled();
    expect(await approve(id)).toMatchObject({ state: 'cancelled', attempt: 0, error: 'It is not the event that was shown.' });
    expect(woken.asked()).toEqual([]);
  });

  test('[PRV-11] [SYS-9] an approval of one owner’s trigger is none for another’s who has its id by now', async () => {
    const woken = await world.wakes(says, high, {}, ada);
    const { id } = await woken.run();
    await ada.call('removeProvoke', { params: { kind: 'trigger', id: woken.name }, query: { version: 1 } });
    await world.put('trigger', { id: woken.name, match: { type: woken.type }, agent: `m-${woken.name}` });
    expect(await world.owner.call('getProvoke', { params: { kind: 'trigger', id: woken.name } })).toMatchObject({
      ownerId: world.owner.id,
    });
    expect(await approve(id, ada)).toMatchObject({ state: 'expired', attempt: 0, error: 'The trigger names another manifest by now.' });
    expect(woken.asked()).toEqual([]);
  });

  test('[PRV-11] [SYS-2] with a person’s approval the outer limit of its chain begins again', async () => {
    const first = await world.wakes(says, { on_complete: { emit_event: 'test.outer.asked' } });
    const second = await world.wakes(says, high, { match: { type: 'test.outer.asked' } });
    const { chainId } = await first.run();
    const outer = async () => (await world.owner.call('getChain', { params: { chainId } })).outerAt - world.clock.now();
    await world.pass(23 * hour);
    expect(await outer()).toBe(hour);
    const { invocations } = await world.owner.call('listInvocations', { query: { trigger: second.name } });
    expect(await approve(invocations[0]!.id)).toMatchObject({ state: 'completed', chainId });
    expect(await outer()).toBe(24 * hour);
  });

  test('[PRV-11] [SYS-2] [PAP-17] the tasks of the chain have that limit, too, and the waits that outlasted the old one', async () => {
    const away = await world.kit.agent('AWAY');
    const here = async (agent: Person): Promise<() => Promise<void>> => {
      const { engine: commands, scheduler, auth } = world.kit.hub.kernel;
      const { by } = (await auth.principal(agent.token))!;
      const { session } = (await commands.submit({ type: 'agent.connect', by })).agent;
      await scheduler.settled();
      return async () => {
        await commands.submit({ type: 'agent.disconnect', by: { operator: true }, agentId: agent.id, session });
        await scheduler.settled();
      };
    };
    const type = 'test.outer.shared';
    await world.put('manifest', { id: 'm-gives', risk_level: 'low', deliver_to: { agent: 'AWAY' } });
    await world.put('trigger', { id: 'gives', match: { type }, agent: 'm-gives' });
    await world.put('manifest', { id: 'm-asks', risk_level: 'high' });
    await world.put('trigger', { id: 'asks', match: { type }, agent: 'm-asks' });
    const leave = await here(away);
    const answer = await world.emit({ type });
    await world.settled();
    await leave();
    const { triggers } = answer as { triggers: { triggerId: string; invocationId: string }[] };
    const id = triggers.find(({ triggerId }) => triggerId === 'asks')!.invocationId;
    const task = async () => {
      const [row] = await world.kit.hub.kernel.store.rows('tasks', 'where agent_id = ?', [away.id]);
      return [row!.state, row!.cause];
    };
    // Away again after ten hours: it is waited for until 34:00.
    await world.pass(10 * hour);
    await (
      await here(away)
    )();
    await world.pass(12 * hour);
    await approve(id);
    const chainId = (await world.invocation(id)).chainId;
    const extended = await world.kit.hub.kernel.store.rows('facts', "where type = 'chain.extended' and chain_id = ?", [chainId]);
    expect(extended).toMatchObject([{ subject_id: id }]);
    await world.pass(3 * hour);
    expect(await task()).toEqual(['queued', null]);
    await world.pass(10 * hour);
    expect(await task()).toEqual(['timed_out', 'offline']);
  });

  test('[PRV-14] the event of the failure reports a result that cannot be delivered', async () => {
    const emit_event = 'test.nowhere.failed';
    const woken = await world.wakes(says, { deliver_to: { conversation: '#nowhere' }, on_failure: { emit_event } });
    const { id, state, error } = await woken.run();
    expect([state, await told(emit_event)]).toEqual(['failed', [[id, error]]]);
  });

  test('[PRV-14] [SYS-12] so is a call that may have happened, once a person has left it', async () => {
    const emit_event = 'test.unknown.failed';
    await world.owner.call('setToolServer', { params: { name: 'test' }, body: { url: world.mcp.url, tools: { hang: 'write' } } });
    const woken = await world.wakes([{ calls: [{ name: 'hang', input: {} }] }], {
      tools: [{ name: 'hang', source: 'mcp://test' }],
      on_failure: { retry: { max_attempts: 2 }, emit_event },
    });
    const id = await woken.emit();
    const { store } = world.kit.hub.kernel;
    await expect.poll(async () => (await store.rows('journal', "where turn_id like ? and name = 'hang'", [`${id}:%`])).length).toBe(1);
    await world.owner.call('halt', {});
    await world.settled();
    await world.owner.call('release', {});
    const waits = await world.invocation(id);
    expect([waits.state, await told(emit_event)]).toEqual(['awaiting_approval', []]);
    await world.owner.call('closeCheckpoint', { params: { checkpointId: waits.checkpointId! }, body: { choice: 'leave' } });
    await world.settled();
    const { state, error } = await world.invocation(id);
    expect([state, error]).toEqual(['failed', expect.stringContaining('It is not known whether hang happened')]);
    expect(await told(emit_event)).toEqual([[id, error]]);
  });

  test('[PRV-10] [PRV-11] [PRV-14] a hub that starts in the middle of a pause, a window or a day to approve holds to what is left of it', async () => {
    const tried = await world.wakes([{ text: 'prose' }], {
      output: { type: 'structured', schema: { ok: 'boolean' } },
      on_failure: { retry: { max_attempts: 2, backoff_seconds: 3600 } },
    });
    const asked = await world.wakes(says, high);
    const narrow = await world.wakes(says, {}, { throttle: { max_per_window: 1, window_seconds: 3600 } });
    const [{ id: retried }, { id: waits }] = [await tried.run(), await asked.run()];
    await narrow.run();
    const reason = async () => {
      const answer = await world.emit({ type: narrow.type });
      return 'triggers' in answer ? answer.triggers[0]!.reason : undefined;
    };
    await world.pass(hour / 4);
    // A quarter of an hour without a hub.
    world.clock.jump(hour / 4);
    await world.kit.restart();
    await world.pass(hour / 2 - 1);
    expect(await world.invocation(retried)).toMatchObject({ state: 'waiting_retry', attempt: 1 });
    expect([tried.asked().length, await reason()]).toEqual([1, 'throttled']);
    await world.pass(1);
    expect(await world.invocation(retried)).toMatchObject({ state: 'failed', attempt: 2 });
    expect([tried.asked().length, await reason()]).toEqual([2, null]);
    await world.pass(22 * hour);
    world.clock.jump(hour - 1);
    await world.kit.restart();
    await world.pass(0);
    expect(await world.invocation(waits)).toMatchObject({ state: 'awaiting_approval' });
    await world.pass(1);
    expect(await world.invocation(waits)).toMatchObject({ state: 'expired', error: 'Nobody answered in time.' });
  });
});
