// What the agents' socket promises, seen from the wire: deliveries, leases, and the floor's rules at this door, too.

import { closeCodes, type Task } from '@parley/protocol';
import { onBothEngines, type Person, hubFor, makeOnce } from '@parley/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';

onBothEngines('the agents’ socket', (engine) => {
  let orac: Person;
  let room: string;
  let wires: Wire[];
  let rooms = 0;

  const kit = hubFor(engine, { agents: [] });
  const ann = makeOnce(() => kit.person('ann'));
  // A room and an agent of its own for each test: nothing of one is delivered in another.
  beforeEach(async () => {
    wires = [];
    rooms++;
    orac = await kit.agent(`ORAC${rooms}`, ann);
    room = await roomWith(`room-${rooms}`, orac);
  });
  afterEach(async () => {
    for (const wire of wires) if (wire.closeCode === undefined) await wire.close();
  });

  async function roomWith(name: string, ...agents: Person[]): Promise<string> {
    const { id } = await ann.call('createChannel', { body: { name } });
    for (const { id: memberId } of agents) await ann.call('addToConversation', { params: { conversationId: id }, body: { memberId } });
    return id;
  }
  const hello = async (agent: Person): Promise<Wire> => {
    const wire = await Wire.hello(agent);
    wires.push(wire);
    return wire;
  };
  const ask = (text: string, agent = orac) => ann.post(room, `^${agent.handle} ${text}`);
  const said = async (conversationId = room) =>
    (await ann.call('listMessages', { params: { conversationId }, query: {} })).messages.filter(({ task }) => task).map(({ body }) => body);
  const taskOf = async (id: string): Promise<Task> => ann.call('getTask', { params: { taskId: id } });
  /** The agent is here and has been given a task. */
  async function atWork(text = 'please') {
    const wire = await hello(orac);
    await ask(text);
    const { cursor, event } = await wire.event('task');
    return { wire, cursor, event, at: { taskId: event.task.id, lease: event.lease! } };
  }

  describe('delivery', () => {
    test('[PAP-2] it learns who it is, then what it is asked, with the task and the lease', async () => {
      const wire = new Wire(orac);
      wires.push(wire);
      await wire.opened();
      expect(await wire.call('initialize', { client: 'test' })).toMatchObject({
        me: { id: orac.id, kind: 'agent' },
        cursor: 0,
        protocol: 'parley-agent/1',
      });
      const asked = await ask('what is up?');
      const { event } = await wire.event('task');
      expect(event).toMatchObject({
        conversation: { id: room, kind: 'channel' },
        author: { id: ann.id, kind: 'human', handle: 'ann' },
        addressedToMe: true,
        policy: 'must_respond',
        reason: 'mention',
        messageId: asked.id,
        content: `^${orac.handle} what is up?`,
        recipients: [orac.handle],
        words: [{ kind: 'request', messageId: asked.id }],
        task: { state: 'active', agentId: orac.id, requesterId: ann.id },
        lease: 1,
      });
    });

    test('[PAP-17] [SYS-4] [C2A-30] what is acknowledged does not come again; what is not does, the same, and in order', async () => {
      const first = await atWork();
      const progress = await first.wire.call('say', { ...first.at, kind: 'progress', body: 'at it' });
      await first.wire.call('ack', { cursor: first.cursor });
      const more = await ann.call('postMessage', {
        params: { conversationId: room },
        body: { body: 'this, too', replyTo: first.event.messageId! },
      });
      await ann.post(room, 'said to nobody');
      await ann.call('postMessage', { params: { conversationId: room }, body: { body: 'rather that', replyTo: progress.id } });
      const told = await first.wire.event('follow_up', ({ content }) => content === 'rather that');
      await first.wire.cut();
      const second = await hello(orac);
      const again = await second.event('task', ({ lease }) => lease === 2);
      expect(again.event.words.map(({ content }) => content).slice(1)).toEqual(['at it', 'rather that']);
      expect(second.events.find(({ cursor }) => cursor === told.cursor)?.event.eventId).toBe(told.event.eventId);
      const cursors = second.events.map(({ cursor }) => cursor);
      expect(cursors).toEqual(cursors.toSorted((x, y) => x - y));
      expect(Math.min(...cursors)).toBeGreaterThan(first.cursor);
      expect(second.events.filter(({ event }) => event.kind === 'task')).toHaveLength(1);
      expect(second.events.map(({ event }) => event.messageId)).not.toContain(more.id);
    });

    test('[PAP-17] asked while it is away, it gets everything when it comes, in order, one at a time', async () => {
      for (const text of ['one', 'two', 'three']) await ask(text);
      const { tasks } = await ann.call('listTasks', { query: { conversationId: room } });
      expect(tasks.map(({ state, agentOnline }) => [state, agentOnline])).toEqual(Array.from({ length: 3 }, () => ['queued', false]));
      const wire = await hello(orac);
      for (const text of ['one', 'two', 'three']) {
        const { event, cursor } = await wire.event('task', ({ content }) => content!.endsWith(text));
        await wire.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: `done ${text}` });
        await wire.call('ack', { cursor });
      }
      expect(await said()).toEqual(['done one', 'done two', 'done three']);
      expect(wire.events.map(({ event }) => event.task.id)).toEqual(tasks.map(({ id }) => id));
    });

    test('[PAP-17] [SYS-4] [C2A-30] while its past is told new turns begin: it is answered first, then told each thing once, in order', async () => {
      const halls = await Promise.all([1, 2, 3].map((n) => roomWith(`hall-${rooms}-${n}`, orac)));
      for (const hall of halls) await ann.post(hall, `^${orac.handle} go`);
      for (let lease = 1; lease <= 6; lease++) {
        const wire = await hello(orac);
        for (const hall of halls) await wire.event('task', (event) => event.conversation.id === hall && event.lease === lease);
        expect(wire.frames[0]).toMatchObject({ id: 1 });
        const cursors = wire.events.map(({ cursor }) => cursor);
        expect(cursors).toEqual([...new Set(cursors)].toSorted((a, b) => a - b));
        await wire.close();
      }
    });

    test('[SYS-4] [C2A-30] over many broken lines each request is answered once, none is lost', async () => {
      for (let n = 0; n < 8; n++) {
        const wire = await hello(orac);
        await ask(`request ${n}`);
        if (n % 2 === 0) await wire.cut();
        const live = n % 2 === 0 ? await hello(orac) : wire;
        const { event, cursor } = await live.event('task', ({ content }) => content!.endsWith(`request ${n}`));
        await live.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: `answer ${n}` });
        if (n % 3 === 0) await live.call('ack', { cursor });
        await live.cut();
      }
      expect(await said()).toEqual(Array.from({ length: 8 }, (_, n) => `answer ${n}`));
    });

    test('[SYS-12] [C2A-30] the hub restarts in the middle: a new lease, the words so far, and a repeat is answered, not shown', async () => {
      const { wire, at } = await atWork();
      const send = { ...at, kind: 'progress' as const, body: 'half way', key: 'k:1' };
      const first = await wire.call('say', send);
      await kit.restart();
      expect(await wire.closed()).toBe(closeCodes.goingAway);
      const after = await hello(orac);
      const { event } = await after.event('task');
      expect(event.lease).toBe(2);
      expect(event.words.map(({ kind, content }) => [kind, content])).toEqual([
        ['request', `^${orac.handle} please`],
        ['progress', 'half way'],
      ]);
      expect(await after.call('say', send)).toMatchObject({ id: first.id });
      expect(await after.refusal('say', { ...send, body: 'other words' })).toBe('key_reused');
      expect(await after.refusal('say', { ...at, kind: 'answer', body: 'late' })).toBe('stale_lease');
      await after.call('say', { ...at, lease: 2, kind: 'answer', body: 'done' });
      expect(await said()).toEqual(['half way', 'done']);
    });
  });

  describe('the course of a task', () => {
    test('[PAP-4] claimed by many sockets at once, it has one winner', async () => {
      const agents = await Promise.all(Array.from({ length: 6 }, (_, n) => kit.agent(`RACE${rooms}-${n}`, ann)));
      const race = await roomWith(`race-${rooms}`, ...agents);
      const lines = await Promise.all(agents.map(hello));
      for (let round = 0; round < 5; round++) {
        const asked = await ann.post(race, `^ANY round ${round}`);
        const offers = await Promise.all(lines.map((line) => line.event('offer', ({ messageId }) => messageId === asked.id)));
        const taskId = offers[0]!.event.task.id;
        const answers = await Promise.all(lines.map((line) => line.ask('claim', { taskId })));
        expect(answers.map(({ error }) => error?.data?.code ?? 'won').toSorted()).toEqual([
          ...Array.from({ length: 5 }, () => 'already_claimed'),
          'won',
        ]);
        const winner = lines[answers.findIndex(({ error }) => !error)]!;
        const { event } = await winner.event('task', ({ task }) => task.id === taskId);
        await winner.call('say', { taskId, lease: event.lease!, kind: 'answer', body: `${round}` });
      }
      expect(await said(race)).toEqual(['0', '1', '2', '3', '4']);
    });

    test('[PAP-7] it asks its requester, waits, and goes on with the answer', async () => {
      const { wire, at } = await atWork();
      const question = await wire.call('say', { ...at, kind: 'question', body: 'Which one?' });
      expect((await taskOf(at.taskId)).state).toBe('waiting');
      expect(await wire.refusal('say', { ...at, kind: 'progress', body: 'meanwhile' })).toBe('task_not_active');
      await ann.call('postMessage', { params: { conversationId: room }, body: { body: 'the red one', replyTo: question.id } });
      const { event } = await wire.event('task', ({ lease }) => lease === 2);
      expect(event.words.map(({ kind, content }) => [kind, content]).slice(1)).toEqual([
        ['question', 'Which one?'],
        ['follow_up', 'the red one'],
      ]);
      await wire.call('say', { ...at, lease: 2, kind: 'answer', body: 'red it is' });
      expect(await taskOf(at.taskId)).toMatchObject({ state: 'completed', cause: 'answered' });
    });

    test('[PAP-10] a sub-task it waits for comes back as a result, before its turn begins again', async () => {
      const stef = await kit.agent(`STEF${rooms}`, ann);
      await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: stef.id } });
      const other = await hello(stef);
      const { wire, at } = await atWork();
      await wire.call('say', { ...at, kind: 'progress', body: `^${stef.handle} who is here?` });
      const given = (await other.event('task')).event;
      expect(await wire.call('pause', at)).toMatchObject({ state: 'awaiting_delegation' });
      await other.call('say', { taskId: given.task.id, lease: given.lease!, kind: 'answer', body: 'You and me.' });
      const anew = await wire.event('task', ({ lease }) => lease === 2);
      const result = await wire.event('result');
      expect(result.event).toMatchObject({
        content: 'You and me.',
        author: { handle: stef.handle },
        cause: 'completed',
        task: { id: at.taskId },
      });
      expect(result.cursor).toBeLessThan(anew.cursor);
    });

    test('[PAP-7] [PAP-10] a sub-task’s question comes as a result with its words; a mention answers it', async () => {
      const stef = await kit.agent(`STEF${rooms}`, ann);
      await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: stef.id } });
      const other = await hello(stef);
      const { wire, at } = await atWork();
      await wire.call('say', { ...at, kind: 'progress', body: `^${stef.handle} paint it` });
      const given = (await other.event('task')).event;
      await other.call('say', { taskId: given.task.id, lease: given.lease!, kind: 'question', body: 'Which colour?' });
      expect((await wire.event('result')).event).toMatchObject({ content: 'Which colour?', cause: 'waiting', author: { id: stef.id } });
      await wire.call('say', { ...at, kind: 'progress', body: `^${stef.handle} red` });
      const { event } = await other.event('task', ({ lease }) => lease === 2);
      expect(event.task.id).toBe(given.task.id);
      expect(event.words.at(-1)).toMatchObject({ kind: 'follow_up', content: `^${stef.handle} red` });
    });

    test.each(['declined', 'blocked'] as const)('[PAP-14] it says that it cannot: %s', async (outcome) => {
      const { wire, at } = await atWork();
      expect(await wire.call('decline', { ...at, outcome, reason: 'I have no hands.' })).toMatchObject({
        state: 'declined',
        cause: outcome,
      });
      expect(await said()).toEqual(['I have no hands.']);
      expect(await wire.refusal('say', { ...at, kind: 'answer', body: 'or have I?' })).toBe('task_over');
    });

    test('[PAP-15] stopped, it is told at once and has lost the floor', async () => {
      const { wire, at } = await atWork();
      await ann.call('stopTask', { params: { taskId: at.taskId } });
      expect((await wire.event('ended')).event).toMatchObject({
        cause: 'stopped',
        policy: 'must_not_respond',
        mode: 'immediate',
        lease: null,
        task: { state: 'cancelled' },
      });
      expect(await wire.refusal('say', { ...at, kind: 'answer', body: 'but' })).toBe('task_over');
      expect(await said()).toEqual([]);
    });
  });

  describe('refusals', () => {
    test('[SYS-11] to an agent outside, a task that it cannot see and one that is not there are the same', async () => {
      const { at } = await atWork();
      const outside = await hello(await kit.agent(`OUTSIDE${rooms}`, ann));
      const ways: [string, object][] = [
        ['say', { kind: 'answer', body: 'x' }],
        ['draft', { text: 'x' }],
        ['decline', { reason: 'no' }],
        ['claim', {}],
        ['pause', {}],
        ['pull', {}],
        ['read.history', {}],
      ];
      const answer = async (method: string, params: object, taskId: string) => {
        const lease = ['claim', 'pull', 'read.history'].includes(method) ? {} : { lease: at.lease };
        const { error } = await outside.ask(method, { ...params, ...lease, taskId });
        return [error?.code, error?.data?.code, error?.message];
      };
      for (const [method, params] of ways)
        expect([method, await answer(method, params, at.taskId)]).toEqual([method, await answer(method, params, `tsk_${'0'.repeat(26)}`)]);
    });

    test('[PAP-1] [PAP-16] every way but the right one has its own reason; nothing is shown, each is a fact', async () => {
      const { wire, at } = await atWork();
      const rival = await kit.agent(`RIVAL${rooms}`, ann);
      await ann.call('addToConversation', { params: { conversationId: room }, body: { memberId: rival.id } });
      const elsewhere = await roomWith(`elsewhere-${rooms}`, orac);
      const other = await hello(rival);
      const words = { kind: 'answer' as const, body: 'let me in' };
      const nobodys = 'tsk_00000000000000000000000000';
      const refusals = [
        await wire.refusal('say', { ...at, ...words, taskId: nobodys }),
        await other.refusal('say', { ...at, ...words }),
        await wire.refusal('say', { ...at, ...words, conversationId: elsewhere }),
        await wire.refusal('say', { ...at, ...words, lease: at.lease + 1 }),
        await wire.refusal('decline', { ...at, taskId: nobodys, reason: 'no' }),
        await other.refusal('decline', { ...at, reason: 'no' }),
      ];
      expect(refusals).toEqual([
        'agent_without_task',
        'task_of_another',
        'task_elsewhere',
        'stale_lease',
        'agent_without_task',
        'task_of_another',
      ]);
      expect([await other.refusal('claim', { taskId: at.taskId }), await other.refusal('pause', at)]).toEqual([
        'task_of_another',
        'task_of_another',
      ]);
      expect(await other.refusal('read.history', { taskId: at.taskId })).toBe('task_of_another');
      expect(await other.refusal('draft', { ...at, text: 'x' })).toBe('task_of_another');
      await wire.call('say', { ...at, ...words, body: 'the answer' });
      expect(await wire.refusal('say', { ...at, ...words })).toBe('task_over');
      expect(await wire.refusal('read.history', { taskId: at.taskId })).toBe('task_over');
      expect([await said(), await said(elsewhere)]).toEqual([['the answer'], []]);
      const facts = await kit.hub.kernel.store.rows('facts', "where type = 'post.refused' and member_id in (?, ?) order by seq", [
        orac.id,
        rival.id,
      ]);
      expect(facts.map(({ data }) => (JSON.parse(data) as { reason: string }).reason)).toEqual([...refusals, 'task_over']);
      expect(JSON.stringify(facts)).not.toContain('let me in');
    });

    test('[SYS-9] taken out of a room while it was away, it is told that its task ended, and not a word of what was said', async () => {
      await ask('the secret is marmalade');
      const away = { conversationId: room, memberId: orac.id };
      await ann.call('removeFromConversation', { params: away });
      const wire = await hello(orac);
      const { event } = await wire.event('ended');
      expect(event).toMatchObject({ cause: 'agent_left', content: null });
      expect(JSON.stringify(wire.frames)).not.toContain('marmalade');
    });

    test('[SYS-12] an older connection is replaced, and what it was given is void', async () => {
      const { wire, at } = await atWork();
      const later = await hello(orac);
      expect(await wire.closed()).toBe(closeCodes.replaced);
      const { event } = await later.event('task');
      expect(event.lease).toBe(at.lease + 1);
      expect(await later.refusal('say', { ...at, kind: 'answer', body: 'from before' })).toBe('stale_lease');
      await later.call('say', { ...at, lease: event.lease!, kind: 'answer', body: 'from now' });
      expect(await said()).toEqual(['from now']);
    });

    test('[SYS-10] while everything is stopped nobody speaks, claims or begins; released, the same lease goes on', async () => {
      const { wire, at } = await atWork();
      await kit.owner.call('halt', {});
      expect(await wire.frame(({ method }) => method === 'halt')).toMatchObject({ params: { halted: true } });
      expect(await wire.refusal('say', { ...at, kind: 'answer', body: 'x' })).toBe('halted');
      expect(await wire.refusal('decline', { ...at, reason: 'x' })).toBe('halted');
      expect(await wire.refusal('draft', { ...at, text: 'x' })).toBe('halted');
      await kit.owner.call('release', {});
      await wire.frame(({ method, params }) => method === 'halt' && params?.halted === false);
      await wire.call('say', { ...at, kind: 'answer', body: 'at last' });
      expect(await said()).toEqual(['at last']);
    });

    test('[PAP-16] a person’s token and no token do not open it; a revoked one is hung up on', async () => {
      expect(await new Wire(ann).closed()).toBe(403);
      expect(await new Wire({ url: kit.url, token: 'pa_nobody' }).closed()).toBe(401);
      const { wire, at } = await atWork();
      const [token] = await kit.hub.kernel.store.rows('tokens', 'where member_id = ? and revoked_at is null', [orac.id]);
      await kit.operator.call('revokeToken', { params: { tokenId: token!.id } });
      expect(await wire.closed()).toBe(closeCodes.unauthenticated);
      expect(await new Wire(orac).closed()).toBe(401);
      await expect.poll(() => taskOf(at.taskId)).toMatchObject({ state: 'queued', agentOnline: false });
    });

    test('[PAP-16] an agent that is deactivated is hung up on', async () => {
      const { wire } = await atWork();
      await kit.operator.call('deactivateMember', { params: { memberId: orac.id } });
      expect(await wire.closed()).toBe(closeCodes.unauthenticated);
    });
  });
});
