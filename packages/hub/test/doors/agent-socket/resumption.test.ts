// A remote agent that is resumed, or comes back, is told what it has done in the task and what is pending.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor } from '../../kit/floor.ts';
import { atWork } from '../../kit/tools.ts';

onBothEngines('remote agents, resumed', (engine) => {
  const { floor } = floorFor(engine);

  test('[IAC-6] the event of a resumption names its calls, and what is pending', async () => {
    const [fast, slow] = [await floor.agent('FAST'), await floor.agent('SLOW')];
    const { line, task, call, agent } = await atWork(floor);
    for (const to of [fast, slow]) await call('contact_agent', { action: 'delegate', agentId: to.id, message: `work for ${to.handle}` });
    await line.call('pause', { taskId: task.id, lease: task.lease });
    await floor.pass();
    const { store, auth, engine: hub } = floor.kit.hub.kernel;
    const [given] = await store.rows('tasks', 'where agent_id = ? and open = 1', [fast.id]);
    const { by } = (await auth.principal(fast.token))!;
    await hub.submit({ type: 'task.say', by, taskId: given!.id, lease: given!.lease, kind: 'answer', body: 'fast is done' });
    await floor.pass();
    const { event } = await line.event('task', ({ lease }) => lease !== null && lease > task.lease);
    const input = { action: 'delegate', agentId: fast.id, message: 'work for FAST' };
    expect(event.calls).toHaveLength(2);
    expect(event.calls![0]).toMatchObject({ name: 'contact_agent', input: JSON.stringify(input), outcome: 'done' });
    expect(event.calls![0]!.result).toContain('Delegated to FAST (subtask ');
    expect(event.pending).toMatchObject({ subtasks: [{ agentId: slow.id }], approvals: [] });
    expect(event.pending!.subtasks[0]!.request).toContain('work for SLOW');
    const { user } = await line.call('read.prompt', { taskId: task.id });
    expect(user).toContain(`Arguments: ${JSON.stringify(input)}`);

    // Gone and back, it is told the same.
    await line.cut();
    await floor.pass();
    const back = await Wire.hello(agent);
    await floor.pass();
    const again = await back.event('task', ({ task: { id }, lease }) => id === task.id && lease !== null && lease > event.lease!);
    expect(again.event).toMatchObject({ calls: event.calls, pending: event.pending });
    await back.close();
  });
});
