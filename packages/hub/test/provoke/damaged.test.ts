// Rows that are damaged on the disk: what hangs on them does not run, and everything else does.

import { onBothEngines } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tamper } from '../backup-kit.ts';
import { type ProvokeWorld, startProvoke } from './run-kit.ts';

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
    await world.pass(60_000);
    await world.settled();
    for (const id of ids) expect(await world.invocation(id)).toMatchObject({ state: 'completed' });
  });

  test('[SYS-4] [PRV-15] one that was running when the hub went, and is damaged, keeps no other from being begun', async () => {
    const { kit } = world;
    const [damaged, whole] = [await world.wakes(() => ({ text: 'Late.' })), await world.wakes(() => ({ text: 'Seen.' }))];
    const { id } = await damaged.run();
    await tamper(kit.ground, `update invocations set state = 'running' where id = '${id}'`);
    await kit.restart();
    expect(await whole.run()).toMatchObject({ state: 'completed' });
  });
});
