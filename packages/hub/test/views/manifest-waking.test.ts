// An agent that a manifest has brought is shown as what it is: what wakes it, what it thinks with then, and when it asks.

import type { Agent } from '@parley/protocol';
import { Ear, makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import type { Reader } from '../../src/store/port.ts';
import { wakingViews } from '../../src/views/manifest-waking.ts';
import { startProvoke } from '../kit/provoke-runs.ts';

onBothEngines('what wakes an agent that a manifest has brought', (engine) => {
  const world = makeOnce(
    () => startProvoke(engine),
    (made) => made.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const agents = async (who: Person = world.owner): Promise<Map<string, Agent>> =>
    new Map((await who.call('listAgents', {})).agents.map((agent) => [agent.handle, agent]));
  const waking = async (handle: string, who?: Person) => (await agents(who)).get(handle)!.waking;

  /** A manifest without a model, one trigger of it, and its agent, which the first event has made. */
  async function brought(id: string, manifest: object = {}, by: Person = world.owner): Promise<void> {
    await world.put('manifest', { id, risk_level: 'low', ...manifest }, by);
    await world.put('trigger', { id: `on-${id}`, match: { type: `test.${id}.crossed` }, agent: id }, by);
    await world.emit({ type: `test.${id}.crossed` });
    await world.settled();
  }

  test('[PRV-11] it names its manifest, the model, when a person is asked, and the triggers that wake it', async () => {
    const woken = await world.wakes([{ text: 'Seen.' }]);
    const run = await woken.run();
    expect(await waking(`m-${woken.name}`)).toEqual({
      manifestId: `m-${woken.name}`,
      version: 1,
      state: 'on',
      thinks: 'model',
      model: `${woken.name} (anthropic)`,
      asks: null,
      lastRun: { invocationId: run.id, state: 'completed', at: run.endedAt, error: null },
      triggers: [woken.name],
    });
    await brought('plain', { risk_level: 'high' });
    expect(await waking('plain')).toMatchObject({ state: 'on', thinks: 'plain', model: null, asks: 'risk', triggers: ['on-plain'] });
    // One that nobody's manifest brought has none.
    expect(await waking('ORAC')).toBeNull();
  });

  test('[SYS-8] [PRV-4] it is described as its manifest says by now, and as its owner says once they have', async () => {
    const about = async () => (await agents()).get('told')!.about;
    const says = (description: string) => world.put('manifest', { id: 'told', risk_level: 'low', description });
    await brought('told', { description: 'Looks after disks.' });
    // One that only has a name like it is none of its.
    await world.kit.agent('told-3');
    const { id } = (await agents()).get('told')!;
    const shown = async () => (await world.owner.call('getIdentity', { params: { memberId: id } })).identity.profile.about;
    await says('Looks after hosts.');
    expect([await about(), await shown()]).toEqual(['Looks after hosts.', 'Looks after hosts.']);
    await says('');
    await says('Looks after fans.');
    expect([await about(), (await agents()).get('told-3')!.about]).toEqual(['Looks after fans.', '']);
    await world.owner.call('editMember', { params: { memberId: id }, body: { about: 'Mine.' } });
    await says('Looks after lamps.');
    expect([await about(), await shown()]).toEqual(['Mine.', 'Mine.']);
  });

  test('[IAC-12] its own mode asks where the manifest does not', async () => {
    const tools = [{ name: 'note', source: 'mcp://test' }];
    await brought('minded', { tools });
    const { id } = (await agents()).get('minded')!;
    const asked = async (mode: Agent['mode']) =>
      (await world.owner.call('editAgent', { params: { memberId: id }, body: { mode } })).waking!.asks;
    expect([await asked('autonomous'), await asked('supervised'), await asked('strict')]).toEqual([null, 'mode', 'mode']);
    await world.put('manifest', { id: 'minded', risk_level: 'low', tools: [{ ...tools[0], risk_override: 'read_only' }] });
    expect([await asked('supervised'), await asked('strict')]).toEqual([null, 'mode']);
  });

  test('[SYS-11] which triggers and which model is told to those who may see them', async () => {
    const woken = await world.wakes([{ text: 'Seen.' }]);
    await woken.run();
    expect(await waking(`m-${woken.name}`, mia)).toMatchObject({ state: 'on', thinks: 'model', model: null, triggers: null });
    await brought('of-mia', {}, mia);
    expect(await waking('of-mia', mia)).toMatchObject({ state: 'on', triggers: ['on-of-mia'] });
    expect(await waking('of-mia')).toMatchObject({ triggers: ['on-of-mia'] });
    const tom = await world.kit.person('tom');
    expect(await waking('of-mia', tom)).toMatchObject({ state: 'on', triggers: null });
  });

  test('[PAP-14] [SYS-11] how its last run went stays to be read, for those who may see it', async () => {
    const woken = await world.wakes(() => ({ status: 400 }));
    const { id, endedAt, error } = await woken.run();
    expect(error).toMatch(/\w/);
    expect((await waking(`m-${woken.name}`))!.lastRun).toEqual({ invocationId: id, state: 'failed', at: endedAt, error });
    expect((await waking(`m-${woken.name}`, mia))!.lastRun).toBeNull();
  });

  test('[SYS-8] an agent that an event has woken is at work, or waits for approval, and whoever sees it is told as that changes', async () => {
    const [thinking, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const woken = await world.wakes(
      async () => {
        thinking.resolve();
        await go.promise;
        return { text: 'Seen.' };
      },
      { risk_level: 'high' },
    );
    const handle = `m-${woken.name}`;
    const status = async () => {
      const { status, woken } = (await agents(mia)).get(handle)!;
      return [status, woken];
    };
    let ear = new Ear(mia);
    const before = await ear.ready();
    const signs = () => ear.heard.flatMap((event) => (event.type === 'woken' && event.agentId === agentId ? [event.woken] : []));

    const id = await woken.emit();
    const { id: agentId } = (await agents()).get(handle)!;
    expect(await status()).toEqual(['awaiting_approval', 'awaiting_approval']);
    await ear.until(() => signs().at(-1) === 'awaiting_approval');
    await world.kit.restart();
    expect(await status()).toEqual(['awaiting_approval', 'awaiting_approval']);
    ear = new Ear(mia, before);
    await ear.ready();
    expect(signs()).toEqual(['awaiting_approval']);

    const { checkpointId } = await world.invocation(id);
    await world.owner.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice: 'approve' } });
    await thinking.promise;
    expect(await status()).toEqual(['working', 'working']);
    await ear.until(() => signs().at(-1) === 'working');

    go.resolve();
    await world.settled();
    expect(await status()).toEqual(['idle', null]);
    await ear.until(() => signs().at(-1) === null);
    // Who was away meanwhile is told how it stands now.
    ear = new Ear(mia, before);
    await ear.ready();
    expect(signs()).toEqual([null]);
  });

  test('[PRV-4] of an owner’s triggers only those are read that may wake one of the agents', async () => {
    await brought('a_b');
    // To a pattern it is the same; it is not the same.
    await world.put('manifest', { id: 'axb', risk_level: 'low' });
    await world.put('trigger', { id: 'on-axb', match: { type: 'test.axb.crossed' }, agent: 'axb' });
    const { store } = world.kit.hub.kernel;
    const [agent] = await store.rows('members', "where handle = 'a_b'");
    let read = 0;
    const reader: Reader = {
      ...store,
      all: store.all.bind(store),
      rows: async (table, ...query) => {
        const rows = await store.rows(table, ...query);
        if (table === 'provoke_objects') read += rows.length;
        return rows;
      },
    };
    const [view] = [...(await wakingViews(reader, [{ agent: agent!, manifestId: 'a_b', mode: 'autonomous' }], () => true)).values()];
    expect([view!.triggers, read]).toEqual([['on-a_b'], 2]);
  });

  test('[PRV-4] once its manifest is off, removed or another agent’s, or no trigger is on, it says that no event wakes it', async () => {
    await brought('passing');
    const [manifest, trigger] = [
      { kind: 'manifest' as const, id: 'passing' },
      { kind: 'trigger' as const, id: 'on-passing' },
    ];
    const { owner } = world;
    const version = async (params: typeof manifest | typeof trigger) => (await owner.call('getProvoke', { params })).version;
    const enable = async (params: typeof manifest | typeof trigger, enabled: boolean) =>
      owner.call('enableProvoke', { params, body: { version: await version(params), enabled } });
    const state = async () => (await waking('passing'))?.state;
    expect(await state()).toBe('on');
    // A trigger of somebody else's wakes an agent of theirs, not this one.
    const admin = await world.kit.person('adam', 'admin');
    await world.put('trigger', { id: 'of-adam', match: { type: 'test.passing.crossed' }, agent: 'passing' }, admin);
    await enable(trigger, false);
    expect(await state()).toBe('no_trigger');
    await enable(trigger, true);
    await enable(manifest, false);
    expect(await state()).toBe('off');
    await enable(manifest, true);
    await world.put('manifest', { id: 'passing', risk_level: 'low', handle: 'ORAC' });
    expect(await state()).toBe('elsewhere');
    await world.put('manifest', { id: 'passing', risk_level: 'low' });
    expect(await state()).toBe('on');
    await owner.call('removeProvoke', { params: manifest, query: { version: await version(manifest) } });
    expect(await waking('passing')).toMatchObject({ state: 'gone', manifestId: 'passing', triggers: [] });
  });

  test('[SYS-14] of two of one manifest that one person has by another’s leaving, the card of that one names triggers that is woken', async () => {
    const bea = await world.kit.person('bea', 'admin');
    await world.owner.call('editMember', { params: { memberId: bea.id }, body: { managerId: world.owner.id } });
    const type = 'test.twice.crossed';
    await world.put('manifest', { id: 'twice', risk_level: 'low' });
    await world.put('trigger', { id: 'of-bea', match: { type }, agent: 'twice' }, bea);
    await world.emit({ type });
    await world.settled();
    await world.put('trigger', { id: 'of-owner', match: { type }, agent: 'twice' });
    await world.emit({ type });
    await world.settled();
    expect([await waking('twice'), await waking('twice-2')]).toMatchObject([{ triggers: ['of-bea'] }, { triggers: ['of-owner'] }]);
    await world.owner.call('deactivateMember', { params: { memberId: bea.id } });
    const shown = async (handle: string) => {
      const { id, waking } = (await agents()).get(handle)!;
      // Alone it is shown as among the others.
      expect((await world.owner.call('editAgent', { params: { memberId: id }, body: { mode: 'autonomous' } })).waking).toEqual(waking);
      return waking;
    };
    const { triggers } = (await world.emit({ type })) as { triggers: { triggerId: string; invocationId: string | null }[] };
    await world.settled();
    const { agentId } = await world.invocation(triggers.find(({ triggerId }) => triggerId === 'of-owner')!.invocationId!);
    expect(agentId).toBe((await agents()).get('twice')!.id);
    expect([await shown('twice'), await shown('twice-2')]).toMatchObject([
      { state: 'on', triggers: ['of-owner'] },
      { state: 'elsewhere', triggers: [] },
    ]);
  });

  test('[PRV-4] one of another manifest that has the name it would have had is not taken for it', async () => {
    await world.kit.person('num');
    await brought('num-2');
    await brought('num');
    expect([await waking('num-2'), await waking('num-3')]).toMatchObject([
      { state: 'on', triggers: ['on-num-2'] },
      { state: 'on', triggers: ['on-num'] },
    ]);
  });
});
