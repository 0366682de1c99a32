// What reaches an agent, whatever it was told of: one policy, one mode, one shape; and what never does.

import { type AgentEvent, Mode, Policy } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { agentFor, floorFor } from '../../kit/floor.ts';

onBothEngines('delivery', (engine) => {
  const { floor, ann } = floorFor(engine);
  const a = agentFor(floor, 'A', { online: false });
  const b = agentFor(floor, 'B');
  let n = 0;
  beforeEach(() => void n++);
  const room = () => floor.channel(`delivery-${n}`, floor.bob, a, b);
  const reasonFor = async (messageId: string, agent: Person) => {
    const { agents } = await ann.call('explainMessage', { params: { messageId }, query: {} });
    const found = agents.find(({ agentId }) => agentId === agent.id)!;
    return [found.policy, found.mode, found.reason];
  };

  test('[C2A-1] [C2A-3] [C2A-24] every event has one policy, one mode and the whole shape, whatever it tells', async () => {
    const here = await room();
    await floor.kit.owner.call('addRole', { body: { handle: `watch${n}`, holderIds: [a.id] } });
    const wire = await Wire.hello(a);
    const answer = (event: AgentEvent, kind: 'progress' | 'question' | 'answer' = 'answer') =>
      wire.call('say', { taskId: event.task.id, lease: event.lease!, kind, body: `${kind} to ${event.eventId}` });

    const dm = await ann.call('openDm', { body: { memberIds: [a.id] } });
    await ann.post(dm.id, 'what is up?');
    await answer((await wire.event('task', ({ reason }) => reason === 'dm')).event);

    const asked = await ann.post(here, `^${a.handle} what is up?`);
    const { event } = await wire.event('task', ({ reason }) => reason === 'mention');
    const said = await answer(event, 'progress');
    await ann.call('addReaction', { params: { messageId: said.id, emoji: '👍' } });
    await wire.event('signal');
    const thread = await ann.call('openThread', { params: { messageId: asked.id } });
    await ann.post(thread.id, 'and the disk?');
    const { cursor } = await wire.event('follow_up');
    await wire.call('ack', { cursor });
    await answer(event);
    await ann.call('editMessage', { params: { messageId: asked.id }, body: { body: `^${a.handle} what is down?` } });
    await answer((await wire.event('edit')).event);

    await ann.post(here, `^watch${n} look`);
    await wire.event('offer', ({ mode }) => mode === 'notify');
    await ann.post(here, '^ANY look');
    await wire.event('offer', ({ mode }) => mode === 'buffered');
    const last = await ann.post(here, `^${a.handle} stay`);
    await wire.event('task', ({ messageId }) => messageId === last.id);
    await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
    await wire.event('ended');
    await wire.leave();

    const seen = wire.events.map(({ event: one }) => one);
    for (const one of seen) {
      expect(Object.keys(one)).toEqual(
        expect.arrayContaining(['eventId', 'conversation', 'author', 'addressedToMe', 'policy', 'content', 'mode', 'reason', 'recipients']),
      );
      expect(one).toMatchObject({ createdAt: expect.any(Number), conversation: { id: expect.any(String) } });
      expect('chain' in one && Policy.options.includes(one.policy) && Mode.options.includes(one.mode)).toBe(true);
    }
    const verdicts = new Map(seen.map((one) => [`${one.kind} ${one.reason}`, `${one.policy} ${one.mode}`]));
    expect(Object.fromEntries(verdicts)).toEqual({
      'task dm': 'must_respond buffered',
      'task mention': 'must_respond buffered',
      'signal signal': 'may_respond buffered',
      'follow_up follow_up': 'must_respond buffered',
      'edit edit': 'may_respond buffered',
      'offer role': 'must_respond notify',
      'offer any_agent': 'must_respond buffered',
      'ended mention': 'must_not_respond immediate',
      'leave asked_to_leave': 'may_respond immediate',
    });
    expect(new Set(seen.map(({ eventId }) => eventId)).size).toBe(seen.length);
    await wire.close();
  });

  test('[C2A-10] [C2A-11] a DM and a mention by name must be answered, whatever they say, and nobody else must', async () => {
    const here = await room();
    const dm = await ann.call('openDm', { body: { memberIds: [b.id] } });
    const direct = await ann.post(dm.id, 'deploy finished in 3 min.');
    const named = await ann.post(here, `build 42 passed ^${b.handle.toLowerCase()}`);
    await floor.pass();
    expect(await reasonFor(direct.id, b)).toEqual(['must_respond', 'buffered', 'dm']);
    expect(await reasonFor(named.id, b)).toEqual(['must_respond', 'buffered', 'mention']);
    expect(await reasonFor(named.id, a)).toEqual(['must_not_respond', 'tool_mailbox', 'addressed_to_others']);
    expect((await floor.tasks(here)).map(({ agentId, state }) => [agentId, state])).toEqual([[b.id, 'active']]);
  });

  test('[C2A-17] an agent is never woken by its own words; another of the same owner is another', async () => {
    const here = await room();
    await floor.connect(a);
    await ann.post(here, `^${b.handle} look`);
    await floor.pass();
    const [task] = await floor.tasks(here);
    const said = (await floor.say(b, task!, 'progress', `^${b.handle} and ^${a.handle}: what does the log say?`)).body as { id: string };
    expect(await reasonFor(said.id, b)).toEqual(['must_not_respond', 'silent', 'own_message']);
    expect((await floor.tasks(here)).filter(({ parentId }) => parentId === task!.id).map(({ agentId }) => agentId)).toEqual([a.id]);
    const again = (await floor.say(b, task!, 'progress', 'this is what I meant', { replyTo: said.id })).body as { id: string };
    expect(await reasonFor(again.id, b)).toEqual(['must_not_respond', 'silent', 'own_message']);
  });

  test('[C2A-18] pure thanks wake nobody: not a person’s, not another agent’s', async () => {
    const here = await room();
    await floor.connect(a);
    await ann.post(here, `^${b.handle} look`);
    await floor.pass();
    const [task] = await floor.tasks(here);
    const thanks = (await floor.say(b, task!, 'progress', `^${a.handle} thanks!`)).body as { id: string };
    expect(await reasonFor(thanks.id, a)).toEqual(['must_not_respond', 'tool_mailbox', 'filler']);
    const nice = await ann.post(here, `^${a.handle} nice 👍`);
    expect(await reasonFor(nice.id, a)).toEqual(['must_not_respond', 'tool_mailbox', 'filler']);
    const dm = await ann.call('openDm', { body: { memberIds: [a.id] } });
    await ann.post(dm.id, 'got it');
    expect([...(await floor.tasks(here)), ...(await floor.tasks(dm.id))].map(({ agentId }) => agentId)).toEqual([b.id]);
  });
});
