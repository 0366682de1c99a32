// The first thing a newcomer does: ask, and be answered; say something to nobody, and not be.

import { onBothEngines, hubFor } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';

onBothEngines('the first question', (engine) => {
  let general: string;
  const kit = hubFor(engine);
  beforeAll(async () => {
    general = await kit.general();
  });

  const history = async () => (await kit.owner.call('listMessages', { params: { conversationId: general }, query: {} })).messages;
  const agent = async (handle: string) => (await kit.owner.call('listAgents', {})).agents.find((one) => one.handle === handle)!;

  test('[PAP-2] ^ORAC makes one task, and it is answered once', async () => {
    const asked = await kit.owner.post(general, '^ORAC what’s going on?');
    await kit.hub.kernel.scheduler.settled();
    const { tasks } = await kit.owner.call('listTasks', { query: { state: 'all' } });
    const orac = await agent('ORAC');
    expect(tasks).toMatchObject([{ agentId: orac.id, messageId: asked.id, state: 'completed', cause: 'answered' }]);
    const answers = (await history()).filter((message) => message.authorId === orac.id);
    expect(answers).toMatchObject([{ task: { id: tasks[0]!.id, kind: 'answer' } }]);
    expect(tasks[0]!.answerId).toBe(answers[0]!.id);
  });

  test.each(['what is new?', 'what’s new?', 'what is happening?'])('[PAP-2] ^ORAC %s is answered', async (text) => {
    const asked = await kit.owner.post(general, `^ORAC ${text}`);
    await kit.hub.kernel.scheduler.settled();
    const { tasks } = await kit.owner.call('listTasks', { query: { state: 'all' } });
    expect(tasks.find(({ messageId }) => messageId === asked.id)?.state).toBe('completed');
  });

  test('[PAP-6] a message that addresses nobody makes no task, and says why', async () => {
    const before = (await kit.owner.call('listTasks', { query: { state: 'all' } })).tasks.length;
    const said = await kit.owner.post(general, 'I wonder what ORAC would say');
    await kit.hub.kernel.scheduler.settled();
    expect((await kit.owner.call('listTasks', { query: { state: 'all' } })).tasks).toHaveLength(before);
    const why = await kit.owner.call('explainMessage', { params: { messageId: said.id }, query: {} });
    expect(why.agents.map(({ handle, policy, reason }) => [handle, policy, reason])).toEqual([
      ['ORAC', 'must_not_respond', 'ambient'],
      ['STEF', 'must_not_respond', 'ambient'],
    ]);
  });

  test('[PAP-2] ^ORAC find says when each hit was said', async () => {
    await kit.owner.post(general, 'The zeppelin lands at noon');
    await kit.hub.kernel.indexer.settled();
    await kit.owner.post(general, '^ORAC find zeppelin');
    await kit.hub.kernel.scheduler.settled();
    expect((await history()).at(-1)?.body).toMatch(/^1 place where it was said:\n> [^,]+, \d+ \w+ \d{4}, [\d:]+ UTC: The zeppelin/);
  });

  test('[PAP-10] asked to ask itself, it names another agent that is here, and none where there is none', async () => {
    const stef = await agent('STEF');
    await kit.owner.post(general, '^STEF ask STEF who is here');
    await kit.hub.kernel.scheduler.settled();
    expect((await history()).at(-1)?.body).toContain('- ask another agent for you (`ask ORAC who is here`)');
    const dm = await kit.owner.call('openDm', { body: { memberIds: [stef.id] } });
    for (const text of ['ask STEF who is here', 'hello']) {
      await kit.owner.post(dm.id, text);
      await kit.hub.kernel.scheduler.settled();
      const { messages } = await kit.owner.call('listMessages', { params: { conversationId: dm.id }, query: {} });
      expect(messages.at(-1)).toMatchObject({ authorId: stef.id, body: expect.not.stringMatching(/ask [A-Z]+ /) as string });
    }
  });

  test('[PAP-10] asked to ask another, it gives the work on and reports', async () => {
    await kit.owner.post(general, '^ORAC ask STEF who is here');
    await kit.hub.kernel.scheduler.settled();
    const { tasks } = await kit.owner.call('listTasks', { query: { state: 'all' } });
    const [orac, stef] = [await agent('ORAC'), await agent('STEF')];
    expect(tasks.slice(-2)).toMatchObject([
      { agentId: orac.id, depth: 0, state: 'completed', parentId: null },
      { agentId: stef.id, depth: 1, state: 'completed', parentId: tasks.at(-2)!.id, requesterId: orac.id },
    ]);
    const said = (await history()).slice(-3);
    expect(said.map(({ authorId, task }) => [authorId, task?.kind])).toEqual([
      [orac.id, 'progress'],
      [stef.id, 'answer'],
      [orac.id, 'answer'],
    ]);
  });
});
