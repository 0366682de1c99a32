// The real hub refuses what an agent made with the SDK says, and ends its task.

import { onBothEngines, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import { connectAgent } from '../../src/agent/index.ts';
import type { AgentTask } from '../../src/agent/index.ts';
import { until } from '../support.ts';

onBothEngines('notices to an agent', (engine) => {
  test('[C2A-18] neither a refusal nor an end resumes or calls its handler', async () => {
    const kit = await startTestHub(engine, { agents: [] });
    const ann = await kit.person('ann');
    const orac = await kit.agent('ORAC', ann);
    const { id: room } = await ann.call('createChannel', { body: { name: 'notices' } });
    await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: orac.id } });
    const heard: (string | null)[] = [];
    const tasks: AgentTask[] = [];
    const agent = connectAgent({
      url: kit.url,
      token: orac.token,
      onTask: async (task) => {
        tasks.push(task);
        await task.say('^ALL look at this');
        heard.push((await task.next()).kind, (await task.next('flagged')).cause);
        await task.next();
      },
    });
    const last = async () => (await ann.call('listMessages', { params: { conversationId: room }, query: {} })).messages.at(-1)!;
    try {
      await until(() => agent.state.status === 'live', 'live');
      await ann.post(room, '^ORAC go');
      await expect.poll(async () => (await last()).body).toBe('^ALL look at this');
      const replyTo = (await last()).id;
      await ann.call('postMessage', { params: { conversationId: room }, body: { body: 'and now?', replyTo } });
      await until(() => heard.length === 2, 'the follow-up');
      await ann.call('stopTask', { params: { taskId: tasks[0]!.id } });
      await until(() => tasks[0]!.signal.aborted, 'the end');
      // A task that comes after both shows that nothing else was begun.
      await ann.post(room, '^ORAC again');
      await until(() => tasks.length > 1, 'the next task');
      expect([heard, tasks.length]).toEqual([['follow_up', 'one_responder'], 2]);
    } finally {
      agent.close();
      await kit.stop();
    }
  });
});
