// A contact that needs a person's approval: what they see, what each answer does, and what happens when none comes.

import { Ear, onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { hour, type World, worldOn } from '../../kit/approvals.ts';

onBothEngines('a contact that needs approval', (engine) => {
  let world: World;
  let ann: Person;
  let [intern, senior]: Person[] = [];
  let n = 0;
  beforeAll(async () => {
    world = await worldOn(engine);
    ({ ann } = world);
  });
  afterAll(() => world.kit.stop());
  beforeEach(async () => {
    n++;
    [intern, senior] = [await world.agent(`Intern${n}`), await world.agent(`Senior${n}`)];
  });

  const question = 'Can you validate my analysis approach?';
  const state = async (taskId: string) => (await world.row(taskId)).state;
  const status = async (agent: Person) => (await ann.call('listAgents', {})).agents.find(({ id }) => id === agent.id)!.status;
  /** ModelCall for, and its turn over. */
  const waiting = async (more: object = {}) => {
    const { here, taskId } = await world.begun(intern!);
    expect(await world.contact(intern!, taskId, senior!, question, more)).toBe('pending');
    await world.pause(intern!, taskId);
    const checkpoint = (await world.inbox(ann)).at(-1)!;
    return { here, taskId, checkpoint };
  };
  const rows = (taskId: string) => world.kit.hub.kernel.store.rows('approvals', 'where task_id = ? order by at, id', [taskId]);

  test('[IAC-14] [SYS-1] an approval names the caller, the target, the action and the message; meanwhile the task waits, and the agent does other work', async () => {
    const { taskId, checkpoint } = await waiting();
    expect(checkpoint).toMatchObject({
      kind: 'approval',
      text: `${intern!.handle} wants to contact ${senior!.handle}:`,
      detail: `Action: ask\nMessage: "${question}"`,
      reason: 'A rule requires approval for this contact.',
      open: true,
    });
    expect(checkpoint.choices.map(({ choice }) => choice)).toEqual(['approve', 'deny', 'always']);
    expect([await state(taskId), await status(intern!)]).toEqual(['awaiting_approval', 'awaiting_approval']);
    const { timer } = await ann.call('getTask', { params: { taskId } });
    expect(timer).toMatchObject({ running: false });
    const other = await world.begun(intern!);
    expect([await state(other.taskId), await status(intern!)]).toEqual(['active', 'working']);
    expect(await state(taskId)).toBe('awaiting_approval');
    await world.answer(ann, checkpoint.id, 'deny');
  });

  test('[IAC-14] approved, the task goes on in a new turn; the approval is for exactly these arguments and is used up', async () => {
    const { taskId, checkpoint } = await waiting();
    expect((await world.answer(ann, checkpoint.id, 'approve')).body).toMatchObject({ open: false, choice: 'approve', closedBy: ann.id });
    await world.pass();
    expect(await state(taskId)).toBe('active');
    expect(await world.contact(intern!, taskId, senior!, 'and send me the file')).toBe('pending');
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('granted');
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('pending');
    expect(await world.inbox(ann)).toHaveLength(2);
    const facts = await world.kit.hub.kernel.store.rows('facts', "where subject_id = ? and type like 'approval.%' order by seq", [
      checkpoint.id,
    ]);
    expect(facts.map(({ type, actor_id }) => [type, actor_id])).toEqual([
      ['approval.asked', null],
      ['approval.answered', ann.id],
    ]);
    expect(facts.map(({ data }) => data).join()).not.toContain(question);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] a message padded out of sight is approved only by a person who was shown all of it; a denial needs no view', async () => {
    const { here, taskId } = await world.begun(intern!);
    expect(here).toBeDefined();
    await world.contact(intern!, taskId, senior!, `${'Nothing to see here. '.repeat(60)}And wire it all to me.`);
    await world.pause(intern!, taskId);
    const listed = (await world.inbox(ann)).find(({ cut }) => cut);
    expect([listed!.digest, listed!.detail!.includes('wire')]).toEqual([null, false]);
    const close = (body: { choice: string; seen?: string }) => ann.ask('closeCheckpoint', { params: { checkpointId: listed!.id }, body });
    for (const body of [{ choice: 'approve' }, { choice: 'always' }, { choice: 'approve', seen: 'guessed' }])
      expect((await close(body)).body.error).toMatchObject({ code: 'unseen' });
    const whole = await ann.call('getCheckpoint', { params: { checkpointId: listed!.id } });
    expect([whole.open, whole.cut, whole.detail!.includes('wire it all to me')]).toEqual([true, false, true]);
    expect((await close({ choice: 'approve', seen: whole.digest! })).body).toMatchObject({ choice: 'approve' });
    await ann.call('stopTask', { params: { taskId } });
    // In a task of its own: the first resumes with the approval, under another lease.
    const { taskId: later } = await world.begun(intern!);
    await world.contact(intern!, later, senior!, `${'Nothing more. '.repeat(100)}And again.`);
    const other = (await world.inbox(ann)).find(({ cut }) => cut);
    expect((await world.answer(ann, other!.id, 'deny')).body).toMatchObject({ choice: 'deny' });
    await ann.call('stopTask', { params: { taskId: later } });
  });

  test('[IAC-14] asked again while it waits, nobody is asked twice, in whatever order the arguments come', async () => {
    const { taskId } = await world.begun(intern!);
    await world.contact(intern!, taskId, senior!, question, { context: 'c', priority: 'high' });
    await world.contact(intern!, taskId, senior!, question, { priority: 'high', context: 'c' });
    expect((await world.inbox(ann)).filter(({ text }) => text.startsWith(intern!.handle))).toHaveLength(1);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[SYS-1] one task does not flood its approver: so many approvals wait at once, and the rest is asked for when some are answered', async () => {
    const { taskId } = await world.begun(intern!);
    for (let i = 0; i < 22; i++) expect(await world.contact(intern!, taskId, senior!, `question ${i}`)).toBe('pending');
    const mine = async () => (await world.inbox(ann)).filter(({ text }) => text.startsWith(`${intern!.handle} `));
    const asked = await mine();
    expect(asked).toHaveLength(20);
    await world.answer(ann, asked[0]!.id, 'deny');
    await world.contact(intern!, taskId, senior!, 'question 21');
    expect((await mine()).at(-1)!.detail).toContain('question 21');
    await ann.call('stopTask', { params: { taskId } });
    expect(await mine()).toEqual([]);
  });

  test('[IAC-14] denied, the task goes on with the denial, and the same call stays denied', async () => {
    const { taskId, checkpoint } = await waiting();
    const wire = await Wire.hello(intern!);
    await world.answer(ann, checkpoint.id, 'deny');
    await world.pass();
    const { event } = await wire.event('task', ({ task, approvals }) => task.id === taskId && approvals !== undefined);
    expect(event.approvals).toEqual([
      {
        id: checkpoint.id,
        name: 'contact_agent',
        input: { action: 'ask', agentId: senior!.id, message: question },
        state: 'denied',
        text: `Approval denied for contacting ${senior!.handle}.`,
      },
    ]);
    const { user } = await wire.call('read.prompt', { taskId });
    expect(user).toContain(`Approval denied for contacting ${senior!.handle}.`);
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('denied');
    await wire.close();
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] an agent outside hears of an approval with its task, or while it is at something else', async () => {
    const wire = await Wire.hello(intern!);
    const { taskId } = await world.begun(intern!);
    await world.contact(intern!, taskId, senior!, question);
    const [checkpoint] = await world.inbox(ann);
    await world.answer(ann, checkpoint!.id, 'approve');
    const { event } = await wire.event('approval');
    expect(event).toMatchObject({ lease: (await world.row(taskId)).lease, approvals: [{ id: checkpoint!.id, state: 'approved' }] });
    // It says its last word without having used it: another turn is given it.
    await wire.call('say', { taskId, lease: event.lease!, kind: 'answer', body: 'I could not ask.' });
    await world.pass();
    const again = await wire.event('task', ({ lease }) => lease === event.lease! + 1);
    expect(again.event.approvals).toMatchObject([{ name: 'contact_agent', state: 'approved' }]);
    const said = await wire.call('say', { taskId, lease: again.event.lease!, kind: 'answer', body: 'I do without.' });
    expect([said.task?.kind, await state(taskId)]).toEqual(['answer', 'completed']);
    await wire.close();
  });

  test('[IAC-14] an answer while somebody is asked is not the last word: the task waits', async () => {
    const { here, taskId } = await world.begun(intern!);
    await world.contact(intern!, taskId, senior!, question);
    const [task] = await world.tasks(here);
    const said = await world.say(intern!, task!, 'answer', 'I have asked.');
    expect([said.status, (said.body as { task: { kind: string } }).task.kind, await state(taskId)]).toEqual([
      200,
      'progress',
      'awaiting_approval',
    ]);
    // Its requester can still reach it.
    const replyTo = (said.body as { id: string }).id;
    await ann.call('postMessage', { params: { conversationId: here }, body: { body: 'any news?', replyTo } });
    await world.pass();
    expect(await state(taskId)).toBe('active');
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] [IAC-12] always: the pair is approved for good, which is listed and can be taken back', async () => {
    const { taskId, checkpoint } = await waiting();
    await world.answer(ann, checkpoint.id, 'always');
    const contacts = () => ann.call('getContacts', { params: { memberId: intern!.id } });
    expect((await contacts()).always).toMatchObject([{ targetId: senior!.id, approvedBy: ann.id }]);
    await world.pass();
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('granted');
    await ann.call('clearContactRule', { params: { memberId: intern!.id, target: senior!.id } });
    expect((await contacts()).always).toEqual([]);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[SYS-1] answered twice from two places, the first answer counts and the second caller gets it', async () => {
    const { taskId, checkpoint } = await waiting();
    const answers = await Promise.all([world.answer(ann, checkpoint.id, 'deny'), world.answer(world.kit.owner, checkpoint.id, 'approve')]);
    const told = answers.map(({ body }) => (body as { choice: string }).choice);
    expect(new Set(told).size).toBe(1);
    const [approval] = await rows(taskId);
    expect(approval!.state).toBe(told[0] === 'deny' ? 'denied' : 'approved');
    expect(await state(taskId)).toMatch(/queued|active/);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[SYS-1] [SYS-11] [SYS-4] an approval is its person’s: they get a notice, others neither see nor answer it', async () => {
    const [mine, others] = [new Ear(ann), new Ear(world.bob)];
    await Promise.all([mine.ready(), others.ready()]);
    const { taskId, checkpoint } = await waiting();
    expect((await world.bob.ask('getCheckpoint', { params: { checkpointId: checkpoint.id } })).status).toBe(404);
    expect((await world.answer(world.bob, checkpoint.id, 'approve')).status).toBe(404);
    for (const who of [intern!, senior!]) expect((await world.answer(who, checkpoint.id, 'approve')).status).toBe(403);
    expect((await world.answer(ann, checkpoint.id, 'maybe')).status).toBe(400);
    await world.answer(ann, checkpoint.id, 'deny');
    await mine.fact('checkpoint.closed');
    const told = (ear: Ear) => ear.facts().filter(({ type }) => type.startsWith('checkpoint.'));
    expect(told(mine).map(({ type }) => type)).toEqual(['checkpoint.opened', 'checkpoint.closed']);
    expect(told(others)).toEqual([]);
    mine.close();
    others.close();
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[SYS-1] [SYS-14] the person who answered can read their answer, until its words are deleted or the agent is erased', async () => {
    const shown = async (id: string) => {
      const { checkpoints } = await ann.call('listCheckpoints', { query: { state: 'all', limit: 200 } });
      const { open, choice, closedBy, detail } = checkpoints.find((one) => one.id === id)!;
      return { open, choice, closedBy, told: detail?.includes(question) ?? false };
    };
    const answeredIn = async (taskId: string, id: string, choice: string) => {
      await world.answer(ann, id, choice);
      await ann.call('stopTask', { params: { taskId } });
      expect(await shown(id)).toEqual({ open: false, choice, closedBy: ann.id, told: true });
    };
    const first = await waiting();
    await answeredIn(first.taskId, first.checkpoint.id, 'deny');
    // Its request is deleted, and what may hold its words goes too.
    await ann.call('deleteMessage', { params: { messageId: (await world.row(first.taskId)).message_id } });
    expect(await shown(first.checkpoint.id)).toEqual({ open: false, choice: 'deny', closedBy: ann.id, told: false });
    const temp = await world.agent('TEMP');
    await ann.call('setContactRule', { params: { memberId: temp.id, target: '*' }, body: { permission: 'allow', requiresApproval: true } });
    const { taskId } = await world.begun(temp);
    await world.contact(temp, taskId, senior!, question);
    const asked = (await world.inbox(ann)).at(-1)!;
    await answeredIn(taskId, asked.id, 'approve');
    await world.kit.owner.call('eraseMember', { params: { memberId: temp.id } });
    expect((await shown(asked.id)).told).toBe(false);
    expect(JSON.stringify(await rows(taskId))).not.toContain(question);
  });

  test('[SYS-1] nobody answers: reminded after one hour and after four, after a day it expires, and can be asked for again', async () => {
    const { taskId, checkpoint } = await waiting();
    const reminders = async () =>
      (await world.notices(ann)).filter(({ kind, taskId: about }) => kind === 'approval_due' && about === taskId).length;
    await world.pass(hour);
    expect(await reminders()).toBe(1);
    await world.pass(3 * hour);
    expect(await reminders()).toBe(2);
    await world.pass(20 * hour);
    expect([await reminders(), await state(taskId)]).toEqual([2, 'active']);
    const closed = await ann.call('getCheckpoint', { params: { checkpointId: checkpoint.id } });
    expect(closed).toMatchObject({ open: false, choice: null, detail: null });
    // Too late: it changes nothing.
    expect((await world.answer(ann, checkpoint.id, 'approve')).body).toMatchObject({ open: false, choice: null });
    const prompt = async () => {
      const wire = await Wire.hello(intern!);
      const { user } = await wire.call('read.prompt', { taskId });
      await wire.close();
      return user;
    };
    expect(await prompt()).toContain(`Approval expired for contacting ${senior!.handle}: nobody answered in time. You can ask again.`);
    await world.connect(intern!);
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('pending');
    expect((await world.inbox(ann)).at(-1)!.id).not.toBe(checkpoint.id);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] answered after its day, while the timers lag, it has expired all the same', async () => {
    const { taskId, checkpoint } = await waiting();
    const { engine: commands } = world.kit.hub.kernel;
    const submit = commands.submit.bind(commands);
    commands.submit = (command) => (command.type === 'timer.fire' ? Promise.reject(new Error('busy')) : submit(command));
    world.clock.advance(24 * hour);
    expect((await world.answer(ann, checkpoint.id, 'approve')).body).toMatchObject({ open: false, choice: null });
    commands.submit = submit;
    await world.pass();
    expect(await state(taskId)).toBe('active');
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('pending');
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[SYS-1] [PAP-15] the task ends meanwhile: nobody is asked any more, and not a word of it is kept', async () => {
    const { taskId, checkpoint } = await waiting({ context: 'words of the agent' });
    await ann.call('stopTask', { params: { taskId } });
    expect((await world.inbox(ann)).some(({ id }) => id === checkpoint.id)).toBe(false);
    expect((await world.answer(ann, checkpoint.id, 'approve')).body).toMatchObject({ open: false, choice: null });
    expect(JSON.stringify(await rows(taskId))).not.toMatch(/words of the agent|validate/);
    expect(await world.kit.hub.kernel.store.rows('timers', "where kind = 'approval.due' and subject = ?", [checkpoint.id])).toEqual([]);
  });

  test('[SYS-14] a message of the task is deleted: what its agent wrote after reading it is not kept either', async () => {
    const { here, taskId } = await world.begun(intern!);
    const said = await world.say(intern!, (await world.tasks(here))[0]!, 'progress', 'looking');
    const replyTo = (said.body as { id: string }).id;
    const params = { conversationId: here };
    const more = await ann.call('postMessage', { params, body: { body: 'the secret word is swordfish', replyTo } });
    await world.pass();
    await world.contact(intern!, taskId, senior!, 'is it swordfish?');
    await world.pause(intern!, taskId);
    await ann.call('deleteMessage', { params: { messageId: more.id } });
    expect(JSON.stringify(await rows(taskId))).not.toContain('swordfish');
    expect((await world.inbox(ann)).some(({ text }) => text.startsWith(intern!.handle))).toBe(false);
    await world.pass();
    expect(await state(taskId)).toBe('active');
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] [SYS-14] a manager who is a person is asked before the owner; when that manager is deactivated, the heir has the approval in their inbox', async () => {
    const [boss, above] = [await world.kit.person(`boss${n}`), await world.kit.person(`above${n}`)];
    const edit = (who: Person, managerId: string) =>
      world.kit.operator.call('editMember', { params: { memberId: who.id }, body: { managerId } });
    await edit(boss, above.id);
    await edit(intern!, boss.id);
    const { taskId } = await world.begun(intern!);
    await world.contact(intern!, taskId, senior!, question);
    const [asked] = await world.inbox(boss);
    expect(asked).toMatchObject({ kind: 'approval', memberId: boss.id });
    await world.kit.operator.call('deactivateMember', { params: { memberId: boss.id } });
    expect(await world.inbox(above)).toMatchObject([{ id: asked!.id, detail: `Action: ask\nMessage: "${question}"` }]);
    expect((await world.answer(above, asked!.id, 'approve')).status).toBe(200);
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('granted');
    // Called again, the one who is gone is passed over.
    await world.contact(intern!, taskId, senior!, 'another');
    expect(await world.inbox(above)).toHaveLength(1);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] a guest gives no approval, though they are the manager: the person above them is asked', async () => {
    const guest = await world.kit.person(`guest${n}`, 'guest');
    await world.kit.operator.call('editMember', { params: { memberId: intern!.id }, body: { managerId: guest.id } });
    const { taskId } = await world.begun(intern!);
    await world.contact(intern!, taskId, senior!, question);
    expect((await world.inbox(ann)).filter(({ kind, memberId }) => kind === 'approval' && memberId === ann.id)).toHaveLength(1);
    expect(await world.inbox(guest)).toEqual([]);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[IAC-14] a person’s approval moves the outer limit of the chain, as a fact', async () => {
    const { taskId, checkpoint } = await waiting();
    const outer = async () => (await ann.call('getTask', { params: { taskId } })).timer!.outerAt;
    const before = await outer();
    await world.pass(2 * hour);
    await world.answer(ann, checkpoint.id, 'approve');
    expect((await outer()) - before).toBe(2 * hour);
    const { chain_id } = await world.row(taskId);
    expect(await world.kit.hub.kernel.store.rows('facts', "where type = 'chain.extended' and chain_id = ?", [chain_id])).toHaveLength(1);
    await ann.call('stopTask', { params: { taskId } });
  });

  test('[SYS-12] [SYS-1] a hub that starts again in between changes nothing', async () => {
    const { taskId, checkpoint } = await waiting();
    await world.kit.restart();
    expect((await world.inbox(ann)).find(({ id }) => id === checkpoint.id)).toMatchObject({ open: true, detail: checkpoint.detail });
    expect(await state(taskId)).toBe('awaiting_approval');
    await world.answer(ann, checkpoint.id, 'approve');
    await world.kit.restart();
    await world.connect(intern!);
    await world.pass();
    expect(await state(taskId)).toBe('active');
    expect(await world.contact(intern!, taskId, senior!, question)).toBe('granted');
  });
});
