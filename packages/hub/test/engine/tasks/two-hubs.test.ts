// Two hubs on one database begin what is queued: no agent is at more than it may be, and no turn is taken away.

import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../../src/engine/command.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { type Bare, outcome, type Someone, startBare } from '../../kit/bare.ts';

onBothEngines('begun by two hubs', (kind) => {
  let bare: Bare;
  let engines: Engine[];
  let ann: Someone;
  let bot: Someone;
  let room: string;
  beforeAll(async () => {
    bare = await startBare(kind);
    engines = [bare.engine, await bare.another()];
    ann = await bare.person('ann');
    bot = await bare.agent('BOT', ann);
    room = await bare.channel(ann, 'room', [bot]);
    await bare.engine.submit({ type: 'agent.connect', by: bot.by });
  });
  afterAll(() => bare.stop());

  async function asked(text: string): Promise<string> {
    const { message } = await bare.engine.submit({
      type: 'message.post',
      by: ann.by,
      conversationId: room,
      body: `^BOT ${text}`,
      attachmentIds: [],
    });
    return (await bare.store.rows('tasks', 'where message_id = ?', [message.id]))[0]!.id;
  }

  test('[PAP-2] [SYS-4] at the same moment, it is at one of them', async () => {
    for (let round = 0; round < 20; round++) {
      const tasks = [await asked('this'), await asked('that')];
      const begun = await Promise.all(
        engines.map((engine, i) =>
          outcome(engine, { type: 'task.begin', by: operator, taskId: tasks[i]!, agentId: bot.id, ifQueued: true }),
        ),
      );
      const active = await bare.store.rows('tasks', "where agent_id = ? and state = 'active'", [bot.id]);
      expect([active.length, JSON.stringify(begun).includes('agent_busy')]).toEqual([1, true]);
      for (const taskId of tasks) await bare.engine.submit({ type: 'task.stop', by: ann.by, taskId });
    }
  });

  test('[SYS-12] a task that its agent has begun is not begun again by another hub', async () => {
    const taskId = await asked('this');
    await bare.engine.submit({ type: 'task.begin', by: bot.by, taskId });
    const late = engines[1]!.submit({ type: 'task.begin', by: operator, taskId, agentId: bot.id, ifQueued: true });
    await expect(late).rejects.toMatchObject({ code: 'already_claimed' });
    expect(await bare.store.rows('tasks', 'where id = ?', [taskId])).toMatchObject([{ state: 'active', lease: 1 }]);
  });
});
