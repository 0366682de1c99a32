// From the message that asks to the task's one end.

import { onBothEngines, type Person, makeOnce } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { agentsFor, floorFor } from '../../kit/floor.ts';

const minute = 60_000;
const hour = 60 * minute;

onBothEngines('tasks', (engine) => {
  let n = 0;
  const { floor, ann, bob } = floorFor(engine);
  const [orac, stef] = agentsFor(floor, 'ORAC', 'STEF');
  const zed = makeOnce(() => floor.agent('ZED', { owner: floor.bob }));
  const room = (...members: Person[]) => floor.channel(`room-${n++}`, ...(members.length > 0 ? members : [bob, orac, stef, zed]));

  describe('which agents are woken', () => {
    test('[PAP-2] several handles make several tasks; the same twice makes one', async () => {
      const here = await room();
      await ann.post(here, '^ORAC and ^STEF, and again ^orac: status?');
      await floor.pass();
      expect((await floor.tasks(here)).map(({ agentId, state, requesterId }) => [agentId, state, requesterId])).toEqual([
        [orac.id, 'active', ann.id],
        [stef.id, 'active', ann.id],
      ]);
    });

    test('[PAP-2] an address with nothing but filler makes none', async () => {
      const here = await room();
      await ann.post(here, '^ORAC thanks!');
      await ann.post(here, '👍 ^ORAC');
      expect(await floor.tasks(here)).toEqual([]);
    });

    test('[PAP-5] @person, @all and @any make none; an owner’s mention wakes nobody’s agent', async () => {
      const here = await room();
      await bob.post(here, '@ann, what do you think? @all @any');
      expect(await floor.tasks(here)).toEqual([]);
    });

    test('[PAP-3] ^ALL makes one task per agent, each in a chain of its own', async () => {
      const here = await room();
      await ann.post(here, '^ALL report');
      const tasks = await floor.tasks(here);
      expect(tasks.map(({ agentId }) => agentId)).toEqual([orac.id, stef.id, zed.id]);
      expect(new Set(tasks.map(({ chainId }) => chainId)).size).toBe(3);
    });

    test('[PAP-3] over ten agents it shows their number and the estimated cost and needs a second confirmation; without it nothing is stored', async () => {
      const first = await floor.agent(`X${engine}`);
      const here = await floor.channel(`many-${engine}`, first);
      for (let i = 0; i < 10; i++) {
        const extra = await floor.agent(`X${engine}${i}`, { online: false });
        await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: extra.id } });
      }
      const all = (confirmAll?: number) =>
        ann.ask('postMessage', { params: { conversationId: here }, body: { body: '^ALL report', ...(confirmAll ? { confirmAll } : {}) } });
      expect((await all()).body.error).toMatchObject({ code: 'confirm_all', reason: '11' });
      expect((await all(10)).body.error).toMatchObject({ code: 'confirm_all', reason: '11' });
      const preview = async () =>
        (await ann.call('previewMessage', { params: { conversationId: here }, body: { body: '^ALL report' } })).all;
      // What it would cost, from the agents' own turns of the last days; or that nobody knows.
      const none = 'There are no past turns to estimate the cost from.';
      expect((await all()).body.error?.problems).toEqual([{ field: 'confirmAll', message: none }]);
      expect(await preview()).toEqual({ agents: 11, known: 0, micros: null, text: none });
      const { engine: hub } = floor.kit.hub.kernel;
      const { id: dm } = await ann.call('openDm', { body: { memberIds: [first.id] } });
      await ann.post(dm, 'how are you?');
      await floor.pass();
      const [task] = await floor.tasks(dm);
      const [turn] = await floor.kit.hub.kernel.store.rows('turns', 'where task_id = ?', [task!.id]);
      const { lease } = (await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]))[0]!;
      const step = { by: { operator: true } as const, taskId: task!.id, lease, agentId: first.id, turnId: turn!.id, n: 0 };
      await hub.submit({ type: 'turn.intend', ...step, kind: 'model', name: 'model', readOnly: true, stepKey: null, input: 'null' });
      const spent = { micros: 20_000, tokens: { input: 1, output: 1, cached: 0 } };
      await hub.submit({ type: 'turn.done', ...step, result: 'null', spent });
      const known = 'Estimated cost: $0.22, from past turns of 1 of them.';
      expect((await all()).body.error?.message).toContain(known);
      expect(await preview()).toEqual({ agents: 11, known: 1, micros: 220_000, text: known });
      expect([await floor.bodies(here), await floor.tasks(here)]).toEqual([[], []]);
      expect((await all(11)).status).toBe(200);
      expect(await floor.tasks(here)).toHaveLength(11);
    });

    test('[PAP-4] ^ANY makes one task; the first claim has it, every other is refused', async () => {
      const here = await room();
      await ann.post(here, '^ANY who can help?');
      const [task] = await floor.tasks(here);
      expect(task).toMatchObject({ agentId: null, state: 'offered', addressedBy: 'any_agent' });
      const claims = await Promise.all([stef, orac, zed].map((agent) => agent.ask('startTask', { params: { taskId: task!.id } })));
      expect(claims.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
      expect(claims.flatMap(({ body }) => body.error?.code ?? [])).toEqual(['already_claimed', 'already_claimed']);
      const loser = [stef, orac, zed][claims.findIndex(({ status }) => status !== 200)]!;
      expect((await floor.say(loser, task!, 'answer', 'me too')).body.error?.code).toBe('task_of_another');
    });

    test('[PAP-4] with none available it is queued, the author told, and the first to come gets it', async () => {
      const late = await floor.agent(`LATE${engine}`, { online: false });
      const here = await room(bob, late);
      await ann.post(here, '^ANY anyone?');
      const [task] = await floor.tasks(here);
      expect(task).toMatchObject({ agentId: null, state: 'queued', timer: { running: false } });
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'nobody_available', taskId: task!.id });
      await floor.connect(late);
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'offered', timer: { running: true } });
      expect((await late.ask('startTask', { params: { taskId: task!.id } })).body).toMatchObject({
        task: { state: 'active', agentId: late.id },
      });
    });

    test('[PAP-4] an agent that is not in the conversation, or sleeps, cannot take it', async () => {
      const here = await room(bob, orac, stef);
      await ann.post(here, '^ANY anyone?');
      const [task] = await floor.tasks(here);
      expect((await zed.ask('startTask', { params: { taskId: task!.id } })).body.error?.code).toBe('not_found');
      const asleepUntil = floor.clock.now() + hour;
      await ann.call('editAgent', { params: { memberId: stef.id }, body: { asleepUntil } });
      expect((await stef.ask('startTask', { params: { taskId: task!.id } })).body.error?.code).toBe('not_offered');
      expect((await orac.ask('startTask', { params: { taskId: task!.id } })).status).toBe(200);
      // A person's word wakes a sleeper.
      await ann.post(here, '^STEF are you there?');
      const { agents } = await ann.call('listAgents', {});
      expect(agents.find(({ id }) => id === stef.id)).toMatchObject({ asleepUntil: null });
    });
  });

  describe('speaking', () => {
    test('[PAP-7] progress, a question that waits without the clock, the requester’s next word, one final answer, then nothing', async () => {
      const here = await room();
      await ann.post(here, '^ORAC prepare the notes');
      await floor.pass();
      const [task] = await floor.tasks(here);
      expect((await floor.say(orac, task!, 'progress', 'working on it')).status).toBe(200);
      await floor.pass(10 * minute);
      expect((await floor.say(orac, task!, 'question', 'for which version?')).status).toBe(200);
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'waiting', timer: { running: false, leftMs: 20 * minute } });
      expect((await floor.say(orac, task!, 'progress', 'still here')).body.error?.code).toBe('task_not_active');
      await floor.pass(3 * hour);
      expect((await floor.tasks(here))[0]!.state).toBe('waiting');
      await bob.post(here, 'not my business');
      expect((await floor.tasks(here))[0]!.state).toBe('waiting');
      await ann.post(here, 'ok');
      await floor.pass();
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'active', timer: { running: true } });
      expect((await floor.say(orac, task!, 'answer', 'here they are')).status).toBe(200);
      expect((await floor.say(orac, task!, 'answer', 'and more')).body.error?.code).toBe('task_over');
      expect((await floor.say(orac, task!, 'progress', 'and more')).body.error?.code).toBe('task_over');
      expect(await floor.tasks(here)).toMatchObject([{ state: 'completed', cause: 'answered', timer: null }]);
    });

    test('[PAP-9] in a DM the conversation goes on in the open task and renews its time', async () => {
      const dm = await ann.call('openDm', { body: { memberIds: [orac.id] } });
      await ann.post(dm.id, 'are you there?');
      await floor.pass(20 * minute);
      await ann.post(dm.id, 'I mean the deploy');
      await ann.post(dm.id, 'thanks');
      await floor.pass(20 * minute);
      const tasks = await floor.tasks(dm.id);
      expect(tasks).toMatchObject([{ agentId: orac.id, state: 'active', addressedBy: 'dm' }]);
      const { messages } = await ann.call('listMessages', { params: { conversationId: dm.id }, query: {} });
      expect(messages.map(({ task }) => task)).toEqual([null, { id: tasks[0]!.id, kind: 'follow_up' }, null]);
      await floor.pass(11 * minute);
      expect((await floor.tasks(dm.id))[0]).toMatchObject({ state: 'timed_out', cause: 'run_time' });
    });

    test('[PAP-9] a reply to its message goes on with the task; one by somebody else begins another', async () => {
      const here = await room();
      await ann.post(here, '^ORAC look into it');
      await floor.pass();
      const [task] = await floor.tasks(here);
      const said = (await floor.say(orac, task!, 'progress', 'looking')).body as { id: string };
      await ann.call('postMessage', { params: { conversationId: here }, body: { body: 'the second one first', replyTo: said.id } });
      expect(await floor.tasks(here)).toHaveLength(1);
      await bob.call('postMessage', { params: { conversationId: here }, body: { body: 'and mine?', replyTo: said.id } });
      expect((await floor.tasks(here)).map(({ requesterId, addressedBy }) => [requesterId, addressedBy])).toEqual([
        [ann.id, 'mention'],
        [bob.id, 'question'],
      ]);
    });

    test('[PAP-14] an agent that cannot do a task says so, with a reason, and that ends the task', async () => {
      const here = await room();
      await ann.post(here, '^ORAC fly');
      await floor.pass();
      const [task] = await floor.tasks(here);
      const params = { taskId: task!.id };
      expect((await orac.ask('declineTask', { params, body: { lease: 1, reason: '  ' } })).body.error?.problems?.[0]?.field).toBe('reason');
      expect((await stef.ask('declineTask', { params, body: { lease: 1, reason: 'no' } })).body.error?.code).toBe('task_of_another');
      const declined = await orac.call('declineTask', { params, body: { lease: 1, outcome: 'blocked', reason: 'I have no wings' } });
      expect(declined).toMatchObject({ state: 'declined', cause: 'blocked' });
      expect(await floor.bodies(here)).toEqual([
        ['ann', '^ORAC fly'],
        ['ORAC', 'I have no wings'],
      ]);
      expect((await orac.ask('declineTask', { params, body: { lease: 1, reason: 'again' } })).body.error?.code).toBe('task_over');
    });
  });

  describe('time', () => {
    test('[PAP-8] a task that runs out of time ends, and its requester gets one notice', async () => {
      const here = await room();
      await ann.post(here, '^ORAC hello?');
      await floor.pass(29 * minute);
      expect((await floor.tasks(here))[0]!.state).toBe('active');
      await floor.pass(2 * minute);
      const [task] = await floor.tasks(here);
      expect(task).toMatchObject({ state: 'timed_out', cause: 'run_time' });
      await floor.kit.restart();
      await floor.connect(orac);
      await floor.pass(hour);
      const told = (await floor.notices(ann)).filter(({ taskId }) => taskId === task!.id);
      expect(told.map(({ kind, reason }) => [kind, reason])).toEqual([['task_timed_out', 'run_time']]);
      for (const agent of [stef, zed]) await floor.connect(agent);
    });

    test('[PAP-8] an agent’s own progress does not renew the time', async () => {
      const here = await room();
      await ann.post(here, '^ORAC hello?');
      await floor.pass(20 * minute);
      const [task] = await floor.tasks(here);
      await floor.say(orac, task!, 'progress', 'nearly');
      await floor.pass(11 * minute);
      expect((await floor.tasks(here))[0]!.state).toBe('timed_out');
    });

    test('[PAP-17] an offline agent’s task is queued without the clock; requester and owner get a notice; it is delivered in order', async () => {
      const away = await floor.agent(`AWAY${engine}`, { online: false, owner: bob });
      const here = await room(bob, away);
      const first = await ann.post(here, `^AWAY${engine} one`);
      const second = await ann.post(here, `^AWAY${engine} two`);
      const tasks = await floor.tasks(here);
      expect(tasks).toMatchObject([
        { state: 'queued', agentOnline: false, timer: { running: false }, messageId: first.id },
        { state: 'queued', agentOnline: false, messageId: second.id },
      ]);
      expect((await floor.notices(ann)).slice(-2).map(({ kind, agentId }) => [kind, agentId])).toEqual([
        ['agent_offline', away.id],
        ['agent_offline', away.id],
      ]);
      expect((await floor.notices(bob)).at(-1)).toMatchObject({ kind: 'owner_agent_offline', agentId: away.id, conversationId: here });
      await floor.pass(2 * hour);
      await floor.connect(away);
      // One at a time in a conversation, the first first.
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'queued']);
      expect((await floor.say(away, tasks[0]!, 'answer', 'one')).status).toBe(200);
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['completed', 'active']);
    });

    test('[PAP-17] after 24 hours it is timed out, and the requester told', async () => {
      const gone = await floor.agent(`GONE${engine}`, { online: false });
      const here = await room(bob, gone);
      await ann.post(here, `^GONE${engine} hello?`);
      await floor.pass(23 * hour);
      expect((await floor.tasks(here))[0]!.state).toBe('queued');
      await floor.pass(2 * hour);
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'timed_out', cause: 'offline' });
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'task_timed_out', reason: 'offline' });
    });

    test('[PAP-8] a machine that slept for eight hours takes nothing from the chain’s time', async () => {
      const here = await room();
      await ann.post(here, '^STEF hello?');
      await floor.pass(10 * minute);
      floor.clock.jump(8 * hour);
      await floor.pass(15 * minute);
      expect((await floor.tasks(here))[0]!.state).toBe('active');
      await floor.pass(6 * minute);
      expect((await floor.tasks(here))[0]!.state).toBe('timed_out');
    });
  });
});
