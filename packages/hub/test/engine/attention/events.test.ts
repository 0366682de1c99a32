// Every kind of event an agent is told, in one shape; and of every message one policy and one mode, as the table says.

import { AgentEvent, Delivery, DigestEvent, LeaveEvent, Mode, Policy } from '@parley/protocol';
import { makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor } from '../../kit/floor.ts';

const minute = 60_000;
/** `approval` is told where a person answers: test/approvals. */
const kinds = [
  ...AgentEvent.shape.kind.options.filter((kind) => kind !== 'approval'),
  LeaveEvent.shape.kind.value,
  DigestEvent.shape.kind.value,
];

onBothEngines('events', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const a = makeOnce(() => floor.agent('A', { online: false }));
  const b = makeOnce(() => floor.agent('B', { online: false }));
  let here: string;
  beforeAll(async () => {
    here = await floor.channel('events', bob, a, b);
  });

  const reply = (replyTo: string, body: string) => ann.call('postMessage', { params: { conversationId: here }, body: { body, replyTo } });
  const edit = (messageId: string, version: number, body: string) =>
    ann.call('editMessage', { params: { messageId }, body: { body, version } });

  /** One of each: told to A on its socket. */
  async function everyKind(): Promise<Wire> {
    const [wire, other] = [await Wire.hello(a), await Wire.hello(b)];
    const told = async (line: Wire, messageId: string) => {
      const { event } = await line.event('task', (one) => one.messageId === messageId);
      return { taskId: event.task.id, lease: event.lease! };
    };
    await ann.call('setDigest', { params: { conversationId: here, memberId: a.id }, body: { everyMs: 5 * minute } });
    await bob.post(here, 'about nothing');
    // Work, more of it, a mark on what it says, and a correction.
    const request = await ann.post(here, '^A go');
    const at = await told(wire, request.id);
    const progress = await wire.call('say', { ...at, kind: 'progress', body: 'on it' });
    await ann.call('addReaction', { params: { messageId: progress.id, emoji: '👀' } });
    await reply(progress.id, 'and this');
    await wire.event('follow_up');
    await edit(request.id, 1, '^A go there instead');
    await wire.event('correction');
    // Given on, and what came of it.
    await wire.call('say', { ...at, kind: 'progress', body: '^B help me' });
    const given = await other.event('task');
    await other.call('say', { taskId: given.event.task.id, lease: given.event.lease!, kind: 'answer', body: 'here you are' });
    const { cursor } = await wire.event('result');
    await wire.call('ack', { cursor });
    const again = await wire.call('read.tasks', {});
    const [open] = again.tasks;
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [open!.id]);
    await wire.call('say', { taskId: open!.id, lease: row!.lease, kind: 'answer', body: 'done, thanks to ^B' });
    await wire.event('flagged');
    await edit(request.id, 2, '^A and now somewhere else entirely, please');
    const { event: edited } = await wire.event('edit');
    await wire.call('decline', { taskId: edited.task.id, lease: edited.lease!, outcome: 'declined', reason: 'no' });
    // Anyone’s; stopped; waited for; asked to leave; and in sum.
    await ann.post(here, '^ANY who wants it?');
    await wire.event('offer');
    const stopped = await told(wire, (await ann.post(here, '^A stop at once')).id);
    await ann.call('stopTask', { params: { taskId: stopped.taskId } });
    await wire.event('ended');
    await ann.call('postMessage', {
      params: { conversationId: here },
      body: { body: '^A which?', obligation: { blocks: 'halted', defaultAction: 'wait', intervalMs: minute } },
    });
    await floor.pass(2 * minute);
    await wire.event('obligation');
    await floor.pass(4 * minute);
    await wire.digests(1);
    await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
    await wire.leave();
    await other.close();
    return wire;
  }

  test('[C2A-24] [C2A-1] [C2A-3] [C2A-5] every kind has the shape of the seed and the rest, with one policy and one mode', async () => {
    const wire = await everyKind();
    expect(new Set(wire.events.map(({ event }) => event.kind as string))).toEqual(new Set(kinds));
    // C2A-5: what is owed comes back as a knock, with who, where and a topic of the platform's own.
    expect(wire.events.find(({ event }) => event.kind === 'obligation')!.event).toMatchObject({
      mode: 'notify',
      content: null,
      topic: 'someone is waiting for your answer in a channel',
      author: { handle: 'ann' },
    });
    for (const delivery of wire.events) {
      const { event } = Delivery.parse(delivery);
      expect(Object.keys(event)).toEqual(
        expect.arrayContaining(['eventId', 'kind', 'conversation', 'author', 'addressedToMe', 'policy', 'content']),
      );
      expect(Object.keys(event)).toEqual(expect.arrayContaining(['mode', 'reason', 'recipients', 'createdAt', 'chain']));
      expect(event).toMatchObject({
        eventId: expect.stringMatching(/^[^:]+:\d+$/),
        conversation: { id: here, kind: 'channel' },
        addressedToMe: expect.any(Boolean),
        reason: expect.stringMatching(/^[a-z_]+$/),
        createdAt: expect.any(Number),
      });
      expect([Policy.options, Mode.options]).toEqual([expect.arrayContaining([event.policy]), expect.arrayContaining([event.mode])]);
      if (event.author) expect(Object.keys(event.author)).toEqual(expect.arrayContaining(['id', 'kind', 'displayName']));
      // What is in no chain says so.
      if (event.task === null) expect(event.chain).toBeNull();
      else expect(event.chain).toMatchObject({ id: event.task.chainId, depth: expect.any(Number), path: expect.any(Array) });
    }
    await wire.close();
  });

  test('[C2A-3] [C2A-1] [C2A-10] [C2A-11] [C2A-12] of every message one policy and one mode, as the table says', async () => {
    const decided = async (messageId: string, agent: Person) => {
      const { recorded } = await ann.call('explainMessage', { params: { messageId }, query: {} });
      const all = recorded!.agents.filter(({ agentId }) => agentId === agent.id);
      expect(all).toHaveLength(1);
      return [all[0]!.policy, all[0]!.mode, all[0]!.reason];
    };
    const matt = floor.kit.owner;
    const c = await floor.agent('C', { online: false });
    const room = await floor.channel('table', bob, matt, b, c);
    await floor.kit.owner.call('addRole', { body: { handle: 'oncall', about: '', holderIds: [c.id] } });
    const dm = await ann.call('openDm', { body: { memberIds: [c.id] } });
    expect(await decided((await ann.post(dm.id, 'are you there?')).id, c)).toEqual(['must_respond', 'buffered', 'dm']);
    const mention = await ann.post(room, '^C what is up?');
    expect(await decided(mention.id, c)).toEqual(['must_respond', 'buffered', 'mention']);
    expect(await decided(mention.id, b)).toEqual(['must_not_respond', 'tool_mailbox', 'addressed_to_others']);
    expect(await decided((await ann.post(room, '^oncall it burns')).id, c)).toEqual(['must_respond', 'notify', 'role']);
    expect(await decided((await ann.post(room, 'soup today')).id, c)).toEqual(['must_not_respond', 'tool_mailbox', 'ambient']);
    expect(await decided((await ann.post(room, 'build 4711 passed in 3 min')).id, c)).toEqual(['must_not_respond', 'digest', 'status']);
    const thread = await ann.call('openThread', { params: { messageId: mention.id } });
    expect(await decided((await bob.post(thread.id, 'which of the two is it?')).id, c)).toEqual(['must_respond', 'buffered', 'question']);
    await ann.call('editConversation', { params: { conversationId: room }, body: { floor: 'open' } });
    expect(await decided((await matt.post(thread.id, 'I would rather have soup')).id, c)).toEqual(['may_respond', 'notify', 'thread']);
    expect(await decided((await bob.post(room, 'I would rather have soup')).id, c)).toEqual(['may_respond', 'tool_mailbox', 'ambient']);
    await floor.connect(c);
    await floor.pass();
    const task = (await floor.tasks(room)).find(({ agentId, messageId }) => agentId === c.id && messageId === mention.id)!;
    const own = await floor.say(c, task, 'answer', 'all is well');
    expect(await decided((own.body as { id: string }).id, c)).toEqual(['must_not_respond', 'silent', 'own_message']);
  });
});
