// What bounds agents at work: budgets, the great stop, what a chain shows to whom, and what a request costs to take.

import { defaultBudgets } from '@parley/core';
import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { type Floor, floorOn } from '../../kit/floor.ts';

onBothEngines('bounds', (engine) => {
  const groups: { rowWrites: number; facts: string[] }[] = [];
  const limits = { ...workLimits, budgets: { ...defaultBudgets, chain: { turns: 3, micros: 1 }, agent_day: { turns: 8, micros: 1 } } };
  let floor: Floor;
  let ann: Person;
  let bob: Person;
  let n = 0;
  beforeAll(async () => {
    floor = await floorOn(engine, {
      limits,
      onGroup: ({ committed, facts }) => {
        if (committed && facts.length > 0) groups.push({ rowWrites: committed.rowWrites, facts: facts.map((fact) => fact.type) });
      },
    });
    ({ ann, bob } = floor);
  });
  afterAll(() => floor.kit.stop());
  /** Each test has agents of its own: what they spend in a day is counted. */
  const fresh = async (...names: string[]): Promise<[string, ...Person[]]> => {
    const agents = await Promise.all(names.map((name) => floor.agent(`${name}${n}${engine}`)));
    return [await floor.channel(`bounds-${n++}`, bob, ...agents), ...agents];
  };

  describe('budgets', () => {
    test('[SYS-10] a chain has so many turns; then its task fails and the requester gets a notice', async () => {
      const [here, a] = (await fresh('A')) as [string, Person];
      await ann.post(here, `^${a.handle} go`);
      for (let turn = 0; turn < 3; turn++) {
        await floor.pass();
        const [task] = await floor.tasks(here);
        expect(task!.state, `turn ${turn}`).toBe('active');
        await floor.say(a, task!, 'question', 'and then?');
        await ann.post(here, 'go on');
      }
      await floor.pass();
      expect(await floor.tasks(here)).toMatchObject([{ state: 'failed', cause: 'budget' }]);
      expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'task_failed', reason: 'budget' });
      const [spent] = await floor.kit.hub.kernel.store.rows('facts', "where type = 'budget.exhausted' order by seq desc limit 1");
      expect(JSON.parse(spent!.data)).toEqual({ purse: 'chain' });
    });

    test('[SYS-10] an agent has so many turns a day, and new ones the next', async () => {
      const [here, a] = (await fresh('A')) as [string, Person];
      const ask = async () => {
        await ann.post(here, `^${a.handle} go`);
        await floor.pass();
        const task = (await floor.tasks(here)).at(-1)!;
        if (task.state === 'active') await floor.say(a, task, 'answer', 'done');
        return task.state;
      };
      const states: string[] = [];
      for (let i = 0; i < 9; i++) states.push(await ask());
      expect(states).toEqual([...Array.from({ length: 8 }, () => 'active'), 'failed']);
      floor.clock.jump(24 * 3_600_000);
      await floor.pass(1000);
      expect(await ask()).toBe('active');
    });
  });

  describe('stop everything', () => {
    test('[SYS-10] halts what runs, holds what is new, survives a restart, and goes on when released', async () => {
      const [here, a, b] = (await fresh('A', 'B')) as [string, Person, Person];
      await ann.post(here, `^${a.handle} go`);
      await floor.pass();
      expect((await bob.call('halt', {})).halted).toBe(true);
      const [task] = await floor.tasks(here);
      expect((await floor.say(a, task!, 'answer', 'quickly')).body.error?.code).toBe('halted');
      await ann.post(here, `^${b.handle} go`);
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'queued']);
      // Stopped is stopped: nobody's time runs meanwhile.
      await floor.pass(3_600_000);
      expect((await floor.tasks(here)).map(({ state, timer }) => [state, timer?.running])).toEqual([
        ['active', false],
        ['queued', false],
      ]);
      expect((await b.ask('startTask', { params: { taskId: (await floor.tasks(here))[1]!.id } })).body.error?.code).toBe('halted');
      await floor.kit.restart();
      for (const agent of [a, b]) await floor.connect(agent);
      expect(await ann.call('getHalt', {})).toMatchObject({ halted: true, by: bob.id });
      expect((await bob.ask('release', {})).body.error?.reason).toBe('workspace.release:role_may_not');
      await floor.kit.owner.call('release', {});
      await floor.pass();
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['active', 'active']);
      expect((await floor.say(a, task!, 'answer', 'done')).status).toBe(200);
    });
  });

  describe('one chain', () => {
    test('[SYS-2] every record names it, and one view shows it whole', async () => {
      const [here, a, b] = (await fresh('A', 'B')) as [string, Person, Person];
      await ann.post(here, `^${a.handle} go`);
      await floor.pass();
      const [root] = await floor.tasks(here);
      await floor.say(a, root!, 'progress', `^${b.handle} help`);
      await floor.pass();
      await floor.say(b, (await floor.tasks(here))[1]!, 'answer', 'done');
      await floor.say(a, root!, 'answer', 'all done');
      const facts = await floor.kit.hub.kernel.store.rows('facts', 'where chain_id = ? order by seq', [root!.chainId]);
      expect(new Set(facts.map((fact) => fact.type))).toEqual(
        new Set(['task.opened', 'task.begin', 'message.posted', 'task.complete', 'task.result', 'task.tainted']),
      );
      const chain = await ann.call('getChain', { params: { chainId: root!.chainId } });
      expect(chain).toMatchObject({ requesterId: ann.id, turns: 2, steps: [{ agentId: a.id }, { agentId: b.id, parentId: root!.id }] });
    });

    test('[SYS-9] a member who may read only some of its steps sees the others as hidden, and one who may read none sees no chain', async () => {
      const [here, a, b] = (await fresh('A', 'B')) as [string, Person, Person];
      const secret = await ann.call('createChannel', { body: { name: `secret-${engine}`, visibility: 'private' } });
      for (const { id: memberId } of [a, b])
        await ann.call('addToConversation', { params: { conversationId: secret.id }, body: { memberId } });
      // Work goes on in a room that its requester named: one chain, two conversations.
      await ann.call('postMessage', { params: { conversationId: here }, body: { body: `^${a.handle} go`, outputs: [secret.id] } });
      await floor.pass();
      const [open] = await floor.tasks(here);
      expect((await floor.say(a, { ...open!, conversationId: secret.id }, 'progress', `^${b.handle} help me in here`)).status).toBe(200);
      await ann.post(secret.id, `^${a.handle} something else`);
      const [hidden, alone] = await floor.tasks(secret.id);
      expect(hidden).toMatchObject({ chainId: open!.chainId, parentId: open!.id });
      const steps = async (who: Person) => (await who.call('getChain', { params: { chainId: open!.chainId } })).steps;
      expect(await steps(ann)).toHaveLength(2);
      expect(await steps(bob)).toMatchObject([
        { id: open!.id, agentId: a.id },
        { hidden: true, id: hidden!.id },
      ]);
      expect(Object.keys((await steps(bob))[1]!).toSorted()).toEqual(['hidden', 'id', 'parentId', 'state']);
      expect((await bob.ask('getChain', { params: { chainId: alone!.chainId } })).status).toBe(404);
      expect((await bob.ask('getTask', { params: { taskId: hidden!.id } })).status).toBe(404);
    });
  });

  describe('status', () => {
    test('[SYS-8] one agent record; its status by precedence', async () => {
      const [here, a, b] = (await fresh('A', 'B')) as [string, Person, Person];
      const record = async () => (await ann.call('listAgents', {})).agents.find(({ id }) => id === a.id)!;
      expect(await record()).toMatchObject({
        handle: a.handle,
        id: a.id,
        manifestId: null,
        relayAddress: null,
        brain: 'remote',
        status: 'idle',
      });
      await ann.post(here, `^${a.handle} go`);
      await floor.pass();
      expect((await record()).status).toBe('working');
      const [task] = await floor.tasks(here);
      await floor.say(a, task!, 'progress', `^${b.handle} help`);
      const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
      const principal = await floor.kit.hub.kernel.auth.principal(a.token);
      await floor.kit.hub.kernel.engine.submit({ type: 'task.pause', by: principal!.by, taskId: task!.id, lease: row!.lease });
      expect((await record()).status).toBe('awaiting_delegation');
      await ann.call('editAgent', { params: { memberId: a.id }, body: { asleepUntil: floor.clock.now() + 60_000 } });
      expect((await record()).status).toBe('sleeping');
      await floor.disconnect(a);
      expect((await record()).status).toBe('offline');
      expect((await bob.ask('editAgent', { params: { memberId: a.id }, body: { maxConcurrent: 2 } })).status).toBe(403);
      expect(
        (await ann.ask('editAgent', { params: { memberId: a.id }, body: { maxConcurrent: 0 } })).body.error?.problems?.[0]?.field,
      ).toBe('maxConcurrent');
    });
  });

  describe('the cost of a chain', () => {
    test('[PAP-2] an addressed message is one group and at most eight row writes, key and offline notices included', async () => {
      const [here, a] = (await fresh('A')) as [string, Person];
      const off = await floor.agent(`OFF${engine}`, { online: false, owner: bob });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: off.id } });
      const cost = async (body: string, headers: Record<string, string> = {}) => {
        await floor.pass();
        groups.length = 0;
        await ann.post(here, body, headers);
        return groups.filter(({ facts }) => facts.includes('message.posted')).map(({ rowWrites }) => rowWrites);
      };
      expect(await cost('nobody in particular')).toEqual([2]);
      expect(await cost(`^${a.handle} go`)).toEqual([7]);
      expect(await cost(`^${a.handle} go`, { 'idempotency-key': `cost-${engine}` })).toEqual([8]);
      expect(await cost(`^OFF${engine} go`)).toEqual([8]);
    });
  });
});

onBothEngines('many at once', (engine) => {
  test('[PAP-3] ^ALL to three hundred agents, all of whose tasks end when their person leaves', async () => {
    const floor = await floorOn(engine);
    try {
      const { engine: commands } = floor.kit.hub.kernel;
      const here = await floor.channel('crowd', floor.bob);
      const by = { operator: true } as const;
      await Promise.all(
        Array.from({ length: 300 }, async (_, i) => {
          const named = { handle: `N${i}`, displayName: `N${i}`, about: '', role: 'member', ownerId: floor.ann.id } as const;
          const { member } = await commands.submit({ type: 'member.add', by, kind: 'agent', ...named });
          await commands.submit({ type: 'conversation.add', by, conversationId: here, memberId: member.id });
        }),
      );
      await floor.bob.call('postMessage', { params: { conversationId: here }, body: { body: '^ALL report', confirmAll: 300 } });
      const open = () => floor.kit.hub.kernel.store.all<{ n: number }>('select count(*) as n from tasks where open = 1');
      expect(await open()).toEqual([{ n: 300 }]);
      await floor.bob.call('leaveConversation', { params: { conversationId: here } });
      expect(await open()).toEqual([{ n: 0 }]);
    } finally {
      await floor.kit.stop();
    }
  });
});

onBothEngines('before it is sent', (engine) => {
  test('[SYS-3] the dry run decides as the message would, stores nothing, and says what may change', async () => {
    const floor = await floorOn(engine);
    try {
      const [on, off] = [await floor.agent('ON'), await floor.agent('OFF', { online: false })];
      const here = await floor.channel('dry', floor.bob, on, off);
      await floor.ann.post(here, '^ON go');
      await floor.pass();
      const dry = (body: string) => floor.ann.call('previewMessage', { params: { conversationId: here }, body: { body } });
      const both = await dry('^ON and ^OFF, please');
      expect(both.agents.map(({ handle, policy, reason }) => [handle, policy, reason])).toEqual([
        ['OFF', 'must_respond', 'mention'],
        ['ON', 'must_respond', 'mention'],
      ]);
      expect(both.mayChange).toEqual([
        { agentId: off.id, offline: true, sleeping: false, ahead: 0, spent: false },
        { agentId: on.id, offline: false, sleeping: false, ahead: 1, spent: false },
      ]);
      expect((await dry('nobody')).mayChange).toEqual([]);
      expect((await dry('@bob only')).agents.map(({ reason }) => reason)).toEqual(['addressed_to_others', 'addressed_to_others']);
      expect([await floor.bodies(here), (await floor.tasks(here)).length]).toEqual([[['ann', '^ON go']], 1]);
      const stranger = await floor.kit.person('stranger', 'guest');
      expect((await stranger.ask('previewMessage', { params: { conversationId: here }, body: { body: 'x' } })).status).toBe(404);
    } finally {
      await floor.kit.stop();
    }
  });
});
