// A member whom an agent's owner has blocked for it: their words are stored, and never wake it, at any door.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { floorFor, freshAgents } from '../../kit/floor.ts';
import { atWork } from '../../kit/tools.ts';

onBothEngines('blocked members', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const [a, b] = freshAgents(floor, 'A', 'B');
  let n = 0;
  beforeEach(() => void n++);
  const room = () => floor.channel(`blocks-${n}`, bob, a, b);
  const pair = (agent: Person, member: Person) => ({ params: { memberId: agent.id, blockedId: member.id } });
  const block = (agent = a, member = bob) => ann.call('blockMember', pair(agent, member));
  const tasksOf = async (agent: Person) =>
    floor.kit.hub.kernel.store.rows('tasks', 'where agent_id = ? and open = 1 order by seq', [agent.id]);

  test('[C2A-8] their words wake it neither by name nor by role, ^ALL, ^ANY, a DM, a thread or a reply; others are heard as before', async () => {
    const here = await room();
    await ann.post(here, `^${a.handle} hello`);
    await floor.pass();
    const asked = (await floor.tasks(here))[0]!;
    const hello = (await floor.say(a, asked, 'answer', 'hello')).body as { id: string };
    await block();
    await floor.kit.restart();
    for (const agent of [a, b]) await floor.connect(agent);
    await floor.kit.owner.call('addRole', { body: { handle: `ROLE${n}`, about: '', holderIds: [a.id] } });
    const dm = (await bob.call('openDm', { body: { memberIds: [a.id] } })).id;
    const thread = (await bob.call('openThread', { params: { messageId: hello.id } })).id;
    await bob.post(here, `^${a.handle} do this`);
    await bob.post(here, `@${a.handle.toLowerCase()} urgent!`);
    await bob.post(here, `^ROLE${n} somebody?`);
    await bob.post(dm, 'what is the time?');
    await bob.post(thread, 'what do you mean?');
    await bob.call('postMessage', { params: { conversationId: here }, body: { body: 'why is that?', replyTo: hello.id } });
    await bob.call('postMessage', { params: { conversationId: here }, body: { body: `^${a.handle} now`, urgent: true } });
    await bob.post(here, '^ALL report');
    await bob.post(here, '^ANY report');
    await floor.pass(60_000);
    expect(await tasksOf(a)).toEqual([]);
    // ^ALL and ^ANY are for the other one; what is offered is not offered to this one.
    expect((await tasksOf(b)).length).toBe(1);
    const any = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'any_agent')!;
    expect((await a.ask('startTask', { params: { taskId: any.id } })).body.error?.code).toBe('not_offered');
    await ann.post(here, `^${a.handle} and you?`);
    await floor.pass();
    expect(await tasksOf(a)).toHaveLength(1);
  });

  test('[C2A-8] their requests that are open end; unblocked, they are heard again', async () => {
    const here = await room();
    await bob.post(here, `^${a.handle} do this`);
    await ann.post(here, `^${a.handle} and this`);
    await floor.pass();
    expect(await tasksOf(a)).toHaveLength(2);
    await block();
    expect((await tasksOf(a)).map(({ requester_id }) => requester_id)).toEqual([ann.id]);
    expect((await ann.call('listBlocks', { params: { memberId: a.id } })).blocks).toMatchObject([
      { agentId: a.id, memberId: bob.id, blockedBy: ann.id },
    ]);
    await ann.call('unblockMember', pair(a, bob));
    await bob.post(here, `^${a.handle} again`);
    await floor.pass();
    expect((await tasksOf(a)).map(({ requester_id }) => requester_id)).toEqual([ann.id, bob.id]);
    expect((await ann.call('listBlocks', { params: { memberId: a.id } })).blocks).toEqual([]);
  });

  test('[C2A-8] work that another agent delegated on their behalf ends as well, and that agent goes on', async () => {
    const work = await atWork(floor, { agent: await floor.agent(`D${n}`, { online: false }), by: bob });
    await work.call('contact_agent', { action: 'delegate', agentId: a.id, message: 'do it' });
    expect((await tasksOf(a)).map(({ requester_id }) => requester_id)).toEqual([work.agent.id]);
    await block();
    expect(await tasksOf(a)).toEqual([]);
    expect((await tasksOf(work.agent)).map(({ id }) => id)).toEqual([work.task.id]);
    await work.line.close();
  });

  test('[C2A-8] the agent gets none of their work: no assignment, no redirect, no delegation by another agent, no obligation', async () => {
    const here = await room();
    await block();
    const said = await bob.post(here, 'the report is missing');
    const assigned = await bob.ask('assignMessage', { params: { messageId: said.id }, body: { memberId: a.id } });
    expect(assigned.body.error).toMatchObject({ code: 'forbidden', reason: 'agent:not_taken' });
    const work = await atWork(floor, { agent: await floor.agent(`C${n}`, { online: false }), by: bob });
    await ann.call('addToConversation', { params: { conversationId: work.here }, body: { memberId: a.id } });
    const turned = await bob.ask('redirectTask', { params: { taskId: work.task.id }, body: { instruction: 'you do it', agentId: a.id } });
    expect(turned.body.error).toMatchObject({ code: 'forbidden', reason: 'agent:not_taken' });
    const contact = await work.call('contact_agent', { action: 'delegate', agentId: a.id, message: 'do it' });
    expect(contact.text).toMatch(/not allowed|may not|permitted/i);
    await work.line.call('say', { taskId: work.task.id, lease: work.task.lease, kind: 'progress', body: `^${a.handle} do it` });
    await bob.call('postMessage', {
      params: { conversationId: here },
      body: { body: `^${a.handle} are you there?`, obligation: { blocks: 'halted', defaultAction: 'I wait.' } },
    });
    await floor.pass(3_600_000);
    expect(await tasksOf(a)).toEqual([]);
    await work.line.close();
  });

  test('[C2A-8] [C2A-6] a blocked author’s message is only stored: it is not in the agent’s mailbox', async () => {
    const here = await room();
    await block();
    await bob.post(here, 'a blocked word');
    await ann.post(here, 'a plain word');
    const { call, line } = await atWork(floor, { agent: a, here, by: ann });
    const { text } = await call('read_mailbox');
    expect([text.includes('a plain word'), text.includes('a blocked word')]).toEqual([true, false]);
    await line.close();
  });

  test('[C2A-8] [C2A-32] "Why?" names the block to those who may change the agent; the author learns that it takes no requests', async () => {
    const here = await room();
    const cleo = await floor.kit.person(`cleo${n}`);
    await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: cleo.id } });
    await block();
    const said = await bob.post(here, `^${a.handle} do this`);
    const why = async (who: Person) => {
      const answer = await who.call('explainMessage', { params: { messageId: said.id }, query: { wouldNow: 'true' } });
      const one = answer.agents.find(({ agentId }) => agentId === a.id)!;
      return { text: JSON.stringify(answer), mode: one.mode, reason: one.reason, says: one.text, policy: one.policy };
    };
    expect(await why(ann)).toMatchObject({ reason: 'author_blocked', says: `^${a.handle}’s owner has blocked the author.` });
    expect(await why(floor.kit.owner)).toMatchObject({ reason: 'author_blocked' });
    const own = await why(bob);
    expect(own).toMatchObject({
      reason: 'not_taken',
      says: `^${a.handle} takes no requests from you.`,
      policy: 'must_not_respond',
      mode: 'silent',
    });
    expect(own.text).not.toMatch(/block/);
    const other = await why(cleo);
    expect(other).toMatchObject({ reason: 'not_taken', says: `^${a.handle} takes no requests from @${bob.handle}.`, mode: 'silent' });
    expect(other.text).not.toMatch(/block/);
    expect((await floor.notices(bob)).at(-1)).toMatchObject({ kind: 'not_taken', agentId: a.id, messageId: said.id });
  });

  test('[C2A-8] [SYS-3] the dry run tells a blocked author that the agent takes no requests from them, by name and by ^ALL', async () => {
    const here = await room();
    await block();
    for (const called of [`^${a.handle}`, '^ALL']) {
      const preview = await bob.call('previewMessage', { params: { conversationId: here }, body: { body: `${called} do this` } });
      expect(preview.agents.find(({ agentId }) => agentId === a.id)).toMatchObject({
        policy: 'must_not_respond',
        mode: 'silent',
        reason: 'not_taken',
        text: `^${a.handle} takes no requests from you.`,
      });
      expect(preview.mayChange.map(({ agentId }) => agentId)).toEqual(called === '^ALL' ? [b.id] : []);
      expect(preview.all?.agents ?? 1).toBe(1);
    }
  });

  test('[C2A-8] the owner and admins block a member, nobody else does; neither the owner nor the agent can be blocked; the list is theirs', async () => {
    for (const [name, input] of [
      ['blockMember', pair(a, bob)],
      ['unblockMember', pair(a, bob)],
      ['listBlocks', { params: { memberId: a.id } }],
    ] as const) {
      expect((await bob.ask(name as 'blockMember', input as never)).status).toBe(403);
      expect((await a.ask(name as 'blockMember', input as never)).status).toBe(403);
    }
    for (const member of [ann, a]) expect((await ann.ask('blockMember', pair(a, member))).body.error?.problems).toHaveLength(1);
    expect((await floor.kit.owner.ask('blockMember', pair(a, bob))).status).toBe(200);
    // Twice is once.
    await block();
    expect((await ann.call('listBlocks', { params: { memberId: a.id } })).blocks).toHaveLength(1);
  });
});
