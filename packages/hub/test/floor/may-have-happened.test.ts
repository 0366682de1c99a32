// A step of a sub-task that nobody knows about (SYS-12): the agent above is asked, as with any question from below.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { floorOn } from './kit.ts';

onBothEngines('a step that may have happened', (engine) => {
  test('[SYS-12] [PAP-7] in a sub-task, the one above is told, need not wait for its time to run out, and can say to go on', async () => {
    const floor = await floorOn(engine);
    try {
      const { engine: commands, store } = floor.kit.hub.kernel;
      const [a, b] = [await floor.agent('A'), await floor.agent('B')];
      const here = await floor.channel('below', a, b);
      const by = { operator: true } as const;
      const row = async (agentId: string) => (await store.rows('tasks', 'where agent_id = ?', [agentId]))[0]!;
      const states = async () => (await floor.tasks(here)).map(({ state }) => state);
      await floor.ann.post(here, '^A do it');
      await floor.pass();
      await floor.say(a, (await floor.tasks(here))[0]!, 'progress', '^B pay');
      await floor.pass();
      const { id, lease } = await row(a.id);
      await commands.submit({ type: 'task.pause', by, agentId: a.id, taskId: id, lease });
      const below = await row(b.id);
      const [turn] = await store.rows('turns', 'where task_id = ?', [below.id]);
      const step = { by, agentId: b.id, taskId: below.id, lease: below.lease, turnId: turn!.id, n: 0 };
      // Words of another agent taint it: of what changes something outside, only saying a word is left to it unasked.
      const intended = { kind: 'tool', name: 'say', readOnly: false, stepKey: null, input: '{}' } as const;
      await commands.submit({ type: 'turn.intend', ...step, ...intended });
      expect(await states()).toEqual(['awaiting_delegation', 'active']);
      await commands.submit({ type: 'turn.unknown', ...step });
      await floor.pass();
      expect(await states()).toEqual(['active', 'waiting']);
      expect((await floor.notices(floor.ann)).at(-1)).toMatchObject({ kind: 'may_have_happened', agentId: b.id, reason: 'say' });
      await floor.say(a, (await floor.tasks(here))[0]!, 'progress', '^B it was paid, go on');
      await floor.pass();
      expect(await states()).toEqual(['active', 'active']);
      await expect(commands.submit({ type: 'turn.unknown', ...step })).rejects.toMatchObject({ code: 'stale_lease' });
    } finally {
      await floor.kit.stop();
    }
  });
});
