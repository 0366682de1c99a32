// ModelCall to leave, an agent drops the work of whoever asked, and finishes the work of others in threads.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { agentFor, floorFor, floorOn } from '../../kit/floor.ts';
import { wantBy } from '../../../src/store/port.ts';
import { leavingOn } from '../../kit/leave-requests.ts';

onBothEngines('work of others, where an agent was asked to leave', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const a = agentFor(floor, 'A');
  let n = 0;
  beforeEach(() => void n++);
  const room = () => floor.channel(`others-${n}`, bob, a);
  const ask = (who: Person, conversationId: string, agent: Person) =>
    who.call('askToLeave', { params: { conversationId }, body: { memberId: agent.id } });
  const { left, of, bare, code } = leavingOn(floor);

  test('[PAP-15] [C2A-16] a request to leave ends only what its author could stop; the rest is finished in a thread', async () => {
    const here = await room();
    const request = await ann.post(here, `^${a.handle} prepare the report`);
    await bob.post(here, `^${a.handle} and the slides`);
    await floor.pass();
    await bob.post(here, `^${a.handle} please be quiet and leave`);
    await floor.pass();
    const state = async () => (await of(here, a)).map((task) => [task.requesterId, task.state, task.cause]);
    expect(await state()).toEqual([
      [ann.id, 'active', null],
      [bob.id, 'cancelled', 'asked_to_leave'],
    ]);
    const task = (await of(here, a))[0]!;
    const thread = (await ann.call('openThread', { params: { messageId: request.id } })).id;
    expect(task.conversationId).toBe(thread);
    await floor.kit.restart();
    await floor.connect(a);
    await floor.pass();
    const mine = (await of(here, a))[0]!;
    // Not a word in the room, and one in the thread for each that it has to say.
    expect(await code(floor.say(a, { ...mine, conversationId: here }, 'progress', 'half of it'))).toBe('asked_to_leave');
    expect(await code(floor.say(a, mine, 'question', 'In colour?'))).toBe('said');
    await ann.post(thread, 'yes, in colour');
    await floor.pass();
    expect(await code(floor.say(a, (await of(here, a))[0]!, 'answer', 'Here it is.'))).toBe('said');
    expect(await state()).toEqual([
      [ann.id, 'completed', 'answered'],
      [bob.id, 'cancelled', 'asked_to_leave'],
    ]);
    expect((await floor.bodies(here)).filter(([who]) => who === a.handle)).toEqual([]);
    expect(await left(here)).toEqual([a.id]);
    // Words there wake it no more, now that nothing is open.
    await ann.post(thread, 'and a cover?');
    await floor.pass();
    expect(await of(here, a)).toHaveLength(2);
  });

  test('[PAP-15] [C2A-16] a second person who asks the agent to leave ends their own requests; there is still one goodbye', async () => {
    const here = await room();
    const guest = await floor.kit.person(`second${n}${engine}`, 'guest');
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: guest.id } });
    for (const who of [ann, bob]) await who.post(here, `^${a.handle} prepare it`);
    await floor.pass();
    await guest.post(here, `/leave ^${a.handle}`);
    await floor.pass();
    expect((await of(here, a)).map(({ state }) => state)).toEqual(['active', 'active']);
    expect(await bare(a, here, 'Goodbye')).toBe('said');
    await bob.post(here, `^${a.handle} leave, please`);
    expect((await of(here, a)).map(({ state }) => state)).toEqual(['active', 'cancelled']);
    expect(await bare(a, here, 'Goodbye')).toBe('asked_to_leave');
    // A moderator, and its owner.
    await ask(ann, here, a);
    expect((await of(here, a)).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  });

  test('[PAP-15] later words of the requester in the room are not for the agent; those in the thread are', async () => {
    const here = await room();
    const request = await ann.post(here, `^${a.handle} prepare it`);
    await floor.pass(60_000);
    await ann.post(here, 'a word to everybody');
    await ask(bob, here, a);
    await ann.post(here, 'another word to everybody');
    const thread = (await ann.call('openThread', { params: { messageId: request.id } })).id;
    await ann.post(thread, 'in colour, please');
    const [task] = await of(here, a);
    const words = await floor.kit.hub.kernel.store.rows('task_words', 'where task_id = ?', [task!.id]);
    const said = await ann.call('listMessages', { params: { conversationId: thread }, query: {} });
    expect(words.map(({ message_id }) => message_id)).toEqual([said.messages.at(-1)!.id]);
    // Nor does the writer remember it as work in the room.
    const wants = [wantBy('tasks', 'here', here, ann.id, 1)];
    const { transaction, loaded } = await floor.kit.hub.kernel.store.begin([], wants);
    await transaction.rollback();
    expect(loaded.found).toEqual([[]]);
  });

  test('[PAP-15] in a thread it finishes in that thread; what it had claimed for others stays with it', async () => {
    const here = await room();
    const root = await ann.post(here, 'a matter');
    const { id: thread } = await ann.call('openThread', { params: { messageId: root.id } });
    await ann.post(thread, `^${a.handle} look into it`);
    await ann.post(here, '^ANY take this');
    await floor.pass();
    const any = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'any_agent')!;
    await a.call('startTask', { params: { taskId: any.id } });
    await ask(bob, thread, a);
    await ask(bob, here, a);
    const tasks = await of(here, a);
    expect(tasks.map(({ state }) => state)).toEqual(['active', 'active']);
    expect(tasks[0]!.conversationId).toBe(thread);
    expect([here, thread].includes(tasks[1]!.conversationId)).toBe(false);
    for (const task of tasks) expect(await code(floor.say(a, task, 'answer', 'Done.'))).toBe('said');
  });

  test('[C2A-16] on its socket the agent learns which work it finishes, and where', async () => {
    const here = await room();
    const c = await floor.agent(`D${n}`, { online: false });
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
    const line = await Wire.hello(c);
    await ann.post(here, `^${c.handle} prepare it`);
    await floor.pass();
    const { event } = await line.event('task');
    await bob.post(here, `^${c.handle} please leave`);
    const { finishing } = await line.leave();
    expect(finishing).toEqual([{ taskId: event.task.id, conversationId: (await of(here, c))[0]!.conversationId }]);
    // Without a place it is said where the task is now.
    const said = await line.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'Done.' });
    expect(said.conversationId).toBe(finishing[0]!.conversationId);
    await line.close();
  });
});

onBothEngines('work of others, inside the hub', (engine) => {
  test('[C2A-16] [PAP-15] a built-in agent says one goodbye there, and its answer in the thread of who did not send it away', async () => {
    const floor = await floorOn(engine, { agents: undefined as never }, { PARLEY_COMPOSE_MS: '600' });
    try {
      const { ann, bob, kit } = floor;
      const here = await kit.general();
      const request = await ann.post(here, '^ORAC who is here?');
      await bob.post(here, '^ORAC please be quiet and leave');
      await floor.pass(5000);
      const orac = (await ann.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!;
      const by = async (conversationId: string) =>
        (await ann.call('listMessages', { params: { conversationId }, query: {} })).messages.filter(({ authorId }) => authorId === orac.id);
      expect((await by(here)).map(({ body }) => body)).toEqual(['All right, I am leaving. Call me by name and I am back.']);
      const thread = (await ann.call('openThread', { params: { messageId: request.id } })).id;
      expect((await by(thread)).map(({ task }) => task?.kind)).toEqual(['answer']);
    } finally {
      await floor.kit.stop();
    }
  });
});
