// Neither a pure acknowledgement nor a notice of the platform wakes an agent, at any door (C2A-18).

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { contactsFor } from '../../kit/contacts.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { freshAgents } from '../../kit/floor.ts';

onBothEngines('what is no stimulus', (engine) => {
  const { on, floor } = contactsFor(engine);
  const [a, b, c] = freshAgents(floor, 'A', 'B', 'C');
  let n = 0;
  beforeEach(() => void n++);
  const tasksOf = async (agent: Person) => floor.kit.hub.kernel.store.rows('tasks', 'where agent_id = ?', [agent.id]);

  test.each(['ask', 'delegate'])(
    '[C2A-18] contact: an acknowledgement by %s wakes nobody, and the caller gets the remedy',
    async (action) => {
      await on.at(a);
      const counted = await on.count('messages');
      for (const message of ['thanks', 'Got it 👍', 'ok, thank you!']) {
        const { text, status } = await on.contact(a, b, { action, message });
        expect([status, text]).toEqual(['refused', "Error: There is nothing to answer in this. Use 'notify' if B" + n + ' is to know it.']);
      }
      expect([await tasksOf(b), await on.count('messages')]).toEqual([[], counted]);
      // With something to know, or as a note, it is none.
      expect((await on.contact(a, b, { action: 'notify', message: 'thanks' })).text).toBe(`Notification sent to ${b.handle}.`);
      expect(await tasksOf(b)).toEqual([]);
      expect((await on.contact(a, b, { action: 'delegate', message: 'ok, now count them' })).status).toBe('delegated');
    },
  );

  test('[C2A-18] contact: what answers a question is taken, be it "ok"', async () => {
    await on.at(a);
    await on.contact(a, b, { action: 'delegate', message: 'paint it' });
    await floor.pass();
    await on.say(b, 'question', 'In blue?');
    // It is told of the question in a turn of its own.
    const { id: taskId, lease } = (await tasksOf(a))[0]!;
    await floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by: { operator: true }, agentId: a.id, taskId, lease });
    await floor.pass();
    const { status } = await on.contact(a, b, { action: 'delegate', message: 'ok' });
    expect(status).not.toBe('refused');
  });

  test('[C2A-18] results and failures that the platform posts wake nobody but the task they are for, whatever they name', async () => {
    for (const open of [false, true]) {
      const here = await floor.channel(`said-${n}-${String(open)}`, a, b, c);
      if (open) await floor.ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
      await floor.ann.post(here, `^${a.handle} get it`);
      await floor.pass();
      const line = await Wire.hello(c);
      for (const end of ['answer', 'decline'] as const) {
        await on.contact(a, b, { action: 'delegate', message: `count them, ${end}` });
        await floor.pass();
        const words = `^${c.handle} please check this, and ^ALL too. What do you think?`;
        if (end === 'answer') await on.say(b, 'answer', words);
        else await on.decline(b, words);
        await floor.pass(60_000);
      }
      expect(await tasksOf(c)).toEqual([]);
      expect(line.events).toEqual([]);
      expect((await floor.kit.hub.kernel.store.rows('offers', 'where agent_id = ?', [c.id])).length).toBe(0);
      await line.close();
      await floor.kit.hub.kernel.engine.submit({ type: 'task.stop', by: { operator: true }, taskId: (await tasksOf(a)).at(-1)!.id });
    }
  });

  test('[C2A-18] [C2A-2] on the socket an end or a refusal is marked as nothing to answer, and an answer to it is refused', async () => {
    const here = await floor.channel(`told-${n}`, a);
    await floor.disconnect(a);
    const line = await Wire.hello(a);
    await floor.ann.post(here, `^${a.handle} do it`);
    await floor.pass();
    const { event } = await line.event('task');
    const held = { taskId: event.task.id, lease: event.lease! };
    await line.call('say', { ...held, kind: 'progress', body: '^NOBODY.AT.ALL look at this' });
    await line.call('say', { ...held, kind: 'progress', body: `^${a.handle} look at this` });
    await floor.ann.call('stopTask', { params: { taskId: event.task.id } });
    const ended = await line.event('ended');
    const notices = line.events.map((one) => one.event).filter(({ kind }) => kind === 'flagged' || kind === 'ended');
    expect(notices.map(({ policy }) => policy)).toEqual(notices.map(() => 'must_not_respond'));
    expect(ended.event).toMatchObject({ lease: null, content: null, cause: 'stopped' });
    expect(await line.refusal('say', { ...held, kind: 'answer', body: 'But I had it.' })).toBe('task_over');
    expect((await floor.bodies(here)).at(-1)![1]).not.toBe('But I had it.');
    await line.close();
  });

  test('[C2A-18] in a room, a DM, a thread and on an open floor an acknowledgement wakes nobody', async () => {
    const here = await floor.channel(`acks-${n}`, a, b);
    const { id: dm } = await floor.ann.call('openDm', { body: { memberIds: [a.id] } });
    await floor.ann.post(here, `^${a.handle} hello`);
    await floor.pass();
    const [task] = await floor.tasks(here);
    const said = (await floor.say(a, task!, 'answer', 'hello')).body as { id: string };
    const { id: thread } = await floor.ann.call('openThread', { params: { messageId: said.id } });
    await floor.ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
    const before = await on.count('tasks');
    for (const where of [here, dm, thread])
      for (const text of ['thanks', 'Got it 👍', `^${a.handle} thanks!`, '^ALL nice', '^ANY ok']) await floor.ann.post(where, text);
    await floor.pass(60_000);
    expect(await on.count('tasks')).toBe(before);
    expect(await floor.kit.hub.kernel.store.rows('offers', 'where agent_id in (?, ?)', [a.id, b.id])).toEqual([]);
  });
});
