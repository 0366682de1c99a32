// One agent gives another work, goes on, and is told what came of it.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { freshAgents } from '../../kit/floor.ts';
import { contactsFor } from '../../kit/contacts.ts';

const minute = 60_000;

onBothEngines('delegate', (engine) => {
  const { on, floor } = contactsFor(engine);
  const [a, b, c, d] = freshAgents(floor, 'A', 'B', 'C', 'D');
  let n = 0;
  beforeEach(() => void n++);

  const give = (to: Person, message = 'write it', priority?: string) =>
    on.ask(a, to, { action: 'delegate', message, ...(priority === undefined ? {} : { priority }) });
  const told = async (taskId: string) => {
    const words = await on.floor.kit.hub.kernel.store.all<{ body: string }>(
      `select m.body as body from task_words w join messages m on m.id = w.message_id where w.task_id = ? and w.kind = 'result' order by m.seq`,
      [taskId],
    );
    return words.map(({ body }) => body.split('\n'));
  };

  test('[IAC-6] a delegation returns at once; an answer meanwhile is progress, and the task waits; the result is posted and resumes it', async () => {
    const root = await on.at(a);
    const { outcome, task } = await give(b, 'Draft a blog post', 'high');
    expect(await outcome).toEqual({
      text: `Delegated to B${n} (subtask ${task.id}). You'll receive the result automatically when B${n} finishes.`,
      status: 'delegated',
      taskId: task.id,
    });
    expect(await on.dm(a, b)).toEqual([
      `[Agent Request from A${n} | Pattern: delegate | Priority: high | Task: ${task.id}]\n\nDraft a blog post`,
    ]);
    const meanwhile = await on.say(a, 'answer', 'I have asked for a draft.', root);
    expect(meanwhile.task).toMatchObject({ id: root.id, kind: 'progress' });
    expect((await on.row(root.id)).state).toBe('awaiting_delegation');
    const agent = (await on.floor.ann.call('listAgents', {})).agents.find(({ id }) => id === a.id);
    expect(agent!.status).toBe('awaiting_delegation');
    await on.say(b, 'answer', 'Here is the draft.');
    expect((await on.row(root.id)).state).toBe('active');
    expect(await on.state(task.id)).toBe('completed given');
    const { messages } = await on.floor.ann.call('listMessages', { params: { conversationId: root.conversationId }, query: {} });
    expect(messages.at(-1)).toMatchObject({
      body: `[Delegation Result from B${n} | ${task.id}]\nHere is the draft.`,
      authorId: null,
      source: 'delegation_result',
      task: { id: root.id, kind: 'result' },
    });
    expect(await told(root.id)).toHaveLength(1);
    // "Why?" is answered for both of the platform's messages.
    for (const messageId of [messages.at(-1)!.id, task.messageId])
      expect((await on.floor.ann.ask('explainMessage', { params: { messageId }, query: {} })).status).toBe(200);
    await on.say(a, 'answer', 'Done, with a draft.', root);
    expect((await on.row(root.id)).state).toBe('completed');
  });

  test('[IAC-6] each result is a resumption of its own, in the order they came, also what came while the turn ran', async () => {
    const root = await on.at(a);
    const [toB, toC, toD] = [await give(b), await give(c), await give(d)];
    await on.say(c, 'answer', 'C first', toC.task);
    await on.say(d, 'answer', 'D second', toD.task);
    expect(await told(root.id)).toEqual([]);
    const leases: number[] = [(await on.row(root.id)).lease];
    await on.say(a, 'answer', 'I wait.', root);
    expect((await told(root.id)).map((lines) => lines[1])).toEqual(['C first']);
    expect(await on.row(root.id)).toMatchObject({ state: 'active' });
    leases.push((await on.row(root.id)).lease);
    await on.say(a, 'answer', 'One is here.', root);
    expect((await told(root.id)).map((lines) => lines[1])).toEqual(['C first', 'D second']);
    leases.push((await on.row(root.id)).lease);
    await on.say(a, 'answer', 'Two are here.', root);
    expect((await on.row(root.id)).state).toBe('awaiting_delegation');
    await on.say(b, 'answer', 'B third', toB.task);
    expect((await told(root.id)).map((lines) => lines[1])).toEqual(['C first', 'D second', 'B third']);
    leases.push((await on.row(root.id)).lease);
    expect(new Set(leases).size).toBe(4);
    await on.say(a, 'answer', 'All three are here.', root);
    expect((await on.row(root.id)).state).toBe('completed');
  });

  test('[IAC-6] [SYS-12] a restart in between loses no result and gives none twice', async () => {
    const root = await on.at(a);
    const [toB, toC] = [await give(b), await give(c)];
    await on.say(b, 'answer', 'B is done', toB.task);
    await on.floor.kit.restart();
    for (const agent of [a, b, c]) await on.floor.connect(agent);
    await on.floor.pass();
    // Given again after the restart, with what had come before it.
    expect((await told(root.id)).map((lines) => lines[1])).toEqual(['B is done']);
    await on.say(a, 'answer', 'I wait.', root);
    expect((await on.row(root.id)).state).toBe('awaiting_delegation');
    await on.say(c, 'answer', 'C is done', toC.task);
    expect((await told(root.id)).map((lines) => lines[1])).toEqual(['B is done', 'C is done']);
    await on.say(a, 'answer', 'Both are.', root);
    expect((await on.row(root.id)).state).toBe('completed');
  });

  test('[IAC-7] a failed delegation is reported as failed, with the error, and never as done', async () => {
    const root = await on.at(a);
    const [toB, toC] = [await give(b), await give(c)];
    await on.say(a, 'answer', 'I wait.', root);
    await on.decline(b, 'Rate limit exceeded.');
    expect(await told(root.id)).toEqual([
      [`[Delegation Failed | B${n} | ${toB.task.id}]`, `Error: B${n} failed to complete the task: Rate limit exceeded.`],
    ]);
    await on.say(a, 'answer', 'I still wait.', root);
    await on.floor.ann.call('stopTask', { params: { taskId: toC.task.id } });
    await on.floor.pass();
    expect((await told(root.id)).at(-1)).toEqual([
      `[Delegation Failed | C${n} | ${toC.task.id}]`,
      `Error: C${n} failed to complete the task: a person stopped it.`,
    ]);
  });

  test('[IAC-6] [PAP-15] the parent stopped, its three running sub-tasks stop; a result that comes then is refused', async () => {
    const root = await on.at(a);
    const given = [await give(b), await give(c), await give(d)];
    await on.floor.ann.call('stopTask', { params: { taskId: root.id } });
    expect(await Promise.all(given.map(({ task }) => on.state(task.id)))).toEqual(['cancelled late', 'cancelled late', 'cancelled late']);
    expect((await on.floor.say(b, given[0]!.task, 'answer', 'too late')).body.error?.code).toBe('task_over');
    expect(await told(root.id)).toEqual([]);
    expect((await on.floor.bodies(root.conversationId)).some(([, body]) => body.startsWith('[Delegation'))).toBe(false);
  });

  test('[IAC-6] [PAP-7] a sub-task that asks resumes the parent with the question; a contact with it is the answer', async () => {
    const root = await on.at(a);
    const { task } = await give(b, 'write the report');
    await on.say(a, 'answer', 'I wait.', root);
    await on.say(b, 'question', 'In which language?');
    expect(await on.row(root.id)).toMatchObject({ state: 'active' });
    expect(await told(root.id)).toEqual([['In which language?']]);
    const answered = await give(b, 'In Dutch.');
    expect(answered.task.id).toBe(task.id);
    expect((await answered.outcome).text).toContain(`(subtask ${task.id})`);
    await on.say(a, 'answer', 'I wait again.', root);
    await on.say(b, 'answer', 'Het rapport.');
    expect((await told(root.id)).at(-1)).toEqual([`[Delegation Result from B${n} | ${task.id}]`, 'Het rapport.']);
  });

  test('[IAC-6] [C2A-22] a sub-task that is held up and says so with a signal resumes the parent, too; a contact with it is the answer', async () => {
    const root = await on.at(a);
    const [{ task }, toC] = [await give(b, 'write the report'), await give(c)];
    await on.say(c, 'answer', 'C came first', toC.task);
    const { by } = (await on.floor.kit.hub.kernel.auth.principal(b.token))!;
    const { lease } = await on.row(task.id);
    const mark = { type: 'message.react', by, messageId: task.messageId, emoji: '❓', on: true, lease } as const;
    await on.floor.kit.hub.kernel.engine.submit(mark);
    await on.say(a, 'answer', 'I wait.', root);
    expect(await on.row(root.id)).toMatchObject({ state: 'active' });
    expect(await on.state(task.id)).toBe('waiting pending');
    expect(await told(root.id)).toEqual([]);
    await (
      await give(b, 'In Dutch.')
    ).outcome;
    await on.say(a, 'answer', 'I wait again.', root);
    expect((await told(root.id)).map((lines) => lines[1])).toEqual(['C came first']);
    await on.say(b, 'answer', 'Het rapport.', task);
    await on.say(a, 'answer', 'One of two.', root);
    expect((await told(root.id)).at(-1)).toEqual([`[Delegation Result from B${n} | ${task.id}]`, 'Het rapport.']);
  });

  test('[IAC-6] a question that is heard and not answered ends the sub-task, and the parent learns it: nobody waits for nobody', async () => {
    const root = await on.at(a);
    const { task } = await give(b, 'write the report');
    await on.say(a, 'answer', 'I wait.', root);
    await on.say(b, 'question', 'In which language?');
    await on.say(a, 'answer', 'I still wait.', root);
    expect((await on.row(task.id)).state).toBe('timed_out');
    expect(await on.row(root.id)).toMatchObject({ state: 'active' });
    expect((await told(root.id)).at(-1)![1]).toBe(`Error: B${n} failed to complete the task: its question was not answered.`);
  });

  test('[IAC-6] pausing waits for it as well, and goes on at once with what has come', async () => {
    const root = await on.at(a);
    const { task } = await give(b);
    const { by } = (await on.floor.kit.hub.kernel.auth.principal(a.token))!;
    const pause = async () =>
      on.floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by, taskId: root.id, lease: (await on.row(root.id)).lease });
    await pause();
    expect((await on.row(root.id)).state).toBe('awaiting_delegation');
    await on.say(b, 'answer', 'done', task);
    expect((await on.row(root.id)).state).toBe('active');
    expect(await told(root.id)).toHaveLength(1);
  });

  test('[IAC-15] for a sleeper it waits until it wakes, unless that is past the chain’s time', async () => {
    await on.at(a);
    const sleep = (ms: number) =>
      on.floor.ann.call('editAgent', { params: { memberId: b.id }, body: { asleepUntil: on.floor.clock.now() + ms } });
    await sleep(40 * minute);
    expect((await on.contact(a, b, { action: 'delegate' })).text).toBe(
      `Error: B${n} sleeps until after this chain's time is over. Use 'ask' to wake it, or 'notify' to leave a message.`,
    );
    await sleep(10 * minute);
    const { taskId } = await on.contact(a, b, { action: 'delegate' });
    await on.floor.pass(9 * minute);
    expect((await on.row(taskId!)).state).toBe('queued');
    await on.floor.pass(2 * minute);
    expect((await on.row(taskId!)).state).toBe('active');
  });

  test('[IAC-4] to one who is above in the path it is refused: no circles', async () => {
    await on.at(a);
    await give(b);
    expect((await on.contact(b, a, { action: 'delegate' })).text).toBe(
      `Error: A${n} is already working above you in this chain. Report back to your caller.`,
    );
    expect(await on.count('contacts')).toBeGreaterThan(0);
  });

  test('[IAC-6] when the answer is deleted in the DM, its copy in the task is gone, too', async () => {
    const root = await on.at(a);
    const { task } = await give(b);
    await on.say(a, 'answer', 'I wait.', root);
    const answer = await on.say(b, 'answer', 'a word that must not stay', task);
    await on.floor.kit.hub.kernel.engine.submit({ type: 'message.delete', by: { operator: true }, messageId: answer.id });
    const left = await on.floor.kit.hub.kernel.store.all('select id from messages where body like ?', ['%must not stay%']);
    expect(left).toEqual([]);
  });
});
