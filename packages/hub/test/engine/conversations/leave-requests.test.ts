// ModelCall to leave, an agent says goodbye once and is quiet until its name is called.

import { longestGoodbye } from '@parley/core';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor, floorOn, freshAgents } from '../../kit/floor.ts';
import { leavingOn } from '../../kit/leave-requests.ts';

onBothEngines('leaving', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const [a, b] = freshAgents(floor, 'A', 'B');
  let n = 0;
  beforeEach(() => void n++);
  const room = () => floor.channel(`leaving-${n}`, bob, a, b);
  const ask = (who: Person, conversationId: string, agent: Person) =>
    who.ask('askToLeave', { params: { conversationId }, body: { memberId: agent.id } });
  const send = async (conversationId: string, agent: Person) =>
    ann.call('askToLeave', { params: { conversationId }, body: { memberId: agent.id } });
  const { left, of, bare, code } = leavingOn(floor);
  const refusals = async (agent: Person) =>
    (await floor.kit.hub.kernel.store.rows('facts', "where type = 'post.refused' and member_id = ? order by seq", [agent.id])).map(
      ({ data }) => (JSON.parse(data) as { reason: string }).reason,
    );

  describe('the ways of asking', () => {
    test('[C2A-16] by the button: the agent’s work there ends, the requester gets a notice, and the agent’s words are refused with a reason of their own', async () => {
      const here = await room();
      await bob.post(here, `^${a.handle} prepare it`);
      await floor.pass();
      const [task] = await of(here, a);
      expect((await send(here, a)).memberId).toBe(a.id);
      expect((await of(here, a)).map(({ state, cause }) => [state, cause])).toEqual([['cancelled', 'asked_to_leave']]);
      expect((await floor.notices(bob)).at(-1)).toMatchObject({ kind: 'task_stopped', taskId: task!.id, reason: 'asked_to_leave' });
      for (const kind of ['progress', 'question', 'answer'] as const)
        expect(await code(floor.say(a, task!, kind, 'but'))).toBe('asked_to_leave');
      const decline = await a.ask('declineTask', { params: { taskId: task!.id }, body: { reason: 'no' } });
      expect(decline.body.error?.code).toBe('asked_to_leave');
      expect(await refusals(a)).toEqual(Array.from({ length: 4 }, () => 'asked_to_leave'));
      expect((await floor.bodies(here)).map(([who]) => who)).toEqual(['bob']);
    });

    test('[C2A-16] the member who asked the agent to leave needs no notice of the tasks they ended', async () => {
      const here = await room();
      await ann.post(here, `^${a.handle} prepare it`);
      const before = (await floor.notices(ann)).length;
      await send(here, a);
      expect(await floor.notices(ann)).toHaveLength(before);
    });

    test.each(['^A please leave this channel', '/leave ^A', '@A leave us alone please'])(
      '[C2A-16] by a message, %j: it makes no task, and says why',
      async (text) => {
        const here = await room();
        const said = await ann.post(here, text.replace('A', a.handle));
        await floor.pass();
        expect([await left(here), await floor.tasks(here)]).toEqual([[a.id], []]);
        const why = await ann.call('explainMessage', { params: { messageId: said.id }, query: {} });
        expect(why.agents.find(({ agentId }) => agentId === a.id)).toMatchObject({ policy: 'must_not_respond', reason: 'asked_to_leave' });
      },
    );

    test('[C2A-16] in the preview it is foretold, and nothing happens', async () => {
      const here = await room();
      const body = { body: `^${a.handle} please leave` };
      const foretold = await ann.call('previewMessage', { params: { conversationId: here }, body });
      expect(foretold.agents.find(({ agentId }) => agentId === a.id)?.reason).toBe('asked_to_leave');
      expect(await left(here)).toEqual([]);
    });

    test('[C2A-16] one of two is asked to leave, the other to work', async () => {
      const here = await room();
      await ann.post(here, `^${b.handle} go on. ^${a.handle} leave this channel`);
      await floor.pass();
      expect([await left(here), (await floor.tasks(here)).map(({ agentId }) => agentId)]).toEqual([[a.id], [b.id]]);
    });

    test('[C2A-16] a request with the word in it is a request; an agent cannot send another away', async () => {
      const here = await room();
      await ann.post(here, `^${a.handle} leave a note for bob`);
      await floor.pass();
      const [task] = await of(here, a);
      expect([await left(here), task?.state]).toEqual([[], 'active']);
      await floor.say(a, task!, 'progress', `^${b.handle} leave this channel`);
      expect([await left(here), (await of(here, b)).length]).toEqual([[], 1]);
    });

    test('[C2A-16] people in the conversation may ask an agent to leave, guests too; agents and outsiders may not', async () => {
      const here = await room();
      const guest = await floor.kit.person(`guest${n}${engine}`, 'guest');
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: guest.id } });
      const stranger = await floor.kit.person(`stranger${n}${engine}`);
      expect((await ask(stranger, here, a)).body.error?.reason).toBe('conversation.dismiss:not_related');
      expect((await ask(b, here, a)).body.error?.reason).toBe('route:agents_may_not');
      expect((await ask(ann, here, bob)).body.error?.problems).toMatchObject([{ field: 'memberId' }]);
      expect((await ask(guest, here, a)).status).toBe(200);
      // ModelCall twice, it has left once.
      expect((await ask(bob, here, a)).body.askedBy).toBe(guest.id);
      expect(await left(here)).toEqual([a.id]);
    });

    test('[C2A-16] a DM of several can be left, one of two cannot', async () => {
      const several = await ann.call('openDm', { body: { memberIds: [bob.id, a.id] } });
      await ann.post(several.id, `^${a.handle} please leave`);
      await ann.post(several.id, 'what do you think?');
      expect([await left(several.id), await floor.tasks(several.id)]).toEqual([[a.id], []]);
      const pair = await ann.call('openDm', { body: { memberIds: [a.id] } });
      expect((await ask(ann, pair.id, a)).body.error?.problems).toMatchObject([{ field: 'conversationId' }]);
      await ann.post(pair.id, `^${a.handle} please leave`);
      expect((await floor.tasks(pair.id)).length).toBe(1);
    });
  });

  describe('the goodbye', () => {
    test('[C2A-16] [PAP-1] one word without a task, once, brief, and nowhere else', async () => {
      const here = await room();
      expect(await bare(a, here, 'hello')).toBe('agent_without_task');
      await send(here, a);
      expect(await bare(b, here, 'hello')).toBe('agent_without_task');
      expect(await bare(a, here, 'x'.repeat(longestGoodbye + 1))).toBe('invalid_request');
      expect(await bare(a, here, `Goodbye ^${b.handle}!`)).toBe('said');
      expect(await bare(a, here, 'And another thing')).toBe('asked_to_leave');
      expect(await floor.bodies(here)).toEqual([[a.handle, `Goodbye ^${b.handle}!`]]);
      expect(await floor.tasks(here)).toEqual([]);
    });

    test('[C2A-16] too late is too late, and a restart gives no second one', async () => {
      const here = await room();
      await send(here, a);
      await floor.pass(61_000);
      expect(await bare(a, here, 'Goodbye')).toBe('asked_to_leave');
      await send(here, b);
      expect(await bare(b, here, 'Goodbye')).toBe('said');
      await floor.kit.restart();
      expect([await left(here), await bare(b, here, 'Still here')]).toEqual([[a.id, b.id], 'asked_to_leave']);
    });

    test('[C2A-16] in a thread it says it there; the rest of the channel is still its place', async () => {
      const here = await room();
      const root = await ann.post(here, 'a matter');
      const { id: thread } = await ann.call('openThread', { params: { messageId: root.id } });
      await ann.post(thread, `^${a.handle} please leave this thread`);
      expect(await bare(a, here, 'Goodbye')).toBe('agent_without_task');
      expect(await bare(a, thread, 'Goodbye')).toBe('said');
      await ann.post(thread, '^ALL report');
      await ann.post(here, '^ALL report');
      await floor.pass();
      expect((await of(here, a)).map(({ conversationId }) => conversationId)).toEqual([here]);
    });

    test('[C2A-16] a leave request for a channel covers its threads', async () => {
      const here = await room();
      const root = await ann.post(here, 'a matter');
      const { id: thread } = await ann.call('openThread', { params: { messageId: root.id } });
      await send(here, a);
      expect(await bare(a, thread, 'Goodbye')).toBe('asked_to_leave');
      await ann.post(thread, '^ALL report');
      expect(await of(here, a)).toEqual([]);
    });

    test('[C2A-16] on its socket the agent gets the leave request, and says goodbye in its own words', async () => {
      const here = await room();
      const c = await floor.agent(`C${n}`, { online: false });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
      const line = await Wire.hello(c);
      await bob.post(here, `^${c.handle} leave this channel, please`);
      const leave = await line.leave();
      expect(leave).toMatchObject({
        conversation: { id: here },
        author: { handle: 'bob' },
        content: null,
        reason: 'asked_to_leave',
        task: null,
      });
      const key = leave.eventId;
      const said = await line.call('goodbye', { conversationId: here, body: 'Goodbye', key });
      expect((await line.call('goodbye', { conversationId: here, body: 'Goodbye', key })).id).toBe(said.id);
      expect(await line.refusal('goodbye', { conversationId: here, body: 'Goodbye again' })).toBe('asked_to_leave');
      await line.close();
    });
  });

  describe('until it is called by name', () => {
    test('[C2A-16] neither ^ALL nor ^ANY nor a reply brings it back; its name does, and it gets the task', async () => {
      const here = await room();
      await ann.post(here, `^${a.handle} hello`);
      await floor.pass();
      const answer = await floor.say(a, (await of(here, a))[0]!, 'answer', 'hello');
      await send(here, a);
      await ann.post(here, '^ALL report');
      await ann.post(here, '^ANY report');
      await ann.call('postMessage', { params: { conversationId: here }, body: { body: 'and then?', replyTo: answer.body.id } });
      await floor.pass();
      expect(await of(here, a)).toHaveLength(1);
      const any = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'any_agent')!;
      expect((await a.ask('startTask', { params: { taskId: any.id } })).body.error?.code).toBe('not_offered');
      await floor.kit.restart();
      await floor.connect(a);
      expect(await left(here)).toEqual([a.id]);
      await bob.post(here, `^${a.handle} come back and help`);
      await floor.pass();
      expect(await left(here)).toEqual([]);
      expect(await code(floor.say(a, (await of(here, a)).at(-1)!, 'answer', 'here I am'))).toBe('said');
    });

    test('[C2A-16] thanks do not bring it back, nor does being sent away twice', async () => {
      const here = await room();
      await send(here, a);
      await ann.post(here, `^${a.handle} thanks`);
      await ann.post(here, `^${a.handle} please leave`);
      expect([await left(here), await of(here, a)]).toEqual([[a.id], []]);
    });

    test('[C2A-16] where all have left, ^ALL says that nobody is here; what anyone may take waits', async () => {
      const here = await room();
      for (const agent of [a, b]) await send(here, agent);
      const said = await ann.post(here, '^ALL report');
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'no_agents', messageId: said.id });
      await ann.post(here, '^ANY report');
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['queued']);
      await ann.call('callBack', { params: { conversationId: here, memberId: b.id } });
      expect([await left(here), (await floor.tasks(here)).map(({ state }) => state)]).toEqual([[a.id], ['offered']]);
    });

    test('[C2A-16] an offer is withdrawn when the last agent that could take it leaves', async () => {
      const here = await room();
      await ann.post(here, '^ANY report');
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['offered']);
      for (const agent of [a, b]) await send(here, agent);
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['queued']);
    });

    test('[C2A-16] another agent’s call by name brings it back, too; so does being given the work', async () => {
      const here = await room();
      await send(here, b);
      await ann.post(here, `^${a.handle} prepare it`);
      await floor.pass();
      const [task] = await of(here, a);
      await floor.say(a, task!, 'progress', `^${b.handle} look at this`);
      expect([await left(here), (await of(here, b)).length]).toEqual([[], 1]);
      await send(here, b);
      const redirect = { params: { taskId: task!.id }, body: { instruction: 'take over', agentId: b.id } };
      await ann.call('redirectTask', redirect);
      expect(await left(here)).toEqual([]);
    });

    test('[C2A-16] taken out and brought in again, it begins again', async () => {
      const here = await room();
      await send(here, a);
      await ann.call('removeFromConversation', { params: { conversationId: here, memberId: a.id } });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: a.id } });
      expect(await left(here)).toEqual([]);
    });
  });
});

onBothEngines('leaving, inside the hub', (engine) => {
  test('[C2A-16] a built-in agent says its brief goodbye at once, one time, and spends no turn on it', async () => {
    const floor = await floorOn(engine, { agents: undefined as never });
    try {
      const { ann, kit } = floor;
      const here = await kit.general();
      await ann.post(here, '^ORAC please leave this channel');
      await floor.pass();
      await ann.post(here, '^ORAC leave');
      await kit.restart();
      await floor.pass();
      const orac = (await ann.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!;
      const said = (await ann.call('listMessages', { params: { conversationId: here }, query: {} })).messages;
      expect(said.filter(({ authorId }) => authorId === orac.id).map(({ body, task }) => [body, task])).toEqual([
        ['All right, I am leaving. Call me by name and I am back.', null],
      ]);
      expect([await floor.tasks(here), await kit.hub.kernel.store.rows('turns', '')]).toEqual([[], []]);
      await ann.post(here, '^ORAC who is here?');
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['completed']);
    } finally {
      await floor.kit.stop();
    }
  });
});
