// What waits is not run on rights that are gone (PRV-4, PRV-11, SYS-9): who may use what is asked again when an approval comes, when
// it is asked for again, and when it begins. And an id that was somebody's opens nothing of theirs to the next who takes it.

import { makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { contact } from '../../../src/tools/contact-calls.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { startProvoke } from '../../kit/provoke-runs.ts';

onBothEngines('what waits', (engine) => {
  const world = makeOnce(
    () => startProvoke(engine),
    (made) => made.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const emit = async (type: string, by: Person = world.kit.operator, triggerId?: string): Promise<string> => {
    const answer = await world.emit({ type }, by);
    if (!('triggers' in answer)) throw new Error('several');
    await world.settled();
    return answer.triggers.find((one) => triggerId === undefined || one.triggerId === triggerId)!.invocationId!;
  };
  const answer = async (id: string, choice: 'approve' | 'deny', by: Person = world.owner) => {
    const { checkpointId } = await world.invocation(id);
    await by.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice } });
    await world.settled();
  };
  const again = (id: string, by: Person = world.owner) => by.ask('askInvocationAgain', { params: { invocationId: id } });
  const switchOff = async (kind: 'trigger' | 'manifest', id: string) => {
    const { version } = await world.owner.call('getProvoke', { params: { kind, id } });
    await world.owner.call('enableProvoke', { params: { kind, id }, body: { version, enabled: false } });
  };

  test('[SYS-9] [PRV-11] asked for again, a member’s trigger wakes no manifest that is not theirs to use', async () => {
    const powerful = await world.wakes([{ text: 'done' }], { tools: [{ name: 'write', source: 'mcp://test', risk_override: 'high' }] });
    const wake = (agent: string) => world.put('trigger', { id: 'mias', match: { type: 'a.mia.said' }, agent }, mia);
    for (const id of ['mine', 'mine-too']) await world.put('manifest', { id, risk_level: 'high' }, mia);
    await wake('mine');
    const [first, second] = [await emit('a.mia.said', mia), await emit('a.mia.said', mia)];
    await wake('mine-too');
    await answer(first, 'approve', mia);
    await wake(`m-${powerful.name}`);
    expect(await world.invocation(first)).toMatchObject({ state: 'expired' });
    const asked = await again(first, mia);
    expect([asked.status, asked.body.error?.code]).toEqual([409, 'not_in_force']);
    await answer(second, 'approve', mia);
    expect(await world.invocation(second)).toMatchObject({ state: 'cancelled', manifestId: 'mine' });
    expect(powerful.asked()).toEqual([]);
  });

  test('[SYS-9] [PRV-11] an approval for what its owner may not have any more runs nothing', async () => {
    const zoe = await world.kit.person('zoe');
    await world.put('manifest', { id: 'zoes-m', risk_level: 'high' }, zoe);
    await world.put('trigger', { id: 'zoes', match: { type: 'a.zoe.said' }, agent: 'zoes-m' }, zoe);
    const id = await emit('a.zoe.said');
    await world.owner.call('editMember', { params: { memberId: zoe.id }, body: { role: 'guest' } });
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', attempt: 0 });
  });

  test('[PRV-4] between two attempts the manifest is switched off: there is no other', async () => {
    const woken = await world.wakes(() => ({ status: 400 }), { on_failure: { retry: { max_attempts: 5, backoff_seconds: 60 } } });
    const id = await emit(woken.type);
    expect(await world.invocation(id)).toMatchObject({ state: 'waiting_retry', attempt: 1 });
    const asked = woken.asked().length;
    await switchOff('manifest', `m-${woken.name}`);
    await world.pass(60_000);
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', attempt: 1 });
    expect(woken.asked()).toHaveLength(asked);
  });

  test('[PRV-4] [SYS-9] between two attempts its owner becomes a guest: there is no other', async () => {
    const ann = await world.kit.person('ann', 'admin');
    const woken = await world.wakes(() => ({ status: 400 }), { on_failure: { retry: { max_attempts: 5, backoff_seconds: 60 } } }, {}, ann);
    const id = await emit(woken.type);
    await world.owner.call('editMember', { params: { memberId: ann.id }, body: { role: 'guest' } });
    await world.pass(60_000);
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled', attempt: 1 });
  });

  test('[PRV-11] a second approval shows the risk of the definitions in force now, and is audited as such', async () => {
    const helper = await world.kit.agent('WARY');
    await world.owner.call('editAgent', { params: { memberId: helper.id }, body: { mode: 'supervised' } });
    const tools = [{ name: 'write', source: 'mcp://test' }];
    const calls = [{ name: 'write', input: { text: 'x' } }];
    const woken = await world.wakes([{ calls }, { text: 'done' }], { handle: 'WARY', risk_level: 'read_only', tools });
    const id = await emit(woken.type);
    expect(await world.invocation(id)).toMatchObject({ state: 'awaiting_approval', risk: 'read_only', attempts: 1 });
    const { object } = await world.owner.call('getProvoke', { params: { kind: 'manifest', id: `m-${woken.name}` } });
    const riskier = { ...object, risk_level: 'medium', on_failure: { retry: { max_attempts: 2 } } };
    await world.put('manifest', { id: `m-${woken.name}`, ...riskier });
    await answer(id, 'approve');
    expect((await again(id)).status).toBe(200);
    await answer(id, 'approve');
    expect(await world.invocation(id)).toMatchObject({ state: 'completed', risk: 'medium', attempts: 2 });
    const steps = (await world.facts(id)).filter(({ type }) => type === 'invocation.intended').map(({ data }) => data['name']);
    expect(steps).toEqual(['model', 'write', 'model']);
  });

  test('[SYS-9] [PRV-4] the id of what an admin took away is no member’s to take: neither its history nor its events come with it', async () => {
    for (const kind of ['manifest', 'trigger'] as const) {
      const object =
        kind === 'trigger' ? { match: { type: 'a.was.secret' }, agent: 'was' } : { risk_level: 'low', system_prompt: 'The code is 1234.' };
      await world.put(kind, { id: 'was', ...object });
    }
    await emit('a.was.secret');
    for (const kind of ['manifest', 'trigger'] as const) {
      const params = { kind, id: 'was' };
      await world.owner.call('removeProvoke', { params, query: { version: 1 } });
      const object = kind === 'trigger' ? { match: { type: 'a.b.c' }, agent: 'was' } : { risk_level: 'low' };
      const taken = await mia.ask('putProvoke', { params, body: { version: 0, object: { id: 'was', ...object } } });
      expect([taken.status, taken.body.error?.code]).toEqual([409, 'name_taken']);
      expect((await mia.ask('listProvokeVersions', { params })).status).toBe(404);
    }
    expect((await mia.call('listEvents', { query: { type: 'a.was.secret' } })).events).toEqual([]);
    // One's own comes back.
    await world.put('manifest', { id: 'hers', risk_level: 'low' }, mia);
    await mia.call('removeProvoke', { params: { kind: 'manifest', id: 'hers' }, query: { version: 1 } });
    await world.put('manifest', { id: 'hers', risk_level: 'low' }, mia);
  });

  test('[SYS-9] [PRV-4] an id that somebody has, or had, is like one that is free, until one would create it', async () => {
    const objects = {
      trigger: { match: { type: 'a.b.c' }, agent: 'x' },
      manifest: { risk_level: 'low' },
      schedule: { cron: '0 1 * * *', emit: { type: 'a.b.c' } },
      absence: { match: { type: 'a.b.c' }, within_seconds: 60, emit: { type: 'a.b.d' } },
    } as const;
    const ben = await world.kit.person('ben');
    for (const kind of ['trigger', 'manifest', 'schedule', 'absence'] as const) {
      const params = { kind, id: 'taken' };
      const asked = async (id: string) => {
        const at = { kind, id };
        const answers = await Promise.all([
          mia.ask('putProvoke', { params: at, body: { version: 1, object: { id, ...objects[kind] } } }),
          mia.ask('putProvoke', { params: at, body: { version: 0, object: { id, wrong: true } } }),
          mia.ask('enableProvoke', { params: at, body: { version: 1, enabled: false } }),
          mia.ask('removeProvoke', { params: at, query: { version: 1 } }),
          mia.ask('getProvoke', { params: at }),
          mia.ask('listProvokeVersions', { params: at }),
        ]);
        return answers.map(({ status, body }) => [status, JSON.stringify(body).replaceAll(id, '<id>')]);
      };
      const create = async () => {
        const answer = await mia.ask('putProvoke', { params, body: { version: 0, object: { id: 'taken', ...objects[kind] } } });
        return [answer.status, answer.body.error?.message];
      };
      const free = await asked('nobodys');
      expect(free.map(([status]) => status)).toEqual([404, 400, 404, 404, 404, 404]);
      const refused = [409, `The ${kind} ID taken is taken. Choose another one.`];
      await ben.call('putProvoke', { params, body: { version: 0, object: { id: 'taken', ...objects[kind] } } });
      expect([await asked('taken'), await create()], kind).toEqual([free, refused]);
      await ben.call('removeProvoke', { params, query: { version: 1 } });
      expect([await asked('taken'), await create()], kind).toEqual([free, refused]);
    }
  });

  test('[PRV-4] a manifest that is written again stays switched off', async () => {
    await world.put('manifest', { id: 'off', risk_level: 'low' });
    await switchOff('manifest', 'off');
    await world.put('manifest', { id: 'off', risk_level: 'low', system_prompt: 'Other words.' });
    expect(await world.owner.call('getProvoke', { params: { kind: 'manifest', id: 'off' } })).toMatchObject({ version: 3, enabled: false });
  });

  test('[SYS-11] with a source its tokens go: one of the same name is no use to them', async () => {
    const params = { kind: 'source', id: 'meter' } as const;
    const object = { id: 'meter', types: ['a.*'] };
    await world.owner.call('putProvoke', { params, body: { version: 0, object } });
    const { secret } = await world.owner.call('createToken', { body: { kind: 'source', label: 'the meter', source: 'meter' } });
    const send = async () =>
      (
        await fetch(new URL('/api/v1/events', world.kit.url), {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: JSON.stringify({ pap_version: '0.2', id: 'x', type: 'a.b.c', source: 'meter', time: '2026-03-11T06:00:00Z', data: {} }),
        })
      ).status;
    expect(await send()).toBe(200);
    await world.owner.call('removeProvoke', { params, query: { version: 1 } });
    expect(await send()).toBe(401);
    await world.owner.call('putProvoke', { params, body: { version: 0, object } });
    expect(await send()).toBe(401);
  });

  test('[PRV-2] a member’s schedule or monitor says nothing that only the system says', async () => {
    const emits = { type: 'pap.agent.invocation.completed' };
    for (const [kind, object] of [
      ['schedule', { id: 'liar', cron: '* * * * *', emit: emits }],
      ['absence', { id: 'liar', match: { type: 'a.b.c' }, within_seconds: 1, emit: emits }],
    ] as const) {
      const { status, body } = await mia.ask('putProvoke', { params: { kind, id: 'liar' }, body: { version: 0, object } });
      expect([status, body.error?.problems?.[0]?.field]).toEqual([400, 'object.emit.type']);
    }
  });

  test('[SYS-11] a schedule and a monitor are silent once their owner may emit nothing', async () => {
    const gus = await world.kit.person('gus');
    await world.put('schedule' as never, { id: 'guss', cron: '* * * * *', emit: { type: 'a.gus.ticked' } }, gus);
    await world.put('absence' as never, { id: 'guss', match: { type: 'a.b.c' }, within_seconds: 60, emit: { type: 'a.gus.missed' } }, gus);
    await world.owner.call('editMember', { params: { memberId: gus.id }, body: { role: 'guest' } });
    await world.pass(120_000);
    for (const type of ['a.gus.ticked', 'a.gus.missed'])
      expect((await world.owner.call('listEvents', { query: { type } })).events).toEqual([]);
  });

  test('[PRV-16] a dry run with a trigger that is not kept says what its author could use', async () => {
    await world.put('manifest', { id: 'mias-m', risk_level: 'low' }, mia);
    const trigger = { id: 'tried', match: { type: 'a.b.c' }, agent: 'mias-m' };
    const event = { pap_version: '0.2' as const, id: 'x', type: 'a.b.c', source: 's', time: '2026-03-11T06:00:00Z', data: {} };
    const tried = async (by: Person, agent = 'mias-m') =>
      (await by.call('testTriggers', { body: { events: [event], trigger: { ...trigger, agent } } })).results[0]!.reason;
    expect(await tried(mia)).toBe(null);
    await world.put('manifest', { id: 'owners-m', risk_level: 'low' });
    await world.put('trigger', { ...trigger, id: 'owners', agent: 'owners-m' });
    await world.emit(event);
    // Another's id answers like a free one, and nothing is said of the events that have come to it.
    for (const id of ['owners', 'free'])
      expect((await mia.call('testTriggers', { body: { events: [event], trigger: { ...trigger, id } } })).results[0]!.reason).toBe(null);
    // In earnest an admin's trigger does not run a member's words.
    expect(await tried(world.owner)).toBe('no_manifest');
    expect(await tried(world.owner, 'off')).toBe('no_manifest');
  });

  test('[SYS-9] [SYS-13] triggers of two owners on one event: neither stands for what the other’s agent does', async () => {
    const { owner, kit } = world;
    const [his, hers] = [await kit.agent('HIS'), await kit.agent('HERS', mia)];
    const [his2, hers2] = [await kit.agent('HIS2'), await kit.agent('HERS2', mia)];
    const lines = await Promise.all([his, hers, his2, hers2].map((one) => Wire.hello(one)));
    for (const [id, handle, by] of [
      ['one-of-two', 'HIS', owner],
      ['two-of-two', 'HERS', mia],
    ] as const) {
      await world.put('manifest', { id: `m-${id}`, risk_level: 'low', deliver_to: { agent: handle } }, by);
      await world.put('trigger', { id, match: { type: 'a.shared.crossed' }, agent: `m-${id}` }, by);
    }
    await emit('a.shared.crossed');
    const { store, auth } = kit.hub.kernel;
    const tells = async (agent: Person, target: Person) => {
      const [task] = await store.rows('tasks', 'where agent_id = ? and open = 1', [agent.id]);
      const { by } = (await auth.principal(agent.token))!;
      const call = { action: 'notify', targetId: target.id, message: 'Do this for me.' } as const;
      return (await contact(kit.hub.kernel, { by, taskId: task!.id, lease: task!.lease, ...call })).status;
    };
    for (const [agent, target] of [
      [hers, his2],
      [hers, his],
      [his, hers2],
      [his, hers],
    ] as const)
      expect([agent.handle, target.handle, await tells(agent, target)]).toEqual([agent.handle, target.handle, 'awaiting_approval']);
    for (const line of lines) await line.close();
  });

  test('[PRV-1] no letter of a question is the database’s problem', async () => {
    expect((await world.owner.ask('listEvents', { query: { type: 'a\u0000b' } })).status).toBeLessThan(500);
  });
});
