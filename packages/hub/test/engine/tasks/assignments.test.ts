// A person gives a message that was said already to an agent as work.

import type { RouteInput, Task } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { floorFor, freshAgents } from '../../kit/floor.ts';

onBothEngines('assigned work', (engine) => {
  const { floor, ann, bob } = floorFor(engine, {}, { PARLEY_COMPOSE_MS: '2500' });
  const [a, b] = freshAgents(floor, 'A', 'B');
  let here: string;
  let n = 0;
  beforeEach(async () => {
    n++;
    here = await floor.channel(`assigned-${n}`, bob, a, b);
  });
  type Over = Omit<RouteInput<'assignMessage'>['body'], 'memberId'>;
  const ask = (who: Person, messageId: string, agent: { id: string }, over: Over = {}, headers = {}) =>
    who.ask('assignMessage', { params: { messageId }, body: { memberId: agent.id, ...over } }, headers);
  const assign = async (who: Person, messageId: string, agent: Person, over: Over = {}): Promise<Task> => {
    const { status, body } = await ask(who, messageId, agent, over);
    expect([status, body]).toMatchObject([200, { agentId: agent.id }]);
    return body;
  };
  const refusal = async (asked: ReturnType<typeof ask>) => {
    const { body } = await asked;
    return body.error?.reason ?? body.error?.problems?.[0]?.field ?? body.error?.code ?? 'ok';
  };
  const explain = (messageId: string, wouldNow: 'true' | 'false' = 'false') =>
    ann.call('explainMessage', { params: { messageId }, query: { wouldNow } });
  const verdictOf = async (messageId: string, agent: Person) =>
    (await explain(messageId)).agents.find(({ agentId }) => agentId === agent.id)!;

  describe('the task of an assignment', () => {
    test('[C2A-12] an assignment makes a task of the agent’s for the words as they stand, at once, requested by the assigner', async () => {
      const said = await ann.post(here, 'the export is broken');
      const task = await assign(bob, said.id, a);
      expect(task).toMatchObject({ addressedBy: 'assigned', requesterId: bob.id, messageId: said.id, conversationId: here });
      expect(task.composingUntil).toBe(null);
      await floor.pass();
      expect(await floor.tasks(here)).toMatchObject([{ agentId: a.id, state: 'active', tainted: true }]);
      await floor.say(a, task, 'answer', 'mended');
      expect(await floor.tasks(here)).toMatchObject([{ state: 'completed', cause: 'answered' }]);
      expect(await floor.bodies(here)).toEqual([
        ['ann', 'the export is broken'],
        [a.handle, 'mended'],
      ]);
    });

    test('[C2A-12] [C2A-32] why? says who gave it, and the record of the message stays as it was', async () => {
      const said = await ann.post(here, 'the export is broken');
      const { recorded } = await explain(said.id);
      expect(await verdictOf(said.id, a)).toMatchObject({ policy: 'must_not_respond', reason: 'ambient', assignedBy: null });
      const task = await assign(bob, said.id, a);
      expect(await verdictOf(said.id, a)).toMatchObject({
        policy: 'must_respond',
        mode: 'buffered',
        reason: 'assigned',
        text: `@bob assigned it to ^${a.handle}.`,
        assignedBy: bob.id,
        task: { id: task.id },
      });
      expect(await verdictOf(said.id, b)).toMatchObject({ reason: 'ambient', assignedBy: null, task: null });
      const after = await explain(said.id);
      expect([JSON.stringify(after.recorded), after.wouldNow]).toEqual([JSON.stringify(recorded), null]);
      const facts = await floor.kit.hub.kernel.store.rows('facts', "where type = 'message.assigned' and subject_id = ?", [said.id]);
      expect(facts.map(({ actor_id, member_id, data }) => [actor_id, member_id, JSON.parse(data)])).toEqual([
        [bob.id, a.id, { task: task.id }],
      ]);
    });

    test('[C2A-12] [C2A-9] urgent, it is immediate and begins beside the agent’s other work', async () => {
      const [first, second, third] = [await ann.post(here, 'one'), await ann.post(here, 'two'), await ann.post(here, 'three')];
      const active = await assign(ann, first.id, a);
      await assign(ann, second.id, a);
      await assign(ann, third.id, a, { urgent: true });
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'queued', 'active']);
      expect(await verdictOf(third.id, a)).toMatchObject({ mode: 'immediate', reason: 'assigned' });
      await floor.say(a, active, 'answer', 'done one');
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['completed', 'queued', 'active']);
    });

    test('[C2A-12] to several agents, each has its own; what its giver says in the thread on it goes on with it', async () => {
      const said = await ann.post(here, 'the export is broken');
      await assign(bob, said.id, a);
      await assign(bob, said.id, b);
      await floor.pass();
      const thread = await bob.call('openThread', { params: { messageId: said.id } });
      await bob.post(thread.id, 'only on Mondays');
      expect((await floor.tasks(here)).map(({ agentId, state }) => [agentId, state])).toEqual([
        [a.id, 'active'],
        [b.id, 'active'],
      ]);
      const words = await floor.kit.hub.kernel.store.rows('task_words', "where kind = 'follow_up' order by task_id");
      expect(words.slice(-2).map(({ kind }) => kind)).toEqual(['follow_up', 'follow_up']);
    });

    test('[C2A-30] repeated under its key it is the same task; another under the same key is refused', async () => {
      const said = await ann.post(here, 'the export is broken');
      const key = { 'idempotency-key': `assign-${n}` };
      const first = await ask(ann, said.id, a, {}, key);
      const again = await ask(ann, said.id, a, {}, key);
      expect([again.status, again.body.id]).toEqual([200, first.body.id]);
      expect(await refusal(ask(ann, said.id, b, {}, key))).toBe('key_reused');
      expect(await floor.tasks(here)).toHaveLength(1);
    });
  });

  describe('agents that can be assigned', () => {
    test('[C2A-12] [C2A-16] one that was asked to leave is back: it was called by name', async () => {
      await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
      const said = await ann.post(here, 'the export is broken');
      await assign(ann, said.id, a);
      expect((await ann.call('listLeaves', { params: { conversationId: here } })).leaves).toEqual([]);
      await floor.pass();
      expect(await floor.tasks(here)).toMatchObject([{ state: 'active' }]);
    });

    test('[C2A-12] [PAP-17] an agent that is away finds the task when it is back; the assigner and the owner get a notice', async () => {
      await floor.disconnect(a);
      const said = await ann.post(here, 'the export is broken');
      const [mine, owners] = [(await floor.notices(bob)).length, (await floor.notices(ann)).length];
      const task = await assign(bob, said.id, a);
      expect(task).toMatchObject({ state: 'queued', agentOnline: false });
      expect((await floor.notices(bob)).slice(mine)).toMatchObject([{ kind: 'agent_offline', taskId: task.id }]);
      expect((await floor.notices(ann)).slice(owners)).toMatchObject([{ kind: 'owner_agent_offline', agentId: a.id }]);
      await floor.connect(a);
      expect(await floor.tasks(here)).toMatchObject([{ state: 'active' }]);
    });

    test('[C2A-12] a sleeper is woken', async () => {
      await ann.call('editAgent', { params: { memberId: a.id }, body: { asleepUntil: floor.clock.now() + 3_600_000 } });
      const said = await ann.post(here, 'the export is broken');
      await assign(ann, said.id, a);
      await floor.pass();
      expect(await floor.tasks(here)).toMatchObject([{ state: 'active' }]);
    });
  });

  describe('refused', () => {
    test('[C2A-12] a message that the agent works on, by whatever way; a finished one may be assigned again', async () => {
      const said = await ann.post(here, `^${a.handle} look at the export`);
      await floor.pass(2500);
      expect(await refusal(ask(ann, said.id, a))).toBe('already_assigned');
      const [task] = await floor.tasks(here);
      await floor.say(a, task!, 'answer', 'nothing to see');
      const again = await assign(bob, said.id, a);
      expect(await refusal(ask(ann, said.id, a))).toBe('already_assigned');
      expect(await verdictOf(said.id, a)).toMatchObject({ assignedBy: bob.id, task: { id: again.id } });
    });

    test('[C2A-12] [C2A-17] the agent’s own words, deleted ones, and those of a conversation it is not in', async () => {
      const said = await ann.post(here, 'the export is broken');
      const task = await assign(ann, said.id, a);
      await floor.pass();
      const answer = await floor.say(a, task, 'answer', 'mended');
      expect(await refusal(ask(ann, answer.body.id, a))).toBe('own_message');
      expect(await refusal(ask(ann, answer.body.id, b))).toBe('ok');
      const gone = await ann.post(here, 'never mind');
      await ann.call('deleteMessage', { params: { messageId: gone.id } });
      expect(await refusal(ask(ann, gone.id, a))).toBe('already_deleted');
      const elsewhere = await floor.agent(`C${n}`);
      expect(await refusal(ask(ann, said.id, elsewhere))).toBe('memberId');
      expect(await refusal(ask(ann, said.id, bob))).toBe('memberId');
      await ann.call('deactivateMember', { params: { memberId: b.id } });
      expect(await refusal(ask(ann, said.id, b))).toBe('memberId');
    });

    test('[C2A-12] [SYS-9] messages before those that the agent may read', async () => {
      await ann.call('editConversation', { params: { conversationId: here }, body: { history: 'joined' } });
      const said = await ann.post(here, 'between us');
      const late = await floor.agent(`L${n}`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: late.id } });
      expect(await refusal(ask(ann, said.id, late))).toBe('memberId');
      expect(await refusal(ask(ann, said.id, a))).toBe('ok');
    });

    test('[C2A-12] [C2A-33] an agent gives work on inside its task, never so; the operator is nobody; outsiders see nothing', async () => {
      const said = await ann.post(here, 'the export is broken');
      expect(await refusal(ask(a, said.id, b))).toBe('route:agents_may_not');
      expect(await refusal(ask(floor.kit.operator, said.id, b))).toBe('message.assign:operator');
      const eve = await floor.kit.person(`eve${n}`, 'guest');
      expect(await refusal(ask(eve, said.id, a))).toBe('not_found');
      const mary = await floor.kit.person(`mary${n}`);
      expect(await refusal(ask(mary, said.id, a))).toBe('message.assign:not_related');
      await ann.call('editConversation', { params: { conversationId: here }, body: { archived: true } });
      expect(await refusal(ask(ann, said.id, a))).toBe('archived');
      expect(await floor.tasks(here)).toEqual([]);
    });
  });

  describe('later changes of the words', () => {
    test('[C2A-12] [C2A-25] edited, the work goes on with the new text, also when it addresses somebody else', async () => {
      const said = await ann.post(here, 'the export is broken');
      await assign(bob, said.id, a);
      await floor.pass();
      await ann.call('editMessage', { params: { messageId: said.id }, body: { body: '@bob the import is broken' } });
      await floor.pass();
      expect(await floor.tasks(here)).toMatchObject([{ agentId: a.id, state: 'active', addressedBy: 'assigned' }]);
    });

    test('[C2A-12] [C2A-27] deleted, the message ends the task, and the assigner gets a notice', async () => {
      const said = await ann.post(here, 'the export is broken');
      await assign(bob, said.id, a);
      await floor.pass();
      await ann.call('deleteMessage', { params: { messageId: said.id } });
      expect(await floor.tasks(here)).toMatchObject([{ state: 'cancelled', cause: 'request_deleted' }]);
      expect((await floor.notices(bob)).at(-1)).toMatchObject({ kind: 'task_stopped', reason: 'request_deleted' });
    });

    test('[C2A-12] the assigner may stop the task, and the author gets no new right', async () => {
      const said = await ann.post(here, 'the export is broken');
      const mary = await floor.kit.person(`m${n}`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: mary.id } });
      const task = await assign(mary, said.id, a);
      expect((await bob.ask('stopTask', { params: { taskId: task.id } })).status).toBe(403);
      expect((await mary.call('stopTask', { params: { taskId: task.id } })).state).toBe('cancelled');
    });
  });
});
