// One agent asks another and waits for the answer.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { freshAgents } from '../../kit/floor.ts';
import { contactsFor, eventually } from '../../kit/contacts.ts';

const second = 1000;

onBothEngines('ask', (engine) => {
  const { on, floor } = contactsFor(engine);
  const [a, b, c, d] = freshAgents(floor, 'A', 'B', 'C', 'D');
  let n = 0;
  beforeEach(() => void n++);

  const asked = (from: Person, to: Person, message = 'what was it?') => on.ask(from, to, { message });

  test('[IAC-3] [IAC-10] the answer is the call’s result, in the published words; request and answer stand in the DM', async () => {
    const root = await on.at(a);
    const { outcome, task } = await asked(a, b, 'What was total Q4 revenue?');
    expect(task).toMatchObject({ parentId: root.id, chainId: root.chainId, requesterId: a.id, depth: 1, addressedBy: 'agent_ask' });
    await on.say(b, 'answer', 'It was $2.4M.');
    expect(await outcome).toEqual({ text: `Response from B${n}: It was $2.4M.`, status: 'answered', taskId: task.id });
    expect(await on.dm(a, b)).toEqual([`[Agent Request from A${n} | Pattern: ask]\n\nWhat was total Q4 revenue?`, 'It was $2.4M.']);
    expect(await on.state(task.id)).toBe('completed given');
    expect((await on.newest(a)).state).toBe('active');
  });

  test('[IAC-10] [IAC-11] context crosses as its own paragraph', async () => {
    await on.at(a);
    const { outcome } = await on.ask(a, b, { message: 'How much?', context: 'It is for the CEO.' });
    expect(await on.dm(a, b)).toEqual([`[Agent Request from A${n} | Pattern: ask]\n\nContext: It is for the CEO.\n\nHow much?`]);
    await on.say(b, 'answer', 'Two.');
    await outcome;
  });

  test('[IAC-3] after 120 seconds the wait ends, and the task does not: the late answer is in the DM and resumes nobody', async () => {
    const root = await on.at(a);
    const { outcome, task } = await asked(a, b);
    await on.floor.pass(119 * second);
    expect(await on.state(task.id)).toBe('active pending');
    await on.floor.pass(2 * second);
    expect(await outcome).toEqual({
      text: `Error: B${n} did not respond within 120 seconds. Consider using 'delegate' for async processing.`,
      status: 'timed_out',
      taskId: task.id,
    });
    expect(await on.state(task.id)).toBe('active late');
    await on.say(a, 'answer', 'Nobody knows.', root);
    expect(await on.state(task.id)).toBe('active late');
    await on.say(b, 'answer', 'Here it is after all.', task);
    expect(await on.state(task.id)).toBe('completed late');
    expect((await on.dm(a, b)).at(-1)).toBe('Here it is after all.');
    expect((await on.row(root.id)).state).toBe('completed');
    const { endedAt } = await on.floor.ann.call('getChain', { params: { chainId: root.chainId } });
    expect(endedAt).not.toBeNull();
  });

  test('[IAC-3] a late ask is kept by the caller’s last word, and stopped with the caller', async () => {
    const root = await on.at(a);
    const { outcome, task } = await asked(a, b);
    await on.floor.pass(121 * second);
    await outcome;
    await on.floor.ann.call('stopTask', { params: { taskId: root.id } });
    expect(await on.state(task.id)).toBe('cancelled late');
    expect((await on.floor.say(b, task, 'answer', 'too late')).body.error?.code).toBe('task_over');
  });

  test('[IAC-3] the caller’s task ends while it waits: the wait ends at once, and says why', async () => {
    const over = { text: `Error: B${n} failed to respond: the task it was for has ended.`, status: 'failed' };
    const root = await on.at(a);
    const first = await asked(a, b);
    await on.floor.ann.call('stopTask', { params: { taskId: root.id } });
    expect(await first.outcome).toEqual({ ...over, taskId: first.task.id });
    expect(await on.state(first.task.id)).toBe('cancelled late');
    // By a last word of its own: the one that was asked goes on, and its answer is kept in the DM.
    const again = await on.at(a);
    const second = await asked(a, b, 'and this?');
    await on.say(a, 'answer', 'I do without.', again);
    expect(await second.outcome).toEqual({ ...over, taskId: second.task.id });
    expect(await on.state(second.task.id)).toBe('active late');
    await on.say(b, 'answer', 'That.', second.task);
    expect((await on.dm(a, b)).at(-1)).toBe('That.');
  });

  test('[IAC-3] a refusal is a failure with its reason; so is an error of its brain, or a person who stops it', async () => {
    await on.at(a);
    const first = await asked(a, b);
    await on.decline(b, 'I have no access to that.');
    expect(await first.outcome).toMatchObject({ text: `Error: B${n} failed to respond: I have no access to that.`, status: 'failed' });
    const second = await asked(a, b, 'and this one?');
    await on.floor.ann.call('stopTask', { params: { taskId: second.task.id } });
    expect((await second.outcome).text).toBe(`Error: B${n} failed to respond: a person stopped it.`);
    const third = await asked(a, b, 'and the third thing?');
    const { lease } = await on.row(third.task.id);
    const fail = { type: 'task.fail', by: { operator: true }, taskId: third.task.id, lease, agentId: b.id } as const;
    await on.floor.kit.hub.kernel.engine.submit(fail);
    expect((await third.outcome).text).toBe(`Error: B${n} failed to respond: an error stopped it. Try again later.`);
  });

  test('[IAC-4] A→B→C→D runs; D’s own ask is refused with the advice to report back, and nothing is made', async () => {
    const e = await on.floor.agent(`E${n}`);
    await on.at(a);
    const toB = await asked(a, b);
    const toC = await asked(b, c);
    const toD = await asked(c, d);
    expect([toB.task.depth, toC.task.depth, toD.task.depth]).toEqual([1, 2, 3]);
    const before = [await on.count('tasks'), await on.count('messages'), await on.count('conversations')];
    expect(await on.contact(d, e, {})).toEqual({
      text: 'Error: Maximum agent communication depth (3) reached. Report back to your caller.',
      status: 'refused',
    });
    expect([await on.count('tasks'), await on.count('messages'), await on.count('conversations')]).toEqual(before);
    for (const [who, words] of [
      [d, 'four'],
      [c, 'three and four'],
      [b, 'two, three and four'],
    ] as const)
      await on.say(who, 'answer', words);
    expect((await toB.outcome).text).toBe(`Response from B${n}: two, three and four`);
    expect((await toC.outcome).text).toBe(`Response from C${n}: three and four`);
    expect((await toD.outcome).text).toBe(`Response from D${n}: four`);
  });

  test('[IAC-4] asking back is no circle: A→B→A runs, bounded by depth alone', async () => {
    await on.at(a);
    const toB = await asked(a, b);
    const toA = await asked(b, a, 'what do you mean?');
    expect(toA.task.depth).toBe(2);
    await on.say(a, 'answer', 'the second one', toA.task);
    expect((await toA.outcome).text).toBe(`Response from A${n}: the second one`);
    await on.say(b, 'answer', 'then it is 2');
    expect((await toB.outcome).text).toBe(`Response from B${n}: then it is 2`);
  });

  test('[IAC-5] [IAC-15] an ask runs beside a delegation in the same DM, and beside another ask', async () => {
    await on.at(a);
    const { task: delegated } = await on.ask(a, b, { action: 'delegate', message: 'write a long text' });
    const one = await asked(a, b, 'how is it going?');
    const two = await asked(a, b, 'and what is the title?');
    expect((await on.row(delegated.id)).state).toBe('active');
    await on.say(b, 'answer', 'a title', two.task);
    await on.say(b, 'answer', 'well', one.task);
    expect([(await one.outcome).text, (await two.outcome).text]).toEqual([`Response from B${n}: well`, `Response from B${n}: a title`]);
  });

  test('[IAC-5] [IAC-6] [C2A-20] different questions of one form, asked at once, are no circle: all are answered', async () => {
    await on.at(a);
    const asks: Awaited<ReturnType<typeof asked>>[] = [];
    for (const country of ['Norway', 'Sweden', 'Denmark', 'Finland', 'Iceland', 'Estonia', 'Latvia'])
      asks.push(await asked(a, b, `What was our revenue in ${country}?`));
    for (const { task } of asks) await on.say(b, 'answer', 'Nothing there.', task);
    for (const { outcome } of asks) expect((await outcome).text).toBe(`Response from B${n}: Nothing there.`);
  });

  test('[IAC-15] an ask wakes a sleeper', async () => {
    await on.floor.ann.call('editAgent', { params: { memberId: b.id }, body: { asleepUntil: on.floor.clock.now() + 3_600_000 } });
    await on.at(a);
    const { outcome } = await asked(a, b);
    await on.say(b, 'answer', 'I am awake');
    expect((await outcome).text).toBe(`Response from B${n}: I am awake`);
  });

  test('[IAC-3] a target that crashes mid-ask: the wait ends at 120 seconds, and its answer comes late', async () => {
    await on.at(a);
    const { outcome, task } = await asked(a, b);
    await on.floor.disconnect(b);
    await on.floor.pass(121 * second);
    expect((await outcome).status).toBe('timed_out');
    await on.floor.connect(b);
    await on.floor.pass();
    await on.say(b, 'answer', 'back again', task);
    expect(await on.state(task.id)).toBe('completed late');
  });

  test('[IAC-3] asked back, the question is the answer for now; the caller’s next message goes on with the same sub-task', async () => {
    await on.at(a);
    const first = await asked(a, b, 'what was the revenue?');
    await on.say(b, 'question', 'Of which quarter?');
    expect(await first.outcome).toEqual({ text: `Response from B${n}: Of which quarter?`, status: 'answered', taskId: first.task.id });
    const second = await asked(a, b, 'The fourth.');
    expect(second.task.id).toBe(first.task.id);
    await on.say(b, 'answer', '$2.4M');
    expect(await second.outcome).toMatchObject({ text: `Response from B${n}: $2.4M`, taskId: first.task.id });
  });

  test('[IAC-3] [C2A-22] asked back with a signal, the call says so', async () => {
    await on.at(a);
    const { outcome, task } = await asked(a, b, 'what was the revenue?');
    const { by } = (await on.floor.kit.hub.kernel.auth.principal(b.token))!;
    const { lease } = await on.row(task.id);
    await on.floor.kit.hub.kernel.engine.submit({ type: 'message.react', by, messageId: task.messageId, emoji: '❓', on: true, lease });
    expect((await outcome).text).toBe(`Response from B${n}: (It marked this as blocked or unclear, without a word.)`);
  });

  test('[IAC-3] an ask is waited for in its call: pausing for it would be for ever, and is refused', async () => {
    const root = await on.at(a);
    const { outcome, task } = await asked(a, b);
    const { by } = (await on.floor.kit.hub.kernel.auth.principal(a.token))!;
    const { lease } = await on.row(root.id);
    const pause = () => on.floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by, taskId: root.id, lease });
    await expect(pause()).rejects.toMatchObject({ code: 'invalid_request' });
    await on.floor.pass(121 * second);
    await outcome;
    await expect(pause()).rejects.toMatchObject({ code: 'invalid_request' });
    await on.say(b, 'answer', 'late', task);
    expect(await on.row(root.id)).toMatchObject({ state: 'active', lease });
  });

  test('[C2A-30] [IAC-3] made again under its key the call waits on for the same sub-task', async () => {
    await on.at(a);
    const call = { action: 'ask', message: 'only once?', key: `once-${n}` };
    const { outcome: first } = await on.ask(a, b, call);
    const again = on.contact(a, b, call);
    await on.say(b, 'answer', 'once');
    expect(await again).toEqual(await first);
    expect(await on.dm(a, b)).toHaveLength(2);
    expect(await on.contact(a, b, call)).toEqual(await first);
  });

  test('[C2A-20] asked the same again and again, the exchange is ended and put before a person; the platform’s header hides no circle', async () => {
    await on.at(a);
    const { kernel } = on.floor.kit.hub;
    let last = '';
    for (let i = 0; i < 10 && !last.includes('loop guard'); i++) {
      const outcome = on.contact(a, b, { message: 'Are you sure about that?' }).then(({ text }) => (last = text));
      const active = () => kernel.store.rows('tasks', "where agent_id = ? and state = 'active'", [b.id]);
      await eventually(async () => last.includes('loop guard') || (await active()).length > 0);
      if ((await active()).length > 0) await on.say(b, 'answer', 'Yes, I am sure about that.');
      await outcome;
    }
    expect(last).toBe(`Error: B${n} failed to respond: the loop guard ended the exchange.`);
    const { checkpoints } = await on.floor.ann.call('listCheckpoints', { query: {} });
    expect(checkpoints.map(({ kind }) => kind)).toContain('no_progress');
  });
});
