// Delegated work: how deep, to whom, for how long, and its results; and people's last word on it. Long because one cast plays all of it.

import type { Task } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { floorFor } from '../../kit/floor.ts';

const minute = 60_000;

onBothEngines('delegation and control', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  let a: Person;
  let b: Person;
  let c: Person;
  let d: Person;
  let e: Person;
  let n = 0;
  beforeAll(async () => {
    [a, b, c, d, e] = (await Promise.all(['A', 'B', 'C', 'D', 'E'].map((handle) => floor.agent(handle)))) as [
      Person,
      Person,
      Person,
      Person,
      Person,
    ];
  });
  const room = () => floor.channel(`work-${n++}`, bob, a, b, c, d, e);
  const of = async (here: string, agent: Person): Promise<Task> =>
    (await floor.tasks(here)).findLast(({ agentId }) => agentId === agent.id)!;
  /** ann asks A, A gives it to the next, and so on; all are at work afterwards. */
  async function line(here: string, ...agents: Person[]): Promise<void> {
    await ann.post(here, `^${agents[0]!.handle} do it`);
    await floor.pass();
    for (const [i, agent] of agents.slice(0, -1).entries()) {
      await floor.say(agent, await of(here, agent), 'progress', `^${agents[i + 1]!.handle} please do it`);
      await floor.pass();
    }
  }
  const flags = async (agent: Person) =>
    (await floor.kit.hub.kernel.store.rows('facts', "where type = 'task.flagged' and member_id = ? order by seq", [agent.id])).map(
      (fact) => (JSON.parse(fact.data) as { reason: string }).reason,
    );

  describe('giving work on', () => {
    test('[IAC-12] [IAC-13] [IAC-14] [PAP-10] an agent that may not be contacted, or only with approval, is not called in a room either; a manager always may be', async () => {
      const here = await room();
      const params = { memberId: a.id, target: b.id };
      await ann.call('setContactRule', { params, body: { permission: 'deny' } });
      await ann.post(here, '^A do it');
      await floor.pass();
      const before = (await flags(a)).length;
      await floor.say(a, await of(here, a), 'progress', '^B please do it');
      await floor.say(a, await of(here, a), 'progress', '^C please do it');
      await floor.pass();
      expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([a.id, c.id]);
      expect((await flags(a)).slice(before)).toEqual(['not_permitted']);
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'not_delegated', reason: 'not_permitted', agentId: b.id });
      // Where an approval is asked for, to name it is no way round it.
      await ann.call('setContactRule', { params, body: { permission: 'allow', requiresApproval: true } });
      await floor.say(a, await of(here, a), 'progress', '^B now please');
      await floor.pass();
      expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([a.id, c.id]);
      expect((await flags(a)).slice(before)).toEqual(['not_permitted', 'needs_approval']);
      await ann.call('editMember', { params: { memberId: a.id }, body: { managerId: b.id } });
      await floor.say(a, await of(here, a), 'progress', '^B then you, please');
      await floor.pass();
      expect((await of(here, b)).parentId).toBe((await of(here, a)).id);
      await ann.call('editMember', { params: { memberId: a.id }, body: { managerId: null } });
      await ann.call('clearContactRule', { params });
      await ann.call('stopTask', { params: { taskId: (await of(here, a)).id } });
    });

    test('[IAC-12] [IAC-14] [C2A-34] a role is no way to one it may not call: the others who hold it are asked, and with none it is flagged', async () => {
      const here = await room();
      const rule = (target: Person) => ({ params: { memberId: a.id, target: target.id } });
      const role = await floor.kit.owner.call('addRole', { body: { handle: 'oncall', holderIds: [b.id, c.id] } });
      await ann.call('setContactRule', { ...rule(b), body: { permission: 'deny' } });
      await ann.post(here, '^A do it');
      await floor.pass();
      const own = await of(here, a);
      const before = (await flags(a)).length;
      await floor.say(a, own, 'progress', '^oncall please do it');
      const [, sub] = await floor.tasks(here);
      expect(sub).toMatchObject({ parentId: own.id, agentId: null, state: 'offered', addressedBy: 'role' });
      const start = (who: Person) => who.ask('startTask', { params: { taskId: sub!.id } });
      expect((await start(b)).body).toMatchObject({ error: { code: 'not_offered' } });
      // Who may be asked goes: it does not fall to the other.
      await floor.disconnect(c);
      expect((await floor.tasks(here))[1]!.state).toBe('queued');
      await floor.connect(c);
      expect((await start(c)).status).toBe(200);
      await floor.say(c, (await floor.tasks(here))[1]!, 'answer', 'done');
      // The first of them says why: here one may not be called at all, there only with approval.
      await ann.call('setContactRule', { ...rule(c), body: { permission: 'allow', requiresApproval: true } });
      await floor.say(a, own, 'progress', '^oncall once more, please');
      expect(await floor.tasks(here)).toHaveLength(2);
      expect((await flags(a)).slice(before)).toEqual(['needs_approval']);
      await ann.call('setContactRule', { ...rule(c), body: { permission: 'deny' } });
      await floor.say(a, own, 'progress', '^oncall a last time, please');
      expect(await floor.tasks(here)).toHaveLength(2);
      expect((await flags(a)).slice(before)).toEqual(['needs_approval', 'not_permitted']);
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'not_delegated', reason: 'not_permitted' });
      for (const target of [b, c]) await ann.call('clearContactRule', rule(target));
      await floor.kit.owner.call('removeRole', { params: { roleId: role.id } });
      await ann.call('stopTask', { params: { taskId: own.id } });
    });

    test('[PAP-4] [IAC-7] a task for a role inside a task waits for no holder who is away: its agent learns that at once', async () => {
      const here = await room();
      const role = await floor.kit.owner.call('addRole', { body: { handle: 'desk', holderIds: [b.id, c.id] } });
      await floor.disconnect(c);
      await ann.post(here, '^A do it');
      await floor.pass();
      const own = await of(here, a);
      await floor.say(a, own, 'progress', '^desk please do it');
      const [, sub] = await floor.tasks(here);
      expect(sub).toMatchObject({ parentId: own.id, agentId: null, state: 'offered' });
      expect((await b.ask('passMessage', { params: { messageId: sub!.messageId } })).status).toBe(200);
      expect((await floor.tasks(here))[1]).toMatchObject({ state: 'timed_out', cause: 'nobody_took_it' });
      await floor.connect(c);
      await floor.kit.owner.call('removeRole', { params: { roleId: role.id } });
      await ann.call('stopTask', { params: { taskId: own.id } });
    });

    test('[PAP-10] an address in a progress message makes a sub-task under its own, in the same chain', async () => {
      const here = await room();
      await line(here, a, b);
      const [root, sub] = await floor.tasks(here);
      expect(sub).toMatchObject({
        parentId: root!.id,
        chainId: root!.chainId,
        requesterId: a.id,
        agentId: b.id,
        depth: 1,
        state: 'active',
      });
      await floor.say(b, sub!, 'answer', 'done');
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'completed']);
      await floor.say(a, root!, 'answer', 'all done');
      const { steps, endedAt } = await ann.call('getChain', { params: { chainId: root!.chainId } });
      expect([steps.length, endedAt === null]).toEqual([2, false]);
    });

    test('[PAP-10] an address in a final answer makes no task and is flagged to the agent', async () => {
      const here = await room();
      await line(here, a);
      await floor.say(a, await of(here, a), 'answer', 'ask ^B next time');
      expect(await floor.tasks(here)).toHaveLength(1);
      expect((await flags(a)).at(-1)).toBe('final_answer');
    });

    test('[PAP-11] A→B→C→D runs; D’s own call makes no task, is flagged to it, and the chain goes on', async () => {
      const here = await room();
      await line(here, a, b, c, d);
      expect((await floor.tasks(here)).map(({ depth }) => depth)).toEqual([0, 1, 2, 3]);
      const said = await floor.say(d, await of(here, d), 'progress', '^E you do it');
      expect(said.status).toBe(200);
      expect(await floor.tasks(here)).toHaveLength(4);
      expect((await flags(d)).at(-1)).toBe('too_deep');
    });

    test('[PAP-12] speaking to one’s requester, or anyone above, is a reply and makes no task', async () => {
      const here = await room();
      await line(here, a, b, c);
      await floor.say(c, await of(here, c), 'progress', '^A and ^B: it is hard');
      expect(await floor.tasks(here)).toHaveLength(3);
    });

    test('[C2A-20] progress that delegates is shown and delegated once while its sub-task is open; afterwards it is new', async () => {
      const here = await room();
      await line(here, a);
      const words = '^B please check the build';
      const say = async (body: string) => ((await floor.say(a, await of(here, a), 'progress', body)).body as { id: string }).id;
      const said = new Set([await say(words), await say(words), await say(words)]);
      await floor.pass();
      expect([said.size, (await floor.tasks(here)).length]).toEqual([1, 2]);
      await floor.say(b, await of(here, b), 'answer', 'it is green');
      expect(said.has(await say(words))).toBe(false);
      expect(await floor.tasks(here)).toHaveLength(3);
      const mail = 'I wrote to ops@example.org and @bob';
      expect(await say(mail)).toBe(await say(mail));
    });

    test('[C2A-33] ^ALL and ^ANY in an agent’s words make no task and are flagged to it once; whom it names is asked', async () => {
      const here = await room();
      await line(here, a);
      const before = (await flags(a)).length;
      const told = (await floor.notices(ann)).length;
      expect((await floor.say(a, await of(here, a), 'progress', '^ALL and ^ANY: help')).status).toBe(200);
      expect(await floor.tasks(here)).toHaveLength(1);
      expect((await flags(a)).slice(before)).toEqual(['one_responder']);
      expect((await floor.notices(ann)).slice(told)).toMatchObject([{ kind: 'not_delegated', reason: 'one_responder', agentId: null }]);
      await floor.say(a, await of(here, a), 'progress', '^B, or ^ANY: help');
      expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([a.id, b.id]);
      expect((await flags(a)).slice(before)).toEqual(['one_responder', 'one_responder']);
    });

    test('[C2A-33] [PAP-10] a message delegates to the first agent that it addresses; further ones are flagged', async () => {
      const here = await room();
      await line(here, a);
      const before = (await flags(a)).length;
      await floor.say(a, await of(here, a), 'progress', '^C and ^B please do it');
      expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([a.id, c.id]);
      expect((await flags(a)).slice(before)).toEqual(['one_delegate']);
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'not_delegated', reason: 'one_delegate', agentId: b.id });
    });

    test('[PAP-10] an address in a question makes no task and is flagged', async () => {
      const here = await room();
      await line(here, a);
      const before = (await flags(a)).length;
      await floor.say(a, await of(here, a), 'question', 'Shall I ask ^B to look at it?');
      expect((await floor.tasks(here)).map(({ agentId, state }) => [agentId, state])).toEqual([[a.id, 'waiting']]);
      expect((await flags(a)).slice(before)).toEqual(['in_question']);
    });

    test('[C2A-33] in its last word, too, where its person is not told of it', async () => {
      const here = await room();
      await line(here, a);
      const before = (await flags(a)).length;
      const told = (await floor.notices(ann)).length;
      await floor.say(a, await of(here, a), 'answer', '^ALL: it is done');
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['completed']);
      expect((await flags(a)).slice(before)).toEqual(['one_responder']);
      expect(await floor.notices(ann)).toHaveLength(told);
    });

    test('[PAP-12] a finished sibling is not in the path: the same agent can be asked again', async () => {
      const here = await room();
      await line(here, a, b);
      await floor.say(b, await of(here, b), 'answer', 'first');
      await floor.say(a, await of(here, a), 'progress', '^B and the second part');
      expect(await floor.tasks(here)).toHaveLength(3);
    });

    test('[PAP-13] sub-tasks inherit the chain’s deadline; all of it ends together, and the requester gets one notice', async () => {
      const here = await room();
      await ann.post(here, '^A do it');
      await floor.pass(20 * minute);
      await floor.say(a, await of(here, a), 'progress', '^B help');
      await floor.pass(9 * minute);
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'active']);
      await floor.pass(2 * minute);
      expect((await floor.tasks(here)).map(({ state, cause }) => [state, cause])).toEqual([
        ['timed_out', 'run_time'],
        ['timed_out', 'run_time'],
      ]);
      const ids = (await floor.tasks(here)).map(({ id }) => id);
      expect((await floor.notices(ann)).filter(({ taskId }) => ids.includes(taskId ?? '')).map(({ kind }) => kind)).toEqual([
        'task_timed_out',
      ]);
    });

    test('[PAP-10] to an offline agent it is an error at once, told to the agent and its person', async () => {
      const here = await room();
      const off = await floor.agent(`OFF${engine}`, { online: false });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: off.id } });
      await line(here, a);
      await floor.say(a, await of(here, a), 'progress', `^OFF${engine} are you there?`);
      expect(await floor.tasks(here)).toHaveLength(1);
      expect((await flags(a)).at(-1)).toBe('offline');
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'not_delegated', reason: 'offline', agentId: off.id });
    });

    test('[PAP-10] for a sleeper it waits until it wakes, unless that is past the chain’s time', async () => {
      const here = await room();
      await line(here, a);
      const sleep = (ms: number) => ann.call('editAgent', { params: { memberId: e.id }, body: { asleepUntil: floor.clock.now() + ms } });
      await sleep(40 * minute);
      await floor.say(a, await of(here, a), 'progress', '^E please');
      expect([(await flags(a)).at(-1), (await floor.tasks(here)).length]).toEqual(['asleep', 1]);
      await sleep(10 * minute);
      await floor.say(a, await of(here, a), 'progress', '^E please');
      await floor.pass(9 * minute);
      expect((await of(here, e)).state).toBe('queued');
      await floor.pass(2 * minute);
      expect((await of(here, e)).state).toBe('active');
    });

    test('[SYS-8] [IAC-15] a sleeper that connects sleeps on: nothing begins before it wakes', async () => {
      const here = await room();
      await line(here, a);
      const asleepUntil = floor.clock.now() + 10 * minute;
      await ann.call('editAgent', { params: { memberId: e.id }, body: { asleepUntil } });
      await floor.say(a, await of(here, a), 'progress', '^E please');
      await floor.disconnect(e);
      await floor.connect(e);
      await floor.pass(minute);
      const asleep = (await ann.call('listAgents', {})).agents.find(({ id }) => id === e.id);
      expect([asleep, (await of(here, e)).state]).toMatchObject([{ status: 'sleeping', asleepUntil }, 'queued']);
      await floor.pass(10 * minute);
      expect((await of(here, e)).state).toBe('active');
    });

    test('[SYS-10] at most fifty tasks a chain', async () => {
      const here = await room();
      await line(here, a);
      for (let i = 0; i < 49; i++) {
        // Other words each time: repeating itself, the exchange would be ended.
        const word = (sign: string): string => `${sign}${Array.from(String(i), (digit) => 'abcdefghij'[Number(digit)]).join('')}`;
        await floor.say(a, await of(here, a), 'progress', `^B look at ${word('kor')} beside ${word('lim')}`);
        await floor.pass();
        await floor.say(b, await of(here, b), 'answer', `there lies ${word('mun')} upon ${word('nev')}`);
      }
      await floor.say(a, await of(here, a), 'progress', '^B one too many');
      expect((await flags(a)).at(-1)).toBe('chain_full');
      const root = (await floor.tasks(here))[0]!;
      expect((await ann.call('getChain', { params: { chainId: root.chainId } })).steps).toHaveLength(50);
    });

    test('[PAP-7] a sub-task’s question goes to the agent above, whose reply goes on with it', async () => {
      const here = await room();
      await line(here, a, b);
      const asked = (await floor.say(b, await of(here, b), 'question', 'which one?')).body as { id: string };
      expect((await of(here, b)).state).toBe('waiting');
      await floor.say(a, await of(here, a), 'progress', 'the second', { replyTo: asked.id });
      await floor.pass();
      expect(await of(here, b)).toMatchObject({ state: 'active' });
      expect(await floor.tasks(here)).toHaveLength(2);
    });
  });

  describe('people have the last word', () => {
    test('[PAP-15] requester, agent’s owner and moderator may stop; others may not', async () => {
      const here = await room();
      const own = await floor.agent(`OWN${engine}`, { owner: bob });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: own.id } });
      const eve = await floor.kit.person(`eve-${engine}`);
      await eve.call('joinConversation', { params: { conversationId: here } });
      const ask = async (who: Person, text: string) => {
        await who.post(here, text);
        return (await floor.tasks(here)).at(-1)!.id;
      };
      const stop = async (who: Person, taskId: string) => (await who.ask('stopTask', { params: { taskId } })).status;
      const mine = await ask(eve, '^A go');
      expect([await stop(bob, mine), await stop(a, mine), await stop(eve, mine), await stop(eve, mine)]).toEqual([403, 403, 200, 409]);
      const owned = await ask(eve, `^OWN${engine} go`);
      expect([await stop(bob, owned)]).toEqual([200]);
      const moderated = await ask(eve, '^A again');
      expect(await stop(ann, moderated)).toBe(200);
      const told = (await floor.notices(eve)).filter(({ kind }) => kind === 'task_stopped').map(({ taskId }) => taskId);
      expect(told).toEqual([owned, moderated]);
    });

    test('[PAP-15] stopping ends the sub-tasks and takes the floor from all of them', async () => {
      const here = await room();
      await line(here, a, b, c);
      const tasks = await floor.tasks(here);
      await ann.call('stopTask', { params: { taskId: tasks[0]!.id } });
      expect((await floor.tasks(here)).map(({ state, cause }) => [state, cause])).toEqual([
        ['cancelled', 'stopped'],
        ['cancelled', 'parent_ended'],
        ['cancelled', 'parent_ended'],
      ]);
      for (const [i, agent] of [a, b, c].entries())
        expect((await floor.say(agent, tasks[i]!, 'answer', 'too late')).body.error?.code).toBe('task_over');
    });

    test('[PAP-15] stopping one in the middle tells the one above', async () => {
      const here = await room();
      await line(here, a, b);
      await a.ask('listTasks', { query: {} });
      const [root, sub] = await floor.tasks(here);
      const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [root!.id]);
      const principal = await floor.kit.hub.kernel.auth.principal(a.token);
      await floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by: principal!.by, taskId: root!.id, lease: row!.lease });
      expect((await floor.tasks(here))[0]!.state).toBe('awaiting_delegation');
      await ann.call('stopTask', { params: { taskId: sub!.id } });
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'cancelled']);
    });

    test('[PAP-15] redirect is a new instruction in the same task', async () => {
      const here = await room();
      await line(here, a);
      const [task] = await floor.tasks(here);
      await ann.call('redirectTask', { params: { taskId: task!.id }, body: { instruction: 'only the first half' } });
      expect(await floor.tasks(here)).toMatchObject([{ id: task!.id, state: 'active' }]);
      expect((await floor.bodies(here)).at(-1)).toEqual(['ann', 'only the first half']);
      expect((await bob.ask('redirectTask', { params: { taskId: task!.id }, body: { instruction: 'mine instead' } })).status).toBe(403);
    });

    test('[PAP-15] or a stop and a new task for another agent in the same chain', async () => {
      const here = await room();
      await line(here, a, b);
      const [task] = await floor.tasks(here);
      const params = { taskId: task!.id };
      expect(
        (await ann.ask('redirectTask', { params, body: { instruction: 'x', agentId: bob.id } })).body.error?.problems?.[0]?.field,
      ).toBe('agentId');
      const next = await ann.call('redirectTask', { params, body: { instruction: 'you do it', agentId: c.id } });
      expect(next).toMatchObject({ agentId: c.id, chainId: task!.chainId, depth: 0, requesterId: ann.id });
      await floor.pass();
      expect((await floor.tasks(here)).map(({ agentId, state, cause }) => [agentId, state, cause])).toEqual([
        [a.id, 'cancelled', 'redirected'],
        [b.id, 'cancelled', 'parent_ended'],
        [c.id, 'active', null],
      ]);
    });

    test('[PAP-15] a member who leaves takes what they asked for along; an agent, what it was at', async () => {
      const here = await room();
      await bob.post(here, '^A for me');
      await ann.post(here, '^B for me');
      await floor.pass();
      await bob.call('leaveConversation', { params: { conversationId: here } });
      await ann.call('removeFromConversation', { params: { conversationId: here, memberId: b.id } });
      expect((await floor.tasks(here)).map(({ state, cause }) => [state, cause])).toEqual([
        ['cancelled', 'requester_left'],
        ['cancelled', 'agent_left'],
      ]);
    });
  });
});
