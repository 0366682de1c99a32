// Signals: an agent's, that spare a turn and a sentence; and anyone's, on what an agent said.

import type { Task } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor, freshAgents } from '../../kit/floor.ts';

onBothEngines('signals', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const [a, b] = freshAgents(floor, 'A', 'B');
  let n = 0;
  beforeEach(() => void n++);
  const room = () => floor.channel(`signals-${n}`, bob, a, b);
  const leaseOf = async (taskId: string) => (await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [taskId]))[0]!.lease;
  type Signal = 'seen' | 'agree' | 'working' | 'queued' | 'claimed' | 'done' | 'declined' | 'blocked' | 'unclear';
  const signal = (who: Person, messageId: string, kind: Signal, lease?: number) =>
    who.ask('sendSignal', { params: { messageId }, body: { signal: kind, ...(lease === undefined ? {} : { lease }) } });
  const react = (who: Person, messageId: string, emoji: string) => who.ask('addReaction', { params: { messageId, emoji } });
  const asked = async (here: string, text: string, who = ann): Promise<Task> => {
    await who.post(here, text);
    await floor.pass();
    return (await floor.tasks(here)).at(-1)!;
  };
  const now = async (task: Task) => ann.call('getTask', { params: { taskId: task.id } });
  const marks = async (messageId: string) =>
    (await ann.call('getMessage', { params: { messageId } })).reactions.map(({ emoji, memberIds, signal: means }) => [
      emoji,
      means,
      memberIds.length,
    ]);
  /** What an agent was told of reactions, as facts. */
  const told = async (task: Task) =>
    (await floor.kit.hub.kernel.store.rows('facts', "where subject_id = ? and type = 'task.signal' order by seq", [task.id])).map(
      ({ data }) => JSON.parse(data) as { signal: string; meaning: string },
    );
  const turns = async (task: Task) => ({
    chain: (await ann.call('getChain', { params: { chainId: task.chainId } })).turns,
    rows: (await floor.kit.hub.kernel.store.rows('turns', 'where task_id = ?', [task.id])).length,
    purse: (
      await floor.kit.hub.kernel.store.rows('purses', 'where id like ? and id not like ?', [`agent:${task.agentId}:%`, 'agent:%:%:%'])
    ).map((row) => row.turns),
  });

  describe('which signals travel', () => {
    test('[C2A-21] a glyph in any colour is its signal, on the wire and in the stream; a smile is none', async () => {
      const here = await room();
      const said = await ann.post(here, 'shipped');
      await react(bob, said.id, '👍🏽');
      await react(bob, said.id, '🎉');
      await signal(bob, said.id, 'seen');
      expect(new Map((await marks(said.id)).map(([emoji, means]) => [emoji, means]))).toEqual(
        new Map([
          ['🎉', null],
          ['👀', 'seen'],
          ['👍🏽', 'agree'],
        ]),
      );
    });

    test('[C2A-21] an agent means one thing at a time: the new signal replaces the old', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      for (const kind of ['seen', 'queued', 'working'] as const) expect((await signal(a, task.messageId, kind)).status).toBe(200);
      expect(await marks(task.messageId)).toEqual([['🔧', 'working', 1]]);
    });

    test('[C2A-21] [SYS-9] an agent reacts to messages that it received, and to nothing else; a signal that comes back shows no words', async () => {
      const here = await room();
      const ambient = await ann.post(here, 'the secret is 4711');
      expect((await signal(a, ambient.id, 'seen')).body.error?.reason).toBe('message.react:not_delivered');
      expect((await react(a, ambient.id, '🎉')).body.error?.reason).toBe('message.react:not_delivered');
      const task = await asked(here, `^${a.handle} prepare it`);
      expect((await signal(b, task.messageId, 'agree')).body.error?.reason).toBe('message.react:not_delivered');
      // At work there, it may mark what is said there.
      expect((await signal(a, ambient.id, 'seen')).body.body).toBeNull();
      const own = await floor.say(a, task, 'progress', 'on the way');
      expect((await signal(a, own.body.id, 'agree')).body.error?.reason).toBe('message.react:own_message');
    });

    test('[C2A-16] [C2A-21] after leaving it marks nothing either', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
      expect((await signal(a, task.messageId, 'done', await leaseOf(task.id))).body.error?.code).toBe('asked_to_leave');
    });
  });

  describe('an agent’s, on what it was asked', () => {
    test.each([
      ['agree', 'completed', 'signalled'],
      ['done', 'completed', 'signalled'],
      ['declined', 'declined', 'declined'],
    ] as const)('[C2A-22] [C2A-13] %s ends it (%s) without a turn and without a word', async (kind, state, cause) => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      expect((await signal(a, task.messageId, kind, await leaseOf(task.id))).status).toBe(200);
      expect(await now(task)).toMatchObject({ state, cause, answerId: null });
      expect(await turns(task)).toEqual({ chain: 0, rows: 0, purse: [0] });
      expect(await floor.bodies(here)).toHaveLength(1);
      expect((await floor.say(a, task, 'answer', 'late')).body.error?.code).toBe('task_over');
    });

    test('[C2A-22] a turn in which something was said is a turn', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      await floor.say(a, task, 'progress', 'on the way');
      await signal(a, task.messageId, 'done', await leaseOf(task.id));
      expect([(await now(task)).state, await turns(task)]).toEqual(['completed', { chain: 1, rows: 1, purse: [1] }]);
    });

    test('[C2A-22] before its turn has begun, too: a queued task is marked as done', async () => {
      const here = await room();
      await asked(here, `^${a.handle} the first`);
      const second = await asked(here, `^${a.handle} the second`);
      expect(second.state).toBe('queued');
      expect((await signal(a, second.messageId, 'done')).status).toBe(200);
      expect([(await now(second)).state, await turns(second)]).toMatchObject(['completed', { chain: 0, rows: 0 }]);
    });

    test.each(['blocked', 'unclear'] as const)(
      '[C2A-22] %s is reported, the task waits, and the next word goes on with it',
      async (kind) => {
        const here = await room();
        const task = await asked(here, `^${a.handle} prepare it`);
        await signal(a, task.messageId, kind, await leaseOf(task.id));
        expect([(await now(task)).state, await turns(task)]).toMatchObject(['waiting', { chain: 0, rows: 0 }]);
        expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'agent_signalled', taskId: task.id, agentId: a.id, reason: kind });
        await floor.kit.restart();
        for (const agent of [a, b]) await floor.connect(agent);
        await ann.post(here, 'the blue one');
        await floor.pass();
        expect((await now(task)).state).toBe('active');
      },
    );

    test('[C2A-22] seen, working, queued and claimed leave it open', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      for (const kind of ['seen', 'working', 'queued', 'claimed'] as const) await signal(a, task.messageId, kind);
      expect((await now(task)).state).toBe('active');
      expect((await floor.say(a, task, 'answer', 'there')).status).toBe(200);
    });

    test('[C2A-22] only who holds the lease, not while everything is stopped; a refusal leaves no mark', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      const lease = await leaseOf(task.id);
      expect((await signal(a, task.messageId, 'done')).body.error?.code).toBe('stale_lease');
      expect((await signal(a, task.messageId, 'done', lease - 1)).body.error?.code).toBe('stale_lease');
      expect((await react(a, task.messageId, '✅')).body.error?.code).toBe('stale_lease');
      await ann.call('halt', {});
      expect((await signal(a, task.messageId, 'done', lease)).body.error?.code).toBe('halted');
      await floor.kit.owner.call('release', {});
      expect([await marks(task.messageId), (await now(task)).state]).toEqual([[], 'active']);
    });

    test('[C2A-22] one agent’s mark ends its own task, not another’s', async () => {
      const here = await room();
      await ann.post(here, `^${a.handle} ^${b.handle} report`);
      await floor.pass();
      const [first, second] = await floor.tasks(here);
      await signal(a, first!.messageId, 'done', await leaseOf(first!.id));
      expect([(await now(first!)).state, (await now(second!)).state]).toEqual(['completed', 'active']);
    });

    test('[C2A-22] [PAP-4] claimed on what anyone may take has it, once', async () => {
      const here = await room();
      const task = await asked(here, '^ANY help');
      expect((await signal(a, task.messageId, 'claimed')).status).toBe(200);
      await floor.pass();
      expect(await now(task)).toMatchObject({ agentId: a.id, state: 'active' });
      expect((await signal(b, task.messageId, 'claimed')).body.error?.reason).toBe('message.react:not_delivered');
    });

    test('[C2A-22] a sub-task ended by a mark goes on with the one above', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} prepare it`);
      await floor.say(a, task, 'progress', `^${b.handle} look`);
      await floor.pass();
      const below = (await floor.tasks(here)).at(-1)!;
      await signal(b, below.messageId, 'done', await leaseOf(below.id));
      const results = await floor.kit.hub.kernel.store.rows('facts', "where subject_id = ? and type = 'task.result'", [task.id]);
      expect([(await now(below)).state, results.length]).toEqual(['completed', 1]);
    });

    test('[C2A-22] on the socket', async () => {
      const here = await room();
      const c = await floor.agent(`C${n}`, { online: false });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
      const line = await Wire.hello(c);
      const ambient = await ann.post(here, 'by the way');
      expect((await line.ask('signal', { messageId: ambient.id, signal: 'seen' })).error?.data).toMatchObject({
        code: 'forbidden',
        reason: 'message.react:not_delivered',
      });
      await ann.post(here, `^${c.handle} prepare it`);
      const { event } = await line.event('task');
      expect(await line.refusal('signal', { messageId: event.messageId!, signal: 'agree', lease: event.lease! + 1 })).toBe('stale_lease');
      await line.call('signal', { messageId: event.messageId!, signal: 'agree', lease: event.lease! });
      expect(await now(event.task)).toMatchObject({ state: 'completed', cause: 'signalled' });
      await line.close();
    });
  });

  describe('on what an agent said', () => {
    const progress = async (here: string) => {
      const task = await asked(here, `^${a.handle} prepare it`);
      return { task, said: (await floor.say(a, task, 'progress', 'like this?')).body.id };
    };

    test('[C2A-23] a signal reaches the agent inside the open task, once for each member, signal and message', async () => {
      const here = await room();
      const { task, said } = await progress(here);
      await react(ann, said, '👍');
      await ann.call('removeReaction', { params: { messageId: said, emoji: '👍' } });
      await react(ann, said, '👍');
      await react(bob, said, '🙅🏻‍♂️');
      await react(bob, said, '👀');
      await react(bob, said, '🎉');
      expect(await told(task)).toMatchObject([
        { signal: 'agree', meaning: 'proceed' },
        { signal: 'declined', meaning: 'revise' },
        { signal: 'seen', meaning: 'heard' },
      ]);
      expect((await now(task)).state).toBe('active');
    });

    test('[C2A-23] another agent’s agree and declined have no weight; of the one it works for they have', async () => {
      const here = await room();
      const { task, said } = await progress(here);
      await asked(here, `^${b.handle} watch`);
      await signal(b, said, 'agree');
      expect(await told(task)).toMatchObject([{ signal: 'agree', meaning: 'heard' }]);
      await floor.say(a, task, 'progress', `^${b.handle} look`);
      await floor.pass();
      const below = (await floor.tasks(here)).find(({ parentId }) => parentId === task.id)!;
      expect(below.agentId).toBe(b.id);
    });

    test('[C2A-23] agree on its question is yes: the task goes on, with the signal as the answer and no text', async () => {
      const here = await room();
      const c = await floor.agent(`C${n}`, { online: false });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
      const line = await Wire.hello(c);
      await ann.post(here, `^${c.handle} deploy it`);
      const { event: first } = await line.event('task');
      const say = { taskId: first.task.id, lease: first.lease! };
      const question = await line.call('say', { ...say, kind: 'question', body: 'shall I?' });
      await react(bob, question.id, '👀');
      expect((await now(first.task)).state).toBe('waiting');
      await react(ann, question.id, '👍');
      const { event } = await line.event('signal', ({ signal: given }) => given?.signal === 'agree');
      expect(event).toMatchObject({
        policy: 'may_respond',
        author: { handle: 'ann' },
        messageId: question.id,
        content: null,
        signal: { signal: 'agree', meaning: 'proceed' },
      });
      const { event: again } = await line.event('task', ({ lease }) => lease! > first.lease!);
      expect(again.words.at(-1)).toMatchObject({ kind: 'signal', messageId: question.id, authorId: ann.id, content: '', signal: 'agree' });
      await line.call('say', { taskId: again.task.id, lease: again.lease!, kind: 'answer', body: 'done' });
      await line.close();
    });

    test('[C2A-23] only the question it waits with is answered by a mark', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} deploy it`);
      const first = (await floor.say(a, task, 'question', 'shall I?')).body.id;
      await react(ann, first, '🙅');
      await floor.pass();
      expect((await now(task)).state).toBe('active');
      const second = (await floor.say(a, task, 'question', 'really?')).body.id;
      await react(bob, first, '👍');
      expect((await now(task)).state).toBe('waiting');
      await react(bob, second, '👍');
      await floor.pass();
      expect((await now(task)).state).toBe('active');
    });

    test('[C2A-23] done from its requester: it is dealt with, and the task ends; from others it is only told', async () => {
      const here = await room();
      const { task, said } = await progress(here);
      await react(bob, said, '✅');
      expect([await told(task), (await now(task)).state]).toMatchObject([[{ meaning: 'already_handled' }], 'active']);
      const before = (await floor.notices(ann)).length;
      await react(ann, said, '✅');
      expect(await now(task)).toMatchObject({ state: 'cancelled', cause: 'already_handled' });
      // Who ended it knows; and after the end nothing is told any more.
      expect(await floor.notices(ann)).toHaveLength(before);
      await react(bob, said, '👍');
      expect(await told(task)).toHaveLength(2);
    });

    test('[C2A-23] the answer by a signal survives a restart between the question and the mark', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} deploy it`);
      const question = (await floor.say(a, task, 'question', 'shall I?')).body.id;
      await floor.kit.restart();
      for (const agent of [a, b]) await floor.connect(agent);
      await react(ann, question, '👍');
      await floor.pass();
      expect((await now(task)).state).toBe('active');
      await floor.kit.restart();
      await react(ann, question, '👍');
      expect(await told(task)).toHaveLength(1);
    });
  });
});
