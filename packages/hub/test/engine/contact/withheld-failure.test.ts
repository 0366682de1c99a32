// What may not be heard where the work was asked for is left out; that the work failed is not.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { contact } from '../../../src/tools/contact-calls.ts';
import { worldFor } from '../../kit/models.ts';

const secret = 'The cellar key is under the blue pot';

onBothEngines('a failure that holds what may not be shared', (engine) => {
  let boss: Person;
  const world = worldFor(engine);
  beforeAll(async () => {
    boss = await world.kit.agent('BOSS', world.owner);
    await world.owner.call('addToConversation', { params: { conversationId: world.general }, body: { memberId: boss.id } });
  });

  test('[IAC-7] [SYS-6] a declined delegation is reported as failed, without the words', async () => {
    const { engine: hub, auth } = world.kit.hub.kernel;
    const hers = await world.agent('HERS', {}, { memory: secret });
    world.models.script('HERS', () => ({ calls: [{ name: 'decline', input: { reason: `Because ${secret}.` } }] }));
    const { by } = (await auth.principal(boss.token))!;
    await hub.submit({ type: 'agent.connect', by });
    await world.owner.post(world.general, '^BOSS ask');
    await world.settled();
    const { id: taskId } = (await world.tasks()).findLast(({ agentId }) => agentId === boss.id)!;
    const [row] = await world.kit.hub.kernel.store.rows('tasks', 'where id = ?', [taskId]);
    const call = { by, taskId, lease: row!.lease, action: 'delegate', targetId: hers, message: 'Where is the key?' };
    expect((await contact(world.kit.hub.kernel, call)).status).toBe('delegated');
    await world.settled();
    const told = (await world.bodies()).at(-1);
    expect(told).toContain('[Delegation Failed | HERS |');
    expect(told).toContain('memory');
    expect(told).not.toContain('blue pot');
  });
});
