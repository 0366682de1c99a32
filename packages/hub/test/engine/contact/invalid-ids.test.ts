// Ids as a model makes them up: what cannot be one is told in words, whatever the database makes of it.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { floorFor } from '../../kit/floor.ts';
import { atWork } from '../../kit/tools.ts';

const odd = ['a\u0000b', '', '\ud800', 'x'.repeat(200), "'; drop table tasks; --"];

onBothEngines('what is no id', (engine) => {
  const { floor } = floorFor(engine);

  test('[IAC-1] an agent that cannot be there is unknown', async () => {
    const { line, task } = await atWork(floor);
    const call = { taskId: task.id, lease: task.lease, action: 'ask', message: 'who are you?' };
    for (const agentId of odd) {
      const { text, status } = await line.call('contact', { ...call, agentId });
      expect(text).toContain('Error: No agent with id');
      expect(status).toBe('refused');
    }
    await line.close();
  });

  test('[IAC-1] parameters that a call over the socket leaves out are reported in words, as a tool reports them', async () => {
    const { line, task, call } = await atWork(floor);
    const { id: agentId } = await floor.agent('THERE');
    const whole = { action: 'ask', agentId, message: 'who are you?' };
    for (const [left, text] of [
      ['action', "Error: Unknown action ''. Use one of: ask, delegate, notify."],
      ['agentId', 'Error: No agent with id \'\'. Use query_workspace(action: "list_agents") to find agents.'],
      ['message', "Error: 'message' is missing. Say what you want to ask, delegate or tell."],
    ] as const) {
      const { [left]: _, ...rest } = whole;
      expect(await line.call('contact', { taskId: task.id, lease: task.lease, ...rest })).toEqual({ text, status: 'refused' });
      expect((await call('contact_agent', rest)).text).toBe(text);
    }
    await line.close();
  });

  test.each([
    ['react', (id: string) => ({ messageId: id, signal: 'seen' })],
    ['claim', (id: string) => ({ taskId: id })],
    ['send_channel_message', (id: string) => ({ channelId: id, content: 'hello' })],
    ['read_thread', (id: string) => ({ messageId: id })],
    ['read_mailbox', (id: string) => ({ conversationId: id })],
    ['search_messages', (id: string) => ({ q: id })],
    ['query_workspace', (id: string) => ({ action: 'list_members', channelId: id })],
  ])('[IAC-1] %s says what is wrong', async (name, input) => {
    const { line, call } = await atWork(floor);
    for (const id of odd) {
      const { text, isError } = await call(name, input(id));
      if (isError) expect(text).toMatch(/^Error: /);
    }
    await line.close();
  });
});
