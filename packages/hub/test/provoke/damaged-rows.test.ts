// Rows that are damaged on the disk: what hangs on them does not run, and everything else does.

import { onBothEngines, waitFor } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tamper } from '../kit/backup.ts';
import { type ProvokeWorld, startProvoke } from '../kit/provoke-runs.ts';

onBothEngines('damaged rows', (engine) => {
  let world: ProvokeWorld;
  beforeEach(async () => {
    world = await startProvoke(engine);
  });
  afterEach(() => world.stop());

  test('[SYS-4] [PRV-15] however many invocations cannot be begun, those after them are; mended, they run', async () => {
    const { owner, kit } = world;
    const [damaged, whole] = [await world.wakes(() => ({ text: 'Late.' })), await world.wakes(() => ({ text: 'Seen.' }))];
    await owner.call('halt', {});
    const ids = [];
    for (let left = 20; left > 0; left--) ids.push(await damaged.emit());
    const after = await whole.emit();
    const emitted = `type = '${damaged.type}'`;
    await tamper(kit.ground, `update events set source = 'tampered' where ${emitted}`);
    await kit.restart();
    await owner.call('release', {});
    await world.settled();
    expect(await world.invocation(after)).toMatchObject({ state: 'completed' });
    expect(await whole.run()).toMatchObject({ state: 'completed' });
    const { invocations } = await owner.call('listInvocations', { query: { state: 'queued' } });
    expect(invocations).toHaveLength(20);
    await tamper(kit.ground, `update events set source = 'monitoring.test' where ${emitted}`);
    await world.pass(300_000);
    for (const id of ids) expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
  });

  test.each([
    ['it', (id: string) => `update invocations set created_at = created_at + ? where id = '${id}'`],
    ['its attempt', (id: string) => `update invocation_attempts set started_at = started_at + ? where invocation_id = '${id}'`],
  ])('[SYS-4] [PRV-15] one was running when the hub went, and %s is damaged: others are begun; mended, it ends', async (_, shifted) => {
    const { kit } = world;
    const [damaged, whole] = [await world.wakes([{ fault: 'hang' }]), await world.wakes(() => ({ text: 'Seen.' }))];
    const id = await damaged.emit();
    await waitFor(() => expect(damaged.asked()).toHaveLength(1));
    await tamper(kit.ground, shifted(id).replace('?', '1'));
    await kit.restart();
    expect(await whole.run()).toMatchObject({ state: 'completed' });
    await tamper(kit.ground, shifted(id).replace('+ ?', '- 1'));
    await world.pass(300_000);
    expect(await world.invocation(id)).toMatchObject({ state: 'failed' });
  });

  test('[SYS-4] [PRV-11] what cannot be read is left out of the inbox, and the others are told as they are', async () => {
    const { kit, owner } = world;
    const [damaged, changed] = [await world.wakes([], { risk_level: 'high' }), await world.wakes([], { risk_level: 'high' })];
    for (const woken of [damaged, changed]) await woken.emit();
    await world.put('manifest', { id: `m-${changed.name}`, risk_level: 'high' });
    await tamper(kit.ground, `update provoke_objects set at = 5 where kind = 'manifest' and id = 'm-${damaged.name}'`);
    const { checkpoints } = await owner.call('listCheckpoints', { query: {} });
    expect(checkpoints.map(({ wouldNotRun }) => wouldNotRun)).toEqual([expect.stringContaining('The manifest was changed')]);
  });
});
