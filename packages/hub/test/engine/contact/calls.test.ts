// What may be wrong with a call, who may make it, how the other stands; notifications, the DM, and who reads what.

import { maxContactText } from '@parley/core';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { AgentReads } from '../../../src/turns/agent-reads.ts';
import { freshAgents } from '../../kit/floor.ts';
import { type Call, contactsFor } from '../../kit/contacts.ts';

onBothEngines('contact_agent', (engine) => {
  const { on, floor } = contactsFor(engine);
  const [a, b, c] = freshAgents(floor, 'A', 'B', 'C');
  let n = 0;
  beforeEach(() => void n++);
  const everything = async () => Promise.all((['tasks', 'messages', 'conversations', 'contacts'] as const).map((table) => on.count(table)));
  const kernel = () => on.floor.kit.hub.kernel;

  test('[IAC-1] [IAC-2] every problem of a call is reported with the remedy, and nothing is made', async () => {
    await on.at(a);
    const before = await everything();
    const actions = 'ask, delegate, notify';
    const bad: [Person | string, Call, string][] = [
      ['mem_nobody', {}, 'Error: No agent with id \'mem_nobody\'. Use query_workspace(action: "list_agents") to find agents.'],
      [on.floor.ann, {}, `Error: No agent with id '${on.floor.ann.id}'. Use query_workspace(action: "list_agents") to find agents.`],
      ['', {}, 'Error: No agent with id \'\'. Use query_workspace(action: "list_agents") to find agents.'],
      [a, {}, 'Error: You cannot contact yourself.'],
      [b, { action: 'shout' }, `Error: Unknown action 'shout'. Use one of: ${actions}.`],
      [b, { message: '' }, "Error: 'message' is missing. Say what you want to ask, delegate or tell."],
      [b, { message: ' \n ' }, "Error: 'message' is missing. Say what you want to ask, delegate or tell."],
      [b, { action: 'delegate', priority: 'asap' }, "Error: Unknown priority 'asap'. Use one of: low, normal, high, urgent."],
      [b, { message: 'x'.repeat(maxContactText + 1) }, "Error: 'message' is too long. Use at most 40000 characters: sum it up."],
      [b, { context: 'x'.repeat(maxContactText + 1) }, "Error: 'context' is too long. Use at most 40000 characters: sum it up."],
      [b, { message: 'a\u0000b' }, "Error: 'message' has control characters or broken Unicode in it. Send plain text."],
    ];
    for (const [to, call, text] of bad) expect(await on.contact(a, to, call)).toEqual({ text, status: 'refused' });
    expect(await everything()).toEqual(before);
    // That it was tried is a fact; not a word of what it wanted to say is in it.
    const refused = await kernel().store.rows('facts', "where type = 'contact.refused' and member_id = ?", [a.id]);
    expect(refused).toHaveLength(bad.length);
    expect(refused.some(({ data }) => data.includes('shout'))).toBe(false);
  });

  test('[IAC-15] an offline agent is unavailable to ask and delegate, and a notification is stored for it', async () => {
    await on.floor.disconnect(b);
    await on.at(a);
    const before = await everything();
    const text = `Error: B${n} is offline and unavailable. Use 'notify' to leave a message.`;
    for (const action of ['ask', 'delegate']) expect(await on.contact(a, b, { action })).toEqual({ text, status: 'refused' });
    expect(await everything()).toEqual(before);
    expect(await on.contact(a, b, { action: 'notify', message: 'It is done.' })).toEqual({
      text: `Notification sent to B${n}.`,
      status: 'notified',
    });
    expect(await on.dm(a, b)).toEqual([`[Agent Notification from A${n}]\n\nIt is done.`]);
  });

  test('[IAC-9] a notification wakes nobody, is no hop, and is found in the mailbox', async () => {
    const root = await on.at(a);
    const tasks = await on.count('tasks');
    await on.contact(a, b, { action: 'notify', message: 'The analysis is complete.' });
    await on.floor.pass();
    expect(await on.count('tasks')).toBe(tasks);
    const [posted] = await kernel().store.rows('facts', "where type = 'message.posted' and chain_id = ? order by seq desc limit 1", [
      root.chainId,
    ]);
    const { ruling } = JSON.parse(posted!.data) as { ruling: { notification: boolean; except: Record<string, string[]> } };
    expect([ruling.notification, ruling.except[b.id]]).toEqual([true, ['must_not_respond', 'tool_mailbox', 'notification']]);
    // At the deepest place, too.
    const { store, engine: commands } = kernel();
    expect(await on.contact(a, c, { action: 'notify', message: 'again', key: `k${n}` })).toMatchObject({ status: 'notified' });
    expect(await on.contact(a, c, { action: 'notify', message: 'again', key: `k${n}` })).toMatchObject({ status: 'notified' });
    expect(await on.dm(a, c)).toHaveLength(1);
    // ModelCall later, it has it before it: they have the same person above them.
    const { task } = await on.ask(a, b, { message: 'what now?' });
    const past = await new AgentReads({ store, engine: commands }, b.id, task.id).past();
    expect(past.map(({ body }) => body)).toEqual([`[Agent Notification from A${n}]\n\nThe analysis is complete.`]);
  });

  test('[IAC-10] two that contact each other at the same moment have one DM', async () => {
    const [mine, theirs] = [await on.at(a), await on.at(b)];
    await Promise.all([
      on.contact(a, b, { action: 'notify', message: 'hello B' }, mine),
      on.contact(b, a, { action: 'notify', message: 'hello A' }, theirs),
      on.contact(a, b, { action: 'notify', message: 'and again' }, mine),
    ]);
    const key = [a.id, b.id].sort().join(',');
    expect(await kernel().store.rows('conversations', 'where dm_key = ?', [key])).toHaveLength(1);
    expect(await on.dm(a, b)).toHaveLength(3);
  });

  test('[IAC-10] people who answer for one of the agents read their DM, with its sources; others do not know of it', async () => {
    await on.at(a);
    const { outcome, task } = await on.ask(a, b, { message: 'what is it?' });
    await on.say(b, 'answer', 'this');
    await outcome;
    const read = (who: Person) => who.ask('listMessages', { params: { conversationId: task.conversationId }, query: {} });
    const { status, body } = await read(on.floor.ann);
    expect(status).toBe(200);
    expect(body.messages.map(({ source, authorId }) => [source, authorId])).toEqual([
      ['agent_contact', a.id],
      [null, b.id],
    ]);
    expect((await read(on.floor.bob)).status).toBe(404);
    const facts = await kernel().store.rows('facts', 'where conversation_id = ? order by seq', [task.conversationId]);
    expect(facts.map(({ type }) => type)).toContain('task.opened');
  });

  test('[IAC-11] [SYS-9] an agent gets the last 20 messages of the DM where all hearers may read it, else those of this chain', async () => {
    const { store, engine: commands } = kernel();
    const private_ = await on.floor.ann.call('createChannel', { body: { name: `private-${n}`, visibility: 'private' } });
    await on.floor.ann.call('addToConversation', { params: { conversationId: private_.id }, body: { memberId: a.id } });
    const asking = async (here: string) => {
      await on.floor.ann.post(here, `^A${n} do it`);
      await on.floor.pass();
      return on.newest(a);
    };
    const first = await asking(private_.id);
    for (let i = 0; i < 22; i++) await on.contact(a, b, { action: 'notify', message: `note ${i}` }, first);
    const inPrivate = await on.ask(a, b, { message: 'what do you know?' });
    const read = (taskId: string) => new AgentReads({ store, engine: commands }, b.id, taskId);
    const past = (await read(inPrivate.task.id).past()).map(({ body }) => body!.split('\n').at(-1));
    expect(past).toEqual(Array.from({ length: 20 }, (_, i) => `note ${i + 2}`));
    const { user } = await read(inPrivate.task.id).prompt();
    expect([user.includes('note 2'), user.includes('note 1\n'), user.includes('do it')]).toEqual([true, false, false]);
    expect(user).toMatch(/history msg_\w+ by \^A/);
    await on.say(b, 'answer', 'enough');
    await inPrivate.outcome;
    await on.say(a, 'answer', 'thanks', first);
    // In a room where bob is, who may not read what the two say to each other.
    const second = await on.at(a, 'and this?', on.floor.bob);
    await on.contact(a, b, { action: 'notify', message: 'in this chain' }, second);
    const inPublic = await on.ask(a, b, { message: 'what do you know now?' });
    expect((await read(inPublic.task.id).past()).map(({ body }) => body!.split('\n').at(-1))).toEqual(['in this chain']);
    await expect(read(inPublic.task.id).history({ limit: 50 })).rejects.toMatchObject({ code: 'outside_task' });
    await on.say(b, 'answer', 'nothing');
  });

  test('[IAC-11] nothing of the caller’s other conversations crosses', async () => {
    await on.at(a, 'the secret is moonshine');
    const { task } = await on.ask(a, b, { message: 'what is two and two?' });
    const { store, engine: commands } = kernel();
    const reader = new AgentReads({ store, engine: commands }, b.id, task.id);
    const { system, user } = await reader.prompt();
    expect(`${system}${user}`).not.toContain('moonshine');
    const [root] = await store.rows('tasks', 'where id = ?', [task.parentId]);
    await expect(reader.history({ conversationId: root!.conversation_id, limit: 10 })).rejects.toMatchObject({ code: 'outside_task' });
  });

  test('[IAC-12] a rule that denies, and one that demands approval; the task waits for that', async () => {
    const root = await on.at(a);
    const { store } = kernel();
    const rule = async (target: string, permission: 'allow' | 'deny', requires_approval: number) => {
      const { transaction } = await store.begin([], []);
      const row = { agent_id: a.id, target, permission, requires_approval, set_by: null, at: 0 };
      await transaction.commit({ inserts: [{ table: 'contact_rules', row }], updates: [], deletes: [], facts: [] });
    };
    await rule(b.id, 'deny', 0);
    expect(await on.contact(a, b, {})).toEqual({ text: `Error: You are not permitted to contact B${n}.`, status: 'refused' });
    await rule(c.id, 'allow', 1);
    const before = await everything();
    expect(await on.contact(a, c, {})).toEqual({
      text: 'This action requires approval. Waiting for approval...',
      status: 'awaiting_approval',
    });
    expect(await everything()).toEqual(before);
    await on.say(a, 'answer', 'I wait for approval.', root);
    expect((await on.row(root.id)).state).toBe('awaiting_approval');
  });

  test('[IAC-14] [IAC-15] an approval is used up by a contact that is made: not by one whose target is away, for which nobody is asked', async () => {
    const { ann } = on.floor;
    await on.at(a);
    await ann.call('setContactRule', { params: { memberId: a.id, target: c.id }, body: { permission: 'allow', requiresApproval: true } });
    const mine = async () =>
      (await ann.call('listCheckpoints', { query: {} })).checkpoints.filter(({ text }) => text.startsWith(`A${n} wants`));
    expect((await on.contact(a, c, { action: 'delegate' })).status).toBe('awaiting_approval');
    const [asked] = await mine();
    await ann.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'approve' } });
    await on.floor.disconnect(c);
    const away = `Error: C${n} is offline and unavailable. Use 'notify' to leave a message.`;
    for (const message of ['what is it?', 'and this?'])
      expect(await on.contact(a, c, { action: 'delegate', message })).toEqual({ text: away, status: 'refused' });
    expect(await mine()).toEqual([]);
    await on.floor.connect(c);
    expect((await on.contact(a, c, { action: 'delegate' })).status).toBe('delegated');
    expect((await on.contact(a, c, { action: 'delegate' })).status).toBe('awaiting_approval');
  });

  test('[SYS-13] after others’ words an agent contacts nobody outside its requester’s trust without approval', async () => {
    const mine = await on.floor.agent(`MINE${n}`);
    const theirs = await on.floor.agent(`THEIRS${n}`, { owner: on.floor.bob });
    const root = await on.at(a);
    expect((await on.contact(a, theirs, { action: 'notify', message: 'hello' })).status).toBe('notified');
    await kernel().engine.submit({ type: 'task.taint', by: { operator: true }, taskId: root.id, source: { kind: 'tool', name: 'web' } });
    expect((await on.contact(a, theirs, { action: 'notify', message: 'the secret' })).status).toBe('awaiting_approval');
    expect((await on.contact(a, mine, { action: 'notify', message: 'hello' })).status).toBe('notified');
  });

  test('[IAC-12] [IAC-14] an approval for good holds for what was asked then: not for a line for all, or a mode, that asks for more', async () => {
    const { ann } = on.floor;
    const rule = (target: string, body: { permission: 'allow' | 'deny'; requiresApproval?: boolean }) =>
      ann.call('setContactRule', { params: { memberId: a.id, target }, body });
    const mode = (to: 'autonomous' | 'supervised' | 'strict') => ann.call('editAgent', { params: { memberId: a.id }, body: { mode: to } });
    let said = 0;
    const tries = async () => (await on.contact(a, c, { action: 'notify', message: `word ${++said}` })).status;
    const always = async () => {
      expect(await tries()).toBe('awaiting_approval');
      const { checkpoints } = await ann.call('listCheckpoints', { query: {} });
      const { id } = checkpoints.findLast(({ text }) => text.startsWith(`A${n} wants`))!;
      await ann.call('closeCheckpoint', { params: { checkpointId: id }, body: { choice: 'always' } });
      expect(await tries()).toBe('notified');
    };
    await on.at(a);
    await mode('supervised');
    await always();
    // A looser mode asks for nothing; from there the same one as before is a stricter one.
    await mode('autonomous');
    expect(await tries()).toBe('notified');
    await mode('supervised');
    await always();
    await rule('*', { permission: 'allow' });
    expect(await tries()).toBe('notified');
    await rule('*', { permission: 'allow', requiresApproval: true });
    await always();
    await mode('strict');
    await always();
    // A line of its own decides before the one for all.
    await rule(c.id, { permission: 'allow', requiresApproval: true });
    await always();
    await rule('*', { permission: 'deny' });
    expect(await tries()).toBe('notified');
    expect((await ann.call('getContacts', { params: { memberId: a.id } })).always).toHaveLength(1);
  });

  test('[SYS-13] asked because of others’ words, one approves these and not for good', async () => {
    const { ann } = on.floor;
    const theirs = await on.floor.agent(`NOTMINE${n}`, { owner: on.floor.bob });
    const root = await on.at(a);
    await kernel().engine.submit({ type: 'task.taint', by: { operator: true }, taskId: root.id, source: { kind: 'tool', name: 'web' } });
    const asks = async (message: string) => {
      expect((await on.contact(a, theirs, { action: 'notify', message })).status).toBe('awaiting_approval');
      const { checkpoints } = await ann.call('listCheckpoints', { query: {} });
      const { id, choices, reason } = checkpoints.findLast(({ text }) => text.startsWith(`A${n} wants to contact NOTMINE${n}`))!;
      expect([choices.map(({ choice }) => choice), reason]).toEqual([['approve', 'deny'], expect.stringContaining('what others wrote')]);
      expect((await ann.ask('closeCheckpoint', { params: { checkpointId: id }, body: { choice: 'always' } })).status).toBe(400);
    };
    await asks('one');
    // A rule or a mode that asks as well hides nothing of that.
    await ann.call('setContactRule', { params: { memberId: a.id, target: '*' }, body: { permission: 'allow', requiresApproval: true } });
    await asks('two');
    await ann.call('clearContactRule', { params: { memberId: a.id, target: '*' } });
    await ann.call('editAgent', { params: { memberId: a.id }, body: { mode: 'supervised' } });
    await asks('three');
  });

  test('[IAC-1] only who no longer holds the task is refused as for any other call', async () => {
    const root = await on.at(a);
    await expect(on.contact(a, b, { lease: 99 })).rejects.toMatchObject({ code: 'stale_lease' });
    await on.say(a, 'answer', 'done', root);
    await expect(on.contact(a, b, {}, root)).rejects.toMatchObject({ code: 'task_over' });
    await expect(on.contact(b, c, {}, root)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('[IAC-14] [IAC-15] an approval is used up by the contact, not by a call that finds the other gone', async () => {
    await on.floor.ann.call('setContactRule', {
      params: { memberId: a.id, target: b.id },
      body: { permission: 'allow', requiresApproval: true },
    });
    const root = await on.at(a);
    const call = { action: 'delegate', message: 'look at it' };
    expect((await on.contact(a, b, call, root)).status).toBe('awaiting_approval');
    const { checkpoints } = await on.floor.ann.call('listCheckpoints', { query: {} });
    await on.floor.ann.call('closeCheckpoint', { params: { checkpointId: checkpoints.at(-1)!.id }, body: { choice: 'approve' } });
    await on.floor.disconnect(b);
    expect((await on.contact(a, b, call, root)).status).toBe('refused');
    await on.floor.connect(b);
    expect((await on.contact(a, b, call, root)).status).toBe('delegated');
    expect((await on.contact(a, b, call, root)).status).toBe('awaiting_approval');
  });

  test('[IAC-16] words in a channel that the task grants wake exactly those they mention, there; without, nobody; elsewhere they are refused', async () => {
    const standup = await on.floor.channel(`standup-${n}`, a, b, c);
    const elsewhere = await on.floor.channel(`elsewhere-${n}`, a, b);
    const here = await on.floor.channel(`asked-${n}`, a);
    await on.floor.ann.call('postMessage', { params: { conversationId: here }, body: { body: `^A${n} kick it off`, outputs: [standup] } });
    await on.floor.pass();
    const task = await on.newest(a);
    const post = async (conversationId: string, body: string) =>
      (await on.floor.say(a, { ...task, conversationId }, 'progress', body)).body as { id: string; error?: { code: string } };
    const before = await on.count('tasks');
    await post(standup, 'Q4 figures are in the docs folder.');
    await on.floor.pass();
    expect(await on.count('tasks')).toBe(before);
    await post(standup, `@B${n} what are you working on today?`);
    await on.floor.pass();
    expect(await on.newest(b)).toMatchObject({ conversationId: standup, parentId: task.id, state: 'active' });
    expect(await on.count('tasks')).toBe(before + 1);
    // One message delegates to the first it addresses (C2A-33).
    await post(standup, `^C${n} ^B${n} and tomorrow?`);
    await on.floor.pass();
    expect(await on.newest(c)).toMatchObject({ conversationId: standup, parentId: task.id, state: 'active' });
    expect(await on.count('tasks')).toBe(before + 2);
    expect((await post(elsewhere, `^B${n} hello`)).error?.code).toBe('task_elsewhere');
  });
});
