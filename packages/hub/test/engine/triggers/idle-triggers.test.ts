// A trigger that fires and can wake nobody: its owner has it in the inbox, once, and on the trigger for as long as it holds.

import type { Checkpoint } from '@parley/protocol';
import { makeOnce, onBothEngines, type Person, promote } from '@parley/testkit';
import { expect, test } from 'vitest';
import { startProvoke, type Woken } from '../../kit/provoke-runs.ts';

onBothEngines('a trigger that wakes nobody', (engine) => {
  const world = makeOnce(
    () => startProvoke(engine),
    (made) => made.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const params = (woken: Woken) => ({ kind: 'manifest' as const, id: `m-${woken.name}` });
  const version = async (woken: Woken) => (await world.owner.call('getProvoke', { params: params(woken) })).version;
  const enable = async (woken: Woken, enabled: boolean) =>
    world.owner.call('enableProvoke', { params: params(woken), body: { version: await version(woken), enabled } });
  const remove = async (woken: Woken) =>
    world.owner.call('removeProvoke', { params: params(woken), query: { version: await version(woken) } });
  const told = async ({ name }: Woken, by = world.owner): Promise<Checkpoint[]> =>
    (await by.call('listCheckpoints', { query: {} })).checkpoints.filter(
      ({ kind, text }) => kind === 'idle_trigger' && text.startsWith(`Your trigger ${name} `),
    );
  const allTold = async ({ name }: Woken) =>
    (await world.owner.call('listCheckpoints', { query: { state: 'all' } })).checkpoints.filter(
      ({ kind, text }) => kind === 'idle_trigger' && text.includes(name),
    );
  const warnings = async ({ name }: Woken) => (await world.owner.call('getProvoke', { params: { kind: 'trigger', id: name } })).warnings;
  const only = 'Until that changes, events are logged, but start nothing.';

  test('[PAP-14] [PRV-4] a manifest that is off or gone gives one notice, not one for each event, and the notice ends when the reason does', async () => {
    const woken = await world.wakes(() => ({ text: 'Seen.' }));
    await enable(woken, false);
    // Until something happens nothing is missed.
    expect(await told(woken)).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, () => woken.emit()));
    const off = `The manifest m-${woken.name} is switched off.`;
    const [first, ...more] = await told(woken);
    expect([first?.text, first?.memberId, more]).toEqual([
      `Your trigger ${woken.name} fired and woke nobody. ${off} ${only}`,
      world.owner.id,
      [],
    ]);
    expect(await warnings(woken)).toEqual([off]);
    expect(await told(woken, mia)).toEqual([]);
    // Another that names the same says nothing new.
    await world.put('trigger', { id: `${woken.name}-too`, match: { type: 'test.too.crossed' }, agent: `m-${woken.name}` });
    await world.emit({ type: 'test.too.crossed' });
    expect(await allTold(woken)).toHaveLength(1);

    await enable(woken, true);
    expect([await told(woken), await warnings(woken)]).toEqual([[], []]);
    expect(await woken.run()).toMatchObject({ state: 'completed' });

    // It is so again, and for another reason.
    await remove(woken);
    await Promise.all(Array.from({ length: 20 }, () => woken.emit()));
    expect(await allTold(woken)).toHaveLength(2);
    const gone = `There is no manifest m-${woken.name} that its owner may use.`;
    expect((await told(woken)).map(({ text }) => text)).toEqual([`Your trigger ${woken.name} fired and woke nobody. ${gone} ${only}`]);
    expect(await warnings(woken)).toEqual([gone]);
  });

  test('[PAP-14] [SYS-1] once noted it is not told again, a restart included, until something about it has changed', async () => {
    const woken = await world.wakes(() => ({ text: 'Seen.' }));
    await enable(woken, false);
    await woken.emit();
    const [asked] = await told(woken);
    expect(asked!.choices).toEqual([{ choice: 'noted', label: 'Noted' }]);
    await world.owner.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'noted' } });
    await woken.emit();
    await world.kit.restart();
    await woken.emit();
    expect(await told(woken)).toEqual([]);
    expect(await warnings(woken)).toHaveLength(1);
    await remove(woken);
    await woken.emit();
    expect(await told(woken)).toHaveLength(1);
    // With the trigger goes what was told of it.
    const trigger = { kind: 'trigger' as const, id: woken.name };
    const { version: last } = await world.owner.call('getProvoke', { params: trigger });
    await world.owner.call('removeProvoke', { params: trigger, query: { version: last } });
    expect(await told(woken)).toEqual([]);
  });

  test('[PAP-14] an event that came before the manifest was switched off gives a notice as well', async () => {
    const woken = await world.wakes(() => ({ status: 400 }), { on_failure: { retry: { max_attempts: 2, backoff_seconds: 60 } } });
    const { id } = await woken.run();
    await enable(woken, false);
    await world.pass(60_000);
    expect(await world.invocation(id)).toMatchObject({ state: 'cancelled' });
    expect(await told(woken)).toHaveLength(1);
  });

  test('[PAP-14] [PRV-11] at high risk no approver is asked about an agent that was deactivated: its owner gets one notice instead', async () => {
    const { owner } = world;
    const woken = await world.wakes(() => ({ text: 'Seen.' }), { risk_level: 'high' });
    const { agentId } = await world.invocation(await woken.emit());
    expect(await warnings(woken)).toEqual([]);
    await owner.call('deactivateMember', { params: { memberId: agentId! } });
    const ids = [await woken.emit(), await woken.emit()];
    for (const id of ids) expect(await world.invocation(id)).toMatchObject({ state: 'cancelled' });
    const noAgent = 'The agent that would act was deactivated, is not its owner’s to send, or would be one more than its owner may have.';
    expect((await told(woken)).map(({ text }) => text)).toEqual([`Your trigger ${woken.name} fired and woke nobody. ${noAgent} ${only}`]);
    expect(await warnings(woken)).toEqual([noAgent]);
    await owner.call('reactivateMember', { params: { memberId: agentId! } });
    expect(await warnings(woken)).toEqual([]);
    await woken.emit();
    expect(await told(woken)).toEqual([]);
    // So again; noted, over, and so once more.
    const deactivated = async () => {
      await owner.call('deactivateMember', { params: { memberId: agentId! } });
      await woken.emit();
      const [again] = await told(woken);
      await owner.call('closeCheckpoint', { params: { checkpointId: again!.id }, body: { choice: 'noted' } });
      await woken.emit();
      expect(await told(woken)).toEqual([]);
      await owner.call('reactivateMember', { params: { memberId: agentId! } });
      await woken.emit();
    };
    await deactivated();
    await deactivated();
  });

  test('[PAP-14] [SYS-9] a manifest that a role no longer lets its user use gives a notice each time that happens again', async () => {
    const woken = await world.wakes(() => ({ text: 'Seen.' }));
    let her: Person = mia;
    const raise = async () => {
      her = await promote(world.owner, her, 'admin');
    };
    await raise();
    const type = `test.${woken.name}.mias`;
    for (const id of ['mias-1', 'mias-2']) await world.put('trigger', { id, match: { type }, agent: `m-${woken.name}` }, her);
    const switchOn = async () => {
      for (const id of ['mias-1', 'mias-2']) {
        const params = { kind: 'trigger' as const, id };
        const { version } = await her.call('getProvoke', { params });
        await her.call('enableProvoke', { params, body: { version, enabled: true } });
      }
    };
    const emit = async () => {
      await world.emit({ type });
      await world.settled();
      return (await her.call('listCheckpoints', { query: {} })).checkpoints.filter(({ kind }) => kind === 'idle_trigger');
    };
    expect(await emit()).toEqual([]);
    for (const noted of [false, true, true]) {
      await world.owner.call('editMember', { params: { memberId: her.id }, body: { role: 'member' } });
      await emit();
      const [first, ...more] = await emit();
      expect([first?.text, more]).toEqual([
        `Your trigger mias-1 fired and woke nobody. There is no manifest m-${woken.name} that its owner may use. ${only}`,
        [],
      ]);
      if (noted) await her.call('closeCheckpoint', { params: { checkpointId: first!.id }, body: { choice: 'noted' } });
      expect(await emit()).toHaveLength(noted ? 0 : 1);
      await raise();
      await switchOn();
      expect(await emit()).toEqual([]);
    }
  });
});
