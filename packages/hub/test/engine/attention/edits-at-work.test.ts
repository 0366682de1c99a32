// A request is edited while agents are at it: what they are told, and what counts.

import { onBothEngines, type Person } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { editingFor } from '../../kit/edits.ts';

onBothEngines('edits for those at work', (engine) => {
  const { floor, ann, a, b, c, room, settle, edit, asked, tasksOf, of } = editingFor(engine);
  const byOf = async ({ token }: Person) => (await floor.kit.hub.kernel.auth.principal(token))!.by;
  let n = 0;
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

  test('[C2A-25] [C2A-28] before it has said anything its turn is begun again with the new text', async () => {
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

  test('[C2A-28] [PAP-9] after its first word the agent gets the correction, and an answer that cannot know of the correction is not the last word', async () => {
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

  test('[C2A-25] a follow-up of a task is edited in the task, and leaves it when it is for somebody else', async () => {
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
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
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
