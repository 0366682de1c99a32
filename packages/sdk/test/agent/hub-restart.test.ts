// The real hub is restarted while an agent made with the SDK is at work.

import { onBothEngines, startTestHub } from '@parley/testkit';
import { expect, test } from 'vitest';
import { connectAgent } from '../../src/agent/index.ts';
import { until } from '../support.ts';

onBothEngines('an agent at work', (engine) => {
  test('[SYS-12] [PAP-9] an agent goes on under its lease when the hub is back, and gets the words that were posted before it reconnected', async () => {
    const kit = await startTestHub(engine, { agents: [] });
    const ann = await kit.person('ann');
    const orac = await kit.agent('ORAC', ann);
    const { id: room } = await ann.call('createChannel', { body: { name: 'room' } });
    await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: orac.id } });
    const go = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    let runs = 0;
    const agent = connectAgent({
      url: kit.url,
      token: orac.token,
      onError: (error) => void errors.push(error),
      onTask: async (task) => {
        runs++;
        await task.say('On it.');
        await go.promise;
        return `Done, ${(await task.next('follow_up')).text}.`;
      },
    });
    const said = async () => (await ann.call('listMessages', { params: { conversationId: room }, query: {} })).messages;
    const last = async () => (await said()).at(-1)!.body;
    try {
      await until(() => agent.state.status === 'live', 'live');
      await ann.post(room, '^ORAC go');
      await expect.poll(last).toBe('On it.');
      await kit.restart();
      const replyTo = (await said()).at(-1)!.id;
      await ann.call('postMessage', { params: { conversationId: room }, body: { body: 'and hurry', replyTo } });
      go.resolve();
      await expect.poll(last).toBe('Done, and hurry.');
      const { store } = kit.hub.kernel;
      const given = await store.rows('facts', "where type in ('task.begin', 'task.yield', 'task.complete') order by seq");
      expect([runs, given.map(({ type }) => type), errors]).toEqual([1, ['task.begin', 'task.complete'], []]);
    } finally {
      agent.close();
      await kit.stop();
    }
  });
});
