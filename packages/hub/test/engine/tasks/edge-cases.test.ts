// Where a reviewer got through, or could have.

import type { Task } from '@parley/protocol';
import { makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { floorFor } from '../../kit/floor.ts';

onBothEngines('edges', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const a = makeOnce(() => floor.agent('A'));
  const b = makeOnce(() => floor.agent('B'));
  let n = 0;
  const room = (...members: Person[]) => floor.channel(`edge-${n++}`, ...(members.length > 0 ? members : [bob, a, b]));
  const of = async (here: string, agent: Person): Promise<Task> =>
    (await floor.tasks(here)).findLast(({ agentId }) => agentId === agent.id)!;
  const secret = async (...members: Person[]) => {
    const channel = await ann.call('createChannel', { body: { name: `secret-${n++}`, visibility: 'private' } });
    for (const member of members)
      await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: member.id } });
    return channel.id;
  };
  const read = async (agent: Person, task: Task, conversationId: string) =>
    agent.ask('listMessages', { params: { conversationId }, query: {} }, { 'parley-task': task.id });

  describe('reading', () => {
    test('[SYS-9] a reaction shows its agent nothing, whatever task it names', async () => {
      const here = await room();
      const said = await ann.post(here, '^A the secret is 4711');
      for (const header of [{}, { 'parley-task': 'tsk_nonsense' }]) {
        const { body } = await a.ask('addReaction', { params: { messageId: said.id, emoji: '👀' } }, header);
        expect([body.body, body.attachments]).toEqual([null, []]);
      }
    });

    test('[SYS-9] a sub-task reads only what those above it may pass on', async () => {
      const [hall, vault] = [await room(), await secret(a, b)];
      await ann.post(vault, 'the salary of eve is 12345');
      await ann.call('postMessage', { params: { conversationId: hall }, body: { body: '^A go', outputs: [vault] } });
      await floor.pass();
      const above = await of(hall, a);
      expect((await read(a, above, vault)).body.error?.code).toBe('outside_task');
      expect((await floor.say(a, { ...above, conversationId: vault }, 'progress', '^B what was said here?')).status).toBe(200);
      await floor.pass();
      const below = await of(vault, b);
      expect(below.parentId).toBe(above.id);
      expect((await read(b, below, vault)).body.error?.code).toBe('outside_task');
      // ModelCall in the room itself, it may.
      await ann.post(vault, '^A what was said here?');
      await floor.pass();
      expect((await read(a, await of(vault, a), vault)).body.messages[0]?.body).toBe('the salary of eve is 12345');
    });

    test('[SYS-9] an agent in the room counts as someone who will hear it', async () => {
      const [shared, own] = [await secret(a, b), await secret(a)];
      await ann.post(own, 'bob will be promoted');
      await ann.post(shared, '^A go');
      await floor.pass();
      expect((await read(a, await of(shared, a), own)).body.error?.code).toBe('outside_task');
    });

    test('[SYS-9] where history begins on joining, a task from before is not there either', async () => {
      const channel = await ann.call('createChannel', { body: { name: `joined-${engine}`, visibility: 'private', history: 'joined' } });
      await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: a.id } });
      await ann.post(channel.id, '^A go');
      await floor.pass();
      const task = await of(channel.id, a);
      await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: bob.id } });
      expect((await bob.ask('getTask', { params: { taskId: task.id } })).status).toBe(404);
      expect((await bob.ask('getChain', { params: { chainId: task.chainId } })).status).toBe(404);
    });
  });

  describe('which task an answer belongs to', () => {
    /** Both agents have asked something in the room. */
    async function bothAsk(): Promise<[string, { id: string }]> {
      const here = await room();
      await ann.post(here, '^A and ^B: clean up');
      await floor.pass();
      const asked = (await floor.say(a, await of(here, a), 'question', 'may I delete it?')).body as { id: string };
      await floor.pass(1000);
      await floor.say(b, await of(here, b), 'question', 'may I delete it?');
      return [here, asked];
    }
    const states = async (here: string) => [(await of(here, a)).state, (await of(here, b)).state];

    test('[PAP-7] a reply to one agent’s question answers that one alone', async () => {
      const [here, asked] = await bothAsk();
      await ann.call('postMessage', { params: { conversationId: here }, body: { body: 'yes, delete it', replyTo: asked.id } });
      await floor.pass();
      expect(await states(here)).toEqual(['active', 'waiting']);
    });

    test('[PAP-7] without a reply or a name it answers the latest question', async () => {
      const [here] = await bothAsk();
      await ann.post(here, 'yes, delete it');
      await floor.pass();
      expect(await states(here)).toEqual(['waiting', 'active']);
      await ann.post(here, '^A you too');
      await floor.pass();
      expect([await states(here), (await floor.tasks(here)).length]).toEqual([['active', 'active'], 2]);
    });

    test('[PAP-7] [PAP-9] a question in the thread of a task is answered there, and the requester goes on there', async () => {
      const here = await room();
      const request = await ann.post(here, '^A go');
      await floor.pass();
      const thread = await ann.call('openThread', { params: { messageId: request.id } });
      const task = await of(here, a);
      await ann.post(thread.id, 'and be quick');
      expect((await floor.tasks(here)).length).toBe(1);
      await floor.say(a, { ...task, conversationId: thread.id }, 'question', 'how quick?');
      await ann.post(here, 'something else');
      expect((await of(here, a)).state).toBe('waiting');
      await ann.post(thread.id, 'an hour');
      await floor.pass();
      expect((await of(here, a)).state).toBe('active');
    });

    test('[PAP-9] one message that goes on with two tasks is in both', async () => {
      const here = await room();
      const thread = await ann.call('openThread', { params: { messageId: (await ann.post(here, 'a matter')).id } });
      await ann.post(thread.id, '^A and ^B: look');
      await floor.pass();
      const more = await ann.post(thread.id, '^A ^B and the second thing');
      const words = await floor.kit.hub.kernel.store.rows('task_words', 'where message_id = ?', [more.id]);
      expect(words.map((word) => word.task_id).toSorted()).toEqual((await floor.tasks(thread.id)).map(({ id }) => id).toSorted());
      expect(words).toHaveLength(2);
    });

    test('[PAP-7] [PAP-9] of two questions in one thread the later one is answered, and the work of the other task goes on', async () => {
      const thread = await ann.call('openThread', { params: { messageId: (await ann.post(await room(), 'a matter')).id } });
      await ann.post(thread.id, '^A look');
      await floor.pass();
      await floor.say(a, await of(thread.id, a), 'question', 'where?');
      await floor.pass(1000);
      await ann.post(thread.id, '^ALL report');
      await floor.pass();
      await floor.say(b, await of(thread.id, b), 'question', 'on what?');
      const said = await ann.post(thread.id, 'on all of it');
      const words = await floor.kit.hub.kernel.store.rows('task_words', 'where message_id = ?', [said.id]);
      expect(words.map((word) => word.task_id).toSorted()).toEqual([(await of(thread.id, a)).id, (await of(thread.id, b)).id].toSorted());
      await floor.pass();
      expect((await floor.tasks(thread.id)).map(({ state }) => state)).toEqual(['waiting', 'active', 'active']);
    });

    test('[PAP-4] ^ANY is one new piece of work, also where tasks are open', async () => {
      const dm = await ann.call('createChannel', { body: { name: `any-${n++}` } });
      for (const agent of [a, b]) await ann.call('addToConversation', { params: { conversationId: dm.id }, body: { memberId: agent.id } });
      const thread = await ann.call('openThread', { params: { messageId: (await ann.post(dm.id, 'a matter')).id } });
      await ann.post(thread.id, '^A and ^B: look');
      await floor.pass();
      await ann.post(thread.id, '^ANY one more thing');
      expect((await floor.tasks(thread.id)).map(({ agentId }) => agentId)).toEqual([a.id, b.id, null]);
      expect(
        await floor.kit.hub.kernel.store.rows(
          'task_words',
          "where kind = 'follow_up' and task_id in (select id from tasks where conversation_id = ?)",
          [thread.id],
        ),
      ).toEqual([]);
    });

    test('[PAP-6] [PAP-10] an agent’s words that address nobody give nothing on, in whatever task and to whatever they reply', async () => {
      const here = await room();
      await ann.post(here, '^A first');
      await floor.pass();
      await floor.say(a, await of(here, a), 'progress', '^B help');
      await floor.pass();
      const asked = (await floor.say(b, await of(here, b), 'question', 'with what?')).body as { id: string };
      const elsewhere = await room();
      await ann.post(elsewhere, '^A second');
      await floor.pass();
      await floor.say(a, await of(elsewhere, a), 'progress', 'I am looking into it');
      expect(await floor.tasks(elsewhere)).toHaveLength(1);
      const first = await of(here, a);
      await floor.say(a, first, 'answer', 'done without you', { replyTo: asked.id });
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['completed', 'cancelled']);
    });
  });

  describe('many', () => {
    test('[PAP-18] a message that names a hundred members is taken like any other', async () => {
      const here = await room();
      const names = Array.from({ length: 100 }, (_, i) => `m${engine}${n}x${i}`);
      await Promise.all(names.map((name) => floor.kit.person(name)));
      expect(
        (await ann.ask('postMessage', { params: { conversationId: here }, body: { body: names.map((name) => `@${name}`).join(' ') } }))
          .status,
      ).toBe(200);
    });

    test('[PAP-15] a task with forty sub-tasks is delegated, stopped and left like any other', async () => {
      const helpers = await Promise.all(Array.from({ length: 40 }, (_, i) => floor.agent(`H${n}${engine}${i}`)));
      const begun = async (who: Person) => {
        const here = await room(bob, a, ...helpers);
        await who.post(here, '^A go');
        await floor.pass();
        // Each in a message of its own: one message delegates to one agent.
        for (const { handle } of helpers) expect((await floor.say(a, await of(here, a), 'progress', `^${handle} help`)).status).toBe(200);
        expect(await floor.tasks(here)).toHaveLength(41);
        return here;
      };
      const open = async (here: string) => (await floor.tasks(here)).filter(({ endedAt }) => endedAt === null).length;
      const stopped = await begun(ann);
      await ann.call('stopTask', { params: { taskId: (await floor.tasks(stopped))[0]!.id } });
      const left = await begun(bob);
      await bob.call('leaveConversation', { params: { conversationId: left } });
      const answered = await begun(ann);
      await floor.say(a, (await floor.tasks(answered))[0]!, 'answer', 'done');
      expect([await open(stopped), await open(left), await open(answered)]).toEqual([0, 0, 0]);
    });
  });

  describe('control', () => {
    test('[PAP-1] an agent speaks only where its requester still may', async () => {
      const [here, output] = [await room(), await secret(a, bob)];
      await bob.call('postMessage', { params: { conversationId: here }, body: { body: '^A go', outputs: [output] } });
      await floor.pass();
      const task = await of(here, a);
      const there = { ...task, conversationId: output };
      expect((await floor.say(a, there, 'progress', 'word')).status).toBe(200);
      expect((await floor.say(a, there, 'question', 'and?')).body.error?.code).toBe('task_elsewhere');
      await ann.call('removeFromConversation', { params: { conversationId: output, memberId: bob.id } });
      expect((await floor.say(a, there, 'progress', 'word')).body.error?.code).toBe('task_elsewhere');
    });

    test('[PAP-12] [SYS-10] redirecting stays within the chain’s bounds', async () => {
      const here = await room();
      await ann.post(here, '^A go');
      await floor.pass();
      await floor.say(a, await of(here, a), 'progress', '^B help');
      const sub = await of(here, b);
      const turned = await ann.ask('redirectTask', { params: { taskId: sub.id }, body: { instruction: 'x', agentId: a.id } });
      expect(turned.body.error?.problems?.[0]).toMatchObject({ field: 'agentId', message: 'is already above in this chain' });
      const away = await floor.agent(`AWAY${n}${engine}`, { online: false });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: away.id } });
      await ann.call('redirectTask', { params: { taskId: sub.id }, body: { instruction: 'you', agentId: away.id } });
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'agent_offline', agentId: away.id });
    });

    test('[PAP-15] a new instruction reaches an agent that waits for others', async () => {
      const here = await room();
      await ann.post(here, '^A go');
      await floor.pass();
      await floor.say(a, await of(here, a), 'progress', '^B help');
      const task = await of(here, a);
      const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task.id]);
      const principal = await floor.kit.hub.kernel.auth.principal(a.token);
      await floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by: principal!.by, taskId: task.id, lease: row!.lease });
      await ann.call('redirectTask', { params: { taskId: task.id }, body: { instruction: 'never mind B' } });
      await floor.pass();
      expect((await of(here, a)).state).toBe('active');
    });

    test('[SYS-14] deleting a request ends its task, and an erased handle stays in no notice', async () => {
      const here = await room();
      const request = await ann.post(here, '^A my password is hunter2');
      await floor.pass();
      await ann.call('deleteMessage', { params: { messageId: request.id } });
      const task = await of(here, a);
      expect(task).toMatchObject({ state: 'cancelled', cause: 'request_deleted' });
      expect((await floor.say(a, task, 'answer', 'hunter2')).body.error?.code).toBe('task_over');
      const zed = await floor.kit.person(`zedekiah-${engine}`);
      await zed.call('joinConversation', { params: { conversationId: here } });
      await ann.post(here, `@zedekiha-${engine} hello`);
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'unknown_handle', nearest: zed.handle });
      const facts = await floor.kit.hub.kernel.store.rows('facts', "where type = 'notice'");
      expect(facts.filter((fact) => fact.data.includes('zed'))).toEqual([]);
    });

    test('[PAP-3] [PAP-4] where no agent is, ^ANY waits for one and the author of ^ALL gets a notice that nobody is here', async () => {
      const here = await room(bob);
      await ann.post(here, '^ALL report');
      expect([(await floor.notices(ann)).at(-1)?.kind, await floor.tasks(here)]).toEqual(['no_agents', []]);
      await ann.post(here, '^ANY help');
      expect(await floor.tasks(here)).toMatchObject([{ state: 'queued', agentId: null, timer: { running: false } }]);
    });

    test('[PAP-4] [PAP-17] an offer that no agent is left to take waits without the clock, and its author gets a notice', async () => {
      const only = await floor.agent(`ONLY${n}${engine}`);
      const here = await room(bob, only);
      await ann.post(here, '^ANY help');
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'offered', timer: { running: true } });
      await floor.disconnect(only);
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'queued', timer: { running: false } });
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'nobody_available' });
      await floor.pass(2 * 3_600_000);
      expect((await floor.tasks(here))[0]!.state).toBe('queued');
    });
  });
});
