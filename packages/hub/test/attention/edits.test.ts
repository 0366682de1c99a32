// A request is edited: whom it calls now, who is no longer meant, and what those at work are told.

import type { Message, Task } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Wire } from '../floor/agent-wire.ts';
import { type Floor, floorOn } from '../floor/kit.ts';

onBothEngines('edits', (engine) => {
  let floor: Floor;
  let ann: Person;
  let bob: Person;
  let a: Person;
  let b: Person;
  let c: Person;
  let n = 0;
  beforeAll(async () => {
    floor = await floorOn(engine);
    ({ ann, bob } = floor);
    [a, b, c] = [await floor.agent('A'), await floor.agent('B'), await floor.agent('C')];
  });
  afterAll(() => floor.kit.stop());
  const room = (...members: Person[]) => floor.channel(`edits-${n++}`, ...(members.length > 0 ? members : [bob, a, b, c]));
  const settle = () => floor.pass(5000);
  const edit = (message: Pick<Message, 'id'>, body: string, more: { version?: number; confirmAll?: number } = {}, by = ann) =>
    by.ask('editMessage', { params: { messageId: message.id }, body: { body, ...more } });
  const tasksOf = async (here: string, agent: Person): Promise<Task[]> =>
    (await floor.tasks(here)).filter(({ agentId }) => agentId === agent.id).toSorted((one, other) => one.seq - other.seq);
  const of = async (here: string, agent: Person): Promise<Task> => (await tasksOf(here, agent)).at(-1)!;
  const asked = async (here: string, body: string) => {
    const message = await ann.post(here, body);
    await settle();
    return message;
  };
  const byOf = async ({ token }: Person) => (await floor.kit.hub.kernel.auth.principal(token))!.by;
  const noticesOn = async (message: Message) => (await floor.notices(ann)).filter(({ messageId }) => messageId === message.id);

  describe('whom it calls', () => {
    test('[C2A-25] those added get a task on it, those removed have theirs cancelled, those who stay keep theirs', async () => {
      const here = await room();
      const message = await asked(here, '^A ^B go');
      const [kept, dropped] = [await of(here, a), await of(here, b)];
      expect((await edit(message, '^A ^C go now')).status).toBe(200);
      await settle();
      expect(await of(here, a)).toMatchObject({ id: kept.id, state: 'active' });
      expect(await of(here, b)).toMatchObject({ id: dropped.id, state: 'cancelled', cause: 'request_edited' });
      expect(await of(here, c)).toMatchObject({ state: 'active', messageId: message.id, addressedBy: 'mention', requesterId: ann.id });
      // Who edited it knows.
      expect(await noticesOn(message)).toEqual([]);
      const refused = await floor.say(b, dropped, 'answer', 'too late');
      expect(refused.body.error).toMatchObject({ code: 'task_over', reason: 'request_edited' });
    });

    test('[C2A-25] what a task gave on ends with it, and removing the last address leaves nobody', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await floor.say(a, await of(here, a), 'progress', '^B help me');
      await settle();
      expect(await of(here, b)).toMatchObject({ state: 'active', parentId: (await of(here, a)).id });
      await edit(message, 'go');
      expect(await of(here, a)).toMatchObject({ state: 'cancelled', cause: 'request_edited' });
      expect(await of(here, b)).toMatchObject({ state: 'cancelled', cause: 'parent_ended' });
    });

    test('[C2A-25] taken out and called again, it has a task of its own again', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await edit(message, 'go');
      await edit(message, '^A go');
      await settle();
      expect(await tasksOf(here, a)).toMatchObject([{ state: 'cancelled' }, { state: 'active', addressedBy: 'mention' }]);
    });

    test('[C2A-25] an edit to filler takes the request back, and one in filler wakes nobody', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await edit(message, '^A thanks!');
      expect(await of(here, a)).toMatchObject({ state: 'cancelled', cause: 'request_edited' });
      await edit(await ann.post(here, 'hello'), 'thanks ^B');
      expect(await tasksOf(here, b)).toEqual([]);
    });

    test('[C2A-25] an old text that is mended wakes nobody who came since', async () => {
      const here = await room(a);
      const message = await asked(here, '^ALL go, ^B as well');
      for (const late of [b, c]) await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: late.id } });
      await edit(message, '^ALL please go, ^B as well');
      await settle();
      expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([a.id]);
    });

    test('[C2A-25] [SYS-9] where history begins on joining, an edit of what was said before is not there for it', async () => {
      const channel = await ann.call('createChannel', { body: { name: `edits-${n++}`, visibility: 'private', history: 'joined' } });
      const message = await ann.post(channel.id, 'the plan is secret');
      await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: a.id } });
      await edit(message, '^A the plan is secret');
      expect(await floor.tasks(channel.id)).toEqual([]);
    });

    test('[C2A-25] [PAP-4] what anyone may take stays on offer while it is anyone’s, and goes with its address', async () => {
      const here = await room();
      const message = await ann.post(here, '^ANY go');
      await edit(message, '^ANY go now');
      expect(await floor.tasks(here)).toMatchObject([{ state: 'offered', agentId: null }]);
      await a.call('startTask', { params: { taskId: (await floor.tasks(here))[0]!.id } });
      // Whoever has it is called by name now: it is the same task.
      await edit(message, '^A go now');
      await settle();
      expect(await floor.tasks(here)).toMatchObject([{ state: 'active', agentId: a.id }]);
      const other = await ann.post(here, '^ANY look');
      await edit(other, '^B look');
      const [offer] = (await floor.tasks(here)).filter(({ messageId, agentId }) => messageId === other.id && agentId === null);
      expect(offer).toMatchObject({ state: 'cancelled', cause: 'request_edited' });
      expect(await of(here, b)).toMatchObject({ messageId: other.id });
      await edit(await ann.post(here, 'anybody?'), '^ANY anybody?');
      expect((await floor.tasks(here)).filter(({ state }) => state === 'offered')).toHaveLength(1);
    });

    test('[C2A-25] [PAP-3] adding ^ALL over many needs a second yes, and without it nothing is edited', async () => {
      const many = await Promise.all(Array.from({ length: 12 }, (_, i) => floor.agent(`M${n}-${i}`, { online: false })));
      const here = await room(...many);
      const message = await ann.post(here, 'report');
      const refused = await edit(message, '^ALL report');
      expect(refused.body.error).toMatchObject({ code: 'confirm_all', reason: '12' });
      expect((await floor.bodies(here)).at(-1)).toEqual(['ann', 'report']);
      expect((await edit(message, '^ALL report', { confirmAll: 12 })).status).toBe(200);
      expect(await floor.tasks(here)).toHaveLength(12);
    });

    test('[C2A-25] [PAP-18] a name that nobody has is told once, when it comes', async () => {
      const here = await room();
      const message = await asked(here, '^NOBODY go');
      await edit(message, '^NOBODY go now');
      expect(await noticesOn(message)).toHaveLength(1);
      await edit(message, '^NOBODY ^NOONE go now');
      expect((await noticesOn(message)).map(({ kind }) => kind)).toEqual(['unknown_handle', 'unknown_handle']);
    });

    test('[C2A-25] nobody but its author edits it, and what is refused wakes nobody', async () => {
      const here = await room();
      const message = await ann.post(here, 'go');
      expect((await edit(message, '^A go', {}, bob)).status).toBe(403);
      expect((await edit(message, '^A go', {}, floor.kit.owner)).status).toBeGreaterThanOrEqual(403);
      expect((await edit(message, '^A go', { version: 7 })).body.error?.code).toBe('version_conflict');
      expect(await floor.tasks(here)).toEqual([]);
    });
  });

  test('[C2A-25] [PAP-15] what was turned to another agent is that one’s, and an edit of the instruction is for it', async () => {
    const here = await room();
    const message = await asked(here, '^A go');
    const body = { instruction: 'do it by noon', agentId: b.id };
    const turned = await ann.call('redirectTask', { params: { taskId: (await of(here, a)).id }, body });
    await settle();
    await edit(message, '^A go now');
    await edit({ id: turned.messageId }, 'do it by one');
    await settle();
    expect(await tasksOf(here, a)).toMatchObject([{ cause: 'redirected' }]);
    expect(await tasksOf(here, b)).toMatchObject([{ id: turned.id, state: 'active' }]);
  });

  describe('who may not speak there any more', () => {
    test('[C2A-25] [PAP-1] can mend what they said, and wakes nobody by it', async () => {
      const here = await room();
      const message = await bob.post(here, 'go');
      await bob.call('leaveConversation', { params: { conversationId: here } });
      expect((await edit(message, '^A go', {}, bob)).status).toBe(200);
      expect(await floor.tasks(here)).toEqual([]);
    });
  });

  describe('those at work', () => {
    let wire: Wire | undefined;
    afterEach(async () => {
      await wire?.close();
      wire = undefined;
    });
    const listening = async () => {
      const bot = await floor.agent(`BOT${n++}`, { online: false });
      wire = await Wire.hello(bot);
      const dm = await ann.call('openDm', { body: { memberIds: [bot.id] } });
      return { bot, dm: dm.id, line: wire };
    };
    const begun = async (body = 'do that') => {
      const at = await listening();
      const message = await asked(at.dm, body);
      const { event, cursor } = await at.line.event('task');
      await at.line.call('ack', { cursor });
      return { ...at, message, taskId: event.task.id, lease: event.lease! };
    };
    const contents = (words: { kind: string; content: string }[]) => words.map(({ kind, content }) => `${kind}: ${content}`);

    test('[C2A-25] [C2A-28] before it has said anything its turn is begun anew with the new text', async () => {
      const { dm, line, message, taskId, lease, bot } = await begun();
      await edit(message, 'do this');
      expect(await line.refusal('say', { taskId, lease, kind: 'answer', body: 'that' })).toBe('stale_lease');
      await settle();
      const { event } = await line.event('task', (one) => one.lease! > lease);
      expect([event.task.id, event.content, contents(event.words)]).toEqual([taskId, 'do this', ['request: do this']]);
      await line.call('say', { taskId, lease: event.lease!, kind: 'answer', body: 'this' });
      expect(await tasksOf(dm, bot)).toMatchObject([{ state: 'completed' }]);
    });

    test('[C2A-25] an edit of the spelling alone disturbs nobody', async () => {
      const { dm, line, message, taskId, lease } = await begun();
      await edit(message, 'Do that.');
      await settle();
      expect(await line.call('say', { taskId, lease, kind: 'answer', body: 'that' })).toMatchObject({ task: { kind: 'answer' } });
      expect(await floor.bodies(dm)).toHaveLength(2);
    });

    test('[C2A-28] [PAP-9] after it has, it is told of the correction, and an answer that cannot know of it is not the last word', async () => {
      const { line, message, taskId, lease } = await begun();
      await line.call('say', { taskId, lease, kind: 'progress', body: 'on it' });
      await edit(message, 'do this');
      await settle();
      const { event } = await line.event('correction');
      expect(event).toMatchObject({
        policy: 'must_respond',
        addressedToMe: true,
        reason: 'edit',
        messageId: message.id,
        content: 'do this',
      });
      expect(event).toMatchObject({ lease, task: { id: taskId, state: 'active' } });
      expect(await line.call('say', { taskId, lease, kind: 'answer', body: 'that' })).toMatchObject({ task: { kind: 'progress' } });
      await settle();
      const again = await line.event('task', (one) => one.lease! > lease);
      expect(contents(again.event.words)).toEqual(['request: do this', 'progress: on it', 'progress: that']);
    });

    test('[C2A-28] [PAP-9] one that has acknowledged the correction answers with it', async () => {
      const { dm, bot, line, message, taskId, lease } = await begun();
      await line.call('say', { taskId, lease, kind: 'progress', body: 'on it' });
      await edit(message, 'do this');
      await line.call('ack', { cursor: (await line.event('correction')).cursor });
      expect(await line.call('say', { taskId, lease, kind: 'answer', body: 'this' })).toMatchObject({ task: { kind: 'answer' } });
      expect(await of(dm, bot)).toMatchObject({ state: 'completed' });
    });

    test('[C2A-26] after the answer it is a new event marked as an edit, which may be answered', async () => {
      const { dm, bot, line, message, taskId, lease } = await begun();
      await line.call('say', { taskId, lease, kind: 'answer', body: 'that' });
      await edit(message, 'Do that!');
      await settle();
      expect(await tasksOf(dm, bot)).toHaveLength(1);
      await edit(message, 'do this');
      await settle();
      const { event } = await line.event('edit');
      expect(event).toMatchObject({
        policy: 'may_respond',
        addressedToMe: true,
        reason: 'edit',
        content: 'do this',
        messageId: message.id,
      });
      expect(event.task).toMatchObject({ addressedBy: 'edit', messageId: message.id });
      expect(event.task.id).not.toBe(taskId);
      await line.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'this' });
      expect(await tasksOf(dm, bot)).toMatchObject([
        { id: taskId, state: 'completed' },
        { addressedBy: 'edit', state: 'completed' },
      ]);
      const { agents } = await ann.call('explainMessage', { params: { messageId: message.id }, query: {} });
      expect(agents.find(({ agentId }) => agentId === bot.id)).toMatchObject({ policy: 'may_respond', reason: 'edit' });
    });

    test('[C2A-26] one that is no longer called is not told of an edit after its answer', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await floor.say(a, await of(here, a), 'answer', 'gone');
      await edit(message, 'go elsewhere');
      await edit(message, '@bob go elsewhere, quickly');
      await settle();
      expect(await tasksOf(here, a)).toMatchObject([{ state: 'completed', cause: 'answered' }]);
    });

    test('[C2A-25] what was added to a task is edited in it, and leaves it when it is for somebody else', async () => {
      const here = await room();
      const request = await asked(here, '^A go');
      const thread = await ann.call('openThread', { params: { messageId: request.id } });
      const more = await ann.post(thread.id, 'quickly');
      const wordsNow = async () => {
        await floor.disconnect(a);
        const line = await Wire.hello(a);
        await settle();
        const { event } = await line.event('task', ({ task }) => task.messageId === request.id);
        await line.close();
        await floor.connect(a);
        return contents(event.words);
      };
      await edit(more, 'slowly');
      expect(await wordsNow()).toEqual(['request: ^A go', 'follow_up: slowly']);
      await edit(more, '@bob slowly, right?');
      expect(await wordsNow()).toEqual(['request: ^A go']);
      expect(await tasksOf(here, a)).toMatchObject([{ cause: null }]);
    });

    test('[C2A-25] an edited answer to a question goes on with the task that asked', async () => {
      const here = await room();
      await asked(here, '^A go');
      await floor.say(a, await of(here, a), 'question', 'where?');
      const answer = await asked(here, 'left');
      await floor.say(a, await of(here, a), 'progress', 'going left');
      await edit(answer, 'right');
      expect((await floor.say(a, await of(here, a), 'answer', 'went left')).body.task).toMatchObject({ kind: 'progress' });
      expect(await tasksOf(here, a)).toHaveLength(1);
    });

    test('[C2A-25] one that waits for an answer, or for others, goes on with the new text', async () => {
      const here = await room();
      const [first, second] = [await asked(here, '^A go'), await asked(here, '^B go')];
      await floor.say(a, await of(here, a), 'question', 'where?');
      await edit(first, '^A go left');
      await settle();
      expect(await of(here, a)).toMatchObject({ state: 'active', askedIn: null });
      const above = await of(here, b);
      await floor.say(b, above, 'progress', '^C help');
      await floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by: await byOf(b), taskId: above.id, lease: 1 });
      expect(await of(here, b)).toMatchObject({ state: 'awaiting_delegation' });
      await edit(second, '^B go right');
      await settle();
      expect([await of(here, b), await of(here, c)]).toMatchObject([{ state: 'active' }, { state: 'active', parentId: above.id }]);
    });

    test('[C2A-25] [PAP-17] an agent that is away gets the text as it is when it comes', async () => {
      const here = await room();
      await floor.disconnect(c);
      const message = await asked(here, '^C go');
      await edit(message, '^C stay');
      wire = await Wire.hello(c);
      await settle();
      const { event } = await wire.event('task', ({ task }) => task.messageId === message.id);
      expect([event.content, event.lease]).toEqual(['^C stay', 1]);
      await wire.close();
      await floor.connect(c);
    });

    test('[C2A-25] [SYS-10] while everything is stopped nothing begins, and then it begins with the new text', async () => {
      const { line, message, taskId, lease } = await begun();
      await floor.kit.owner.call('halt', {});
      await edit(message, 'do this');
      await settle();
      expect(line.events.filter(({ event }) => event.kind === 'task')).toHaveLength(1);
      await floor.kit.owner.call('release', {});
      await settle();
      const { event } = await line.event('task', (one) => one.lease! > lease);
      expect([event.task.id, event.content]).toEqual([taskId, 'do this']);
    });

    test('[C2A-25] of two edits at once one is refused, and what stands is what is heard', async () => {
      const here = await room();
      const message = await asked(here, 'go');
      const both = await Promise.all(['^A go', '^B go'].map((body) => edit(message, body, { version: 1 })));
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      await settle();
      const [woken] = await floor.tasks(here);
      const stands = (await floor.bodies(here)).at(-1)![1];
      expect([await floor.tasks(here), woken!.agentId]).toEqual([[woken], stands === '^A go' ? a.id : b.id]);
    });

    test.each(['edit', 'answer'] as const)(
      '[C2A-25] [C2A-26] in one group with an answer, the %s coming first counts first',
      async (first) => {
        const here = await room();
        const message = await asked(here, '^A go');
        const task = await of(here, a);
        const { engine: commands } = floor.kit.hub.kernel;
        const [annBy, aBy] = [await byOf(ann), await byOf(a)];
        const send = {
          edit: () => commands.submit({ type: 'message.edit', by: annBy, messageId: message.id, body: '^A stay' }),
          answer: () => commands.submit({ type: 'task.say', by: aBy, taskId: task.id, lease: 1, kind: 'answer', body: 'gone' }),
        };
        const order = first === 'edit' ? [send.edit, send.answer] : [send.answer, send.edit];
        const came = await Promise.allSettled(order.map((one) => one()));
        await settle();
        const states = (await tasksOf(here, a)).map(({ state, addressedBy }) => `${state} ${addressedBy}`);
        if (first === 'edit') {
          expect(came[1]).toMatchObject({ status: 'rejected', reason: { code: 'stale_lease' } });
          expect(states).toEqual(['active mention']);
        } else
          expect([came.map(({ status }) => status), states]).toEqual([
            ['fulfilled', 'fulfilled'],
            ['completed mention', 'active edit'],
          ]);
      },
    );

    test('[C2A-25] [PAP-9] in one group with a correction, the answer is not the last word', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      const task = await of(here, a);
      await floor.say(a, task, 'progress', 'going');
      const { engine: commands } = floor.kit.hub.kernel;
      const [annBy, aBy] = [await byOf(ann), await byOf(a)];
      await Promise.all([
        commands.submit({ type: 'message.edit', by: annBy, messageId: message.id, body: '^A stay' }),
        commands.submit({ type: 'task.say', by: aBy, taskId: task.id, lease: 1, kind: 'answer', body: 'gone' }),
      ]);
      await settle();
      expect(await of(here, a)).toMatchObject({ id: task.id, state: 'active' });
    });
  });
});
