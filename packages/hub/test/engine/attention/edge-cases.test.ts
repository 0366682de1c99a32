// Where the parts of attention meet at their edges: what is said twice, handed on, rotated, or asked in circles.

import type { Task } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { floorFor } from '../../kit/floor.ts';
import { quiet } from '../../kit/composing-windows.ts';

const interval = 60_000;
const minute = 60_000;
const held = { blocks: 'halted', defaultAction: 'the plan', intervalMs: interval } as const;

onBothEngines('where attention meets', (engine) => {
  let a: Person;
  let b: Person;
  let n = 0;
  const { floor, ann, bob, owner } = floorFor(engine);
  beforeEach(async () => {
    n++;
    a = await floor.agent(`A${n}`);
    b = await floor.agent(`B${n}`);
  });
  const store = () => floor.kit.hub.kernel.store;
  const room = (...members: Person[]) => floor.channel(`meets-${n}`, ...(members.length > 0 ? members : [bob, a, b]));
  const role = (handle: string, ...holders: Person[]) =>
    owner.call('addRole', { body: { handle, holderIds: holders.map(({ id }) => id) } });
  const rowOf = async (taskId: string) => (await store().rows('tasks', 'where id = ?', [taskId]))[0]!;
  const asked = async (here: string, body: string): Promise<Task> => {
    await ann.post(here, body);
    await floor.pass();
    return (await floor.tasks(here)).at(-1)!;
  };
  const now = async (task: Task) => ann.call('getTask', { params: { taskId: task.id } });
  const code = async (answer: Promise<{ status: number; body: { error?: { code: string; reason?: string } } }>) => {
    const { status, body } = await answer;
    return status === 200 ? 'ok' : (body.error?.reason ?? body.error?.code);
  };
  const claim = (who: Person, task: Task) => code(who.ask('startTask', { params: { taskId: task.id } }));
  const decline = async (who: Person, task: Task) =>
    code(who.ask('declineTask', { params: { taskId: task.id }, body: { lease: (await rowOf(task.id)).lease, reason: 'not me' } }));
  const signal = async (who: Person, task: Task, kind: 'done' | 'seen' | 'unclear') =>
    code(
      who.ask('sendSignal', {
        params: { messageId: task.messageId },
        body: { signal: kind, lease: (await rowOf(task.id)).lease },
      }),
    );
  const oblige = async (who: Person, here: string, body: string, more: object = {}) => {
    const message = await who.call('postMessage', {
      params: { conversationId: here },
      body: { body, obligation: { ...held, ...more } },
    });
    const [row] = await store().rows('obligations', 'where message_id = ?', [message.id]);
    return row!.id;
  };
  const owed = async (id: string) => (await store().rows('obligations', 'where id = ?', [id]))[0]!;
  const waitingFor = async (who: Person) =>
    (await who.call('listCheckpoints', { query: {} })).checkpoints.flatMap(({ obligationIds }) => obligationIds);
  const notices = async (since: number) => (await floor.notices(ann)).slice(since).map(({ kind }) => kind);

  describe('signals', () => {
    test('[C2A-22] [C2A-26] the same signal on the same message ends what was asked by its edit as well', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} tidy up`);
      expect(await signal(a, task, 'done')).toBe('ok');
      await ann.call('editMessage', { params: { messageId: task.messageId }, body: { body: `^${a.handle} tidy up the attic` } });
      await floor.pass();
      const again = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'edit')!;
      expect(again.state).toBe('active');
      expect(await signal(a, again, 'done')).toBe('ok');
      expect(await now(again)).toMatchObject({ state: 'completed', cause: 'signalled' });
    });

    test('[C2A-22] [C2A-26] an agent may put a message that it may answer away as seen', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} tidy up`);
      expect((await floor.say(a, task, 'answer', 'tidied')).status).toBe(200);
      await ann.call('editMessage', { params: { messageId: task.messageId }, body: { body: `^${a.handle} tidy up the attic` } });
      await floor.pass();
      const again = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'edit')!;
      expect(await signal(a, again, 'seen')).toBe('ok');
      expect(await now(again)).toMatchObject({ state: 'completed', cause: 'signalled' });
    });
  });

  describe('the requester is gone', () => {
    test('[C2A-31] [SYS-14] with the last who could settle it, it ends; until then whom they named can', async () => {
      const [carl, dana] = [await floor.kit.person(`carl${n}`), await floor.kit.person(`dana${n}`)];
      const here = await room(bob, a, b, carl, dana);
      const alone = await oblige(carl, here, `^${a.handle} which?`);
      const lent = await oblige(carl, here, `^${a.handle} where?`, { delegateId: dana.id });
      // However many there are.
      const many = await Promise.all(Array.from({ length: 40 }, (_, k) => oblige(carl, here, `^${b.handle} and ${k}?`)));
      await owner.call('deactivateMember', { params: { memberId: carl.id } });
      expect((await Promise.all(many.map(owed))).every(({ open }) => open === 0)).toBe(true);
      expect(await owed(alone)).toMatchObject({ open: 0, discharged_by: null, next_at: null });
      expect(await owed(lent)).toMatchObject({ open: 1 });
      await owner.call('deactivateMember', { params: { memberId: dana.id } });
      expect(await owed(lent)).toMatchObject({ open: 0, discharged_by: null, next_at: null });
    });

    test('[C2A-31] [SYS-14] an obligation to a person who goes is owed to the member who takes over from them', async () => {
      const [carl, dana] = [await floor.kit.person(`carl${n}`), await floor.kit.person(`dana${n}`)];
      await owner.call('editMember', { params: { memberId: bob.id }, body: { managerId: carl.id } });
      await owner.call('editMember', { params: { memberId: carl.id }, body: { managerId: dana.id } });
      const here = await room();
      const id = await oblige(ann, here, '@bob which?');
      expect(await code(bob.ask('signalObligation', { params: { obligationId: id }, body: { signal: 'blocked' } }))).toBe('ok');
      expect(await waitingFor(carl)).toEqual([id]);
      for (let k = 0; k < 15; k++) {
        const there = await ann.call('createChannel', { body: { name: `many-${n}-${k}` } });
        await ann.call('addToConversation', { params: { conversationId: there.id }, body: { memberId: bob.id } });
        const more = await oblige(ann, there.id, '@bob which?');
        await bob.call('signalObligation', { params: { obligationId: more }, body: { signal: 'blocked' } });
      }
      await owner.call('deactivateMember', { params: { memberId: carl.id } });
      expect(await owed(id)).toMatchObject({ open: 1, holder_id: dana.id });
      expect(await waitingFor(dana)).toHaveLength(16);
      expect(await waitingFor(dana)).toContain(id);
      await owner.call('editMember', { params: { memberId: bob.id }, body: { managerId: null } });
    });
  });

  describe('owed answers', () => {
    test('[C2A-31] [PAP-16] only one of those in the conversation can be named to settle it: what is written with it goes no further', async () => {
      const carl = await floor.kit.person(`carl${n}`);
      const here = await room();
      const post = ann.ask('postMessage', {
        params: { conversationId: here },
        body: { body: `^${a.handle} which?`, obligation: { ...held, delegateId: carl.id } },
      });
      expect((await post).body.error?.problems).toMatchObject([{ field: 'obligation.delegateId' }]);
      const task = await asked(here, `^${a.handle} build it`);
      const said = await floor.say(a, task, 'question', 'which colour?', { obligation: { ...held, delegateId: carl.id } });
      expect(said.status).toBe(400);
      expect((await carl.call('listObligations', { query: { waiting: 'me' } })).obligations).toEqual([]);
    });

    test('[C2A-31] [C2A-20] an explanation that is unclear in turn goes up: two who do not understand each other are no circle', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} build it`);
      const said = await floor.say(a, task, 'progress', `^${b.handle} which branch?`, { obligation: held });
      expect(said.status).toBe(200);
      const [first] = await store().rows('obligations', 'where author_id = ?', [a.id]);
      const unclear = (who: Person, id: string) =>
        code(who.ask('signalObligation', { params: { obligationId: id }, body: { signal: 'unclear' } }));
      expect(await unclear(b, first!.id)).toBe('ok');
      const [back] = await store().rows('obligations', 'where reciprocal_of = ?', [first!.id]);
      expect(back).toMatchObject({ author_id: b.id, holder_id: a.id });
      expect(await unclear(a, back!.id)).toBe('ok');
      expect(await store().rows('obligations', 'where reciprocal_of = ?', [back!.id])).toEqual([]);
      expect(await owed(back!.id)).toMatchObject({ holder_id: ann.id, level: 1, open: 1 });
      expect(await waitingFor(ann)).toContain(back!.id);
    });

    test('[C2A-31] [PAP-11] [PAP-12] a reminder stands as deep as what it reminds of: no path makes a chain again', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} build it`);
      await floor.say(a, task, 'progress', `^${b.handle} which branch?`, { obligation: held });
      await floor.pass();
      const below = (await floor.tasks(here)).find(({ agentId }) => agentId === b.id)!;
      expect((await floor.say(b, below, 'answer', 'main')).status).toBe(200);
      await floor.pass(interval);
      const knock = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'obligation')!;
      expect(knock).toMatchObject({ agentId: b.id, depth: 1, state: 'active' });
      expect(JSON.parse((await rowOf(knock.id)).path)).toEqual([a.id, b.id]);
      // Who is above in it is answered, not asked; and nobody else is made to wait for either.
      const before = (await floor.tasks(here)).length;
      expect(await code(floor.say(b, knock, 'progress', `^${a.handle} which one do you mean?`))).toBe('ok');
      expect(await floor.tasks(here)).toHaveLength(before);
      const owe = floor.say(b, knock, 'progress', `^${a.handle} and in which house?`, { obligation: held });
      expect(await code(owe)).toBe('invalid_request');
    });

    test('[C2A-31] [PAP-11] a reminder for one that has let its claim go since is as deep as it was then', async () => {
      const here = await room();
      const task = await asked(here, '^ANY of you build it');
      expect(await claim(a, task)).toBe('ok');
      await floor.say(a, await now(task), 'progress', `^${b.handle} which branch?`, { obligation: held });
      await floor.pass();
      const below = (await floor.tasks(here)).find(({ parentId }) => parentId === task.id)!;
      expect((await floor.say(b, below, 'answer', 'main')).status).toBe(200);
      expect(await decline(a, task)).toBe('ok');
      expect((await now(task)).agentId).toBeNull();
      await floor.pass(interval);
      const knock = (await floor.tasks(here)).find(({ addressedBy }) => addressedBy === 'obligation')!;
      expect(knock).toMatchObject({ agentId: b.id, depth: 1 });
      expect(JSON.parse((await rowOf(knock.id)).path)).toEqual([a.id, b.id]);
    });

    test('[C2A-31] one of two is settled: the reminder of the other stands', async () => {
      const here = await room();
      await floor.disconnect(a);
      const ids = [await oblige(ann, here, `^${a.handle} which?`), await oblige(ann, here, `^${a.handle} where?`)];
      for (const task of await floor.tasks(here)) await ann.call('stopTask', { params: { taskId: task.id } });
      await floor.pass(interval);
      const knocks = async () => (await floor.tasks(here)).filter(({ addressedBy }) => addressedBy === 'obligation');
      const [knock, ...others] = await knocks();
      expect([knock!.state, others]).toEqual(['queued', []]);
      const rows = await Promise.all(ids.map(owed));
      const [first, second] = rows.toSorted((one) => (one.message_id === knock!.messageId ? -1 : 1));
      await ann.call('dischargeObligation', { params: { obligationId: first!.id } });
      expect((await knocks()).map(({ state }) => state)).toEqual(['queued']);
      await ann.call('dischargeObligation', { params: { obligationId: second!.id } });
      expect((await knocks()).map(({ state }) => state)).toEqual(['cancelled']);
    });

    test('[C2A-31] [C2A-17] an obligation does not escalate to the member who waits: nobody is woken by their own words', async () => {
      await owner.call('editMember', { params: { memberId: b.id }, body: { managerId: a.id } });
      const here = await room();
      const task = await asked(here, `^${a.handle} build it`);
      await floor.say(a, task, 'progress', `^${b.handle} which branch?`, { obligation: held });
      const [row] = await store().rows('obligations', 'where author_id = ?', [a.id]);
      await b.call('signalObligation', { params: { obligationId: row!.id }, body: { signal: 'declined' } });
      expect((await owed(row!.id)).holder_id).toBe(ann.id);
    });
  });

  describe('claims', () => {
    test('[C2A-15] [C2A-34] an agent that lets one of two roles go may still take the other', async () => {
      const here = await room(a);
      await role(`one${n}`, a);
      await role(`two${n}`, a);
      await ann.post(here, `^one${n} and ^two${n}: report`);
      const [first, second] = await floor.tasks(here);
      expect(await claim(a, first!)).toBe('ok');
      expect(await decline(a, first!)).toBe('ok');
      expect(await claim(a, second!)).toBe('ok');
    });

    test('[C2A-15] an agent that goes for good before its first word leaves the task to the next', async () => {
      const here = await room();
      const leaves = [
        () => ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } }),
        () => ann.call('removeFromConversation', { params: { conversationId: here, memberId: a.id } }),
        () => owner.call('deactivateMember', { params: { memberId: a.id } }),
      ];
      for (const leave of leaves) {
        await ann.ask('addToConversation', { params: { conversationId: here }, body: { memberId: a.id } });
        const task = await asked(here, '^ANY help');
        if (leave === leaves[1]) await ann.call('callBack', { params: { conversationId: here, memberId: a.id } });
        expect(await claim(a, task)).toBe('ok');
        await leave();
        expect(await now(task)).toMatchObject({ state: 'offered', agentId: null });
        expect(await claim(b, task)).toBe('ok');
        expect((await floor.say(b, task, 'answer', 'done')).status).toBe(200);
      }
    });

    test('[C2A-15] [C2A-22] an agent that asked for clarity, and was answered, has not let the task pass', async () => {
      const here = await room();
      const task = await asked(here, '^ANY help');
      expect(await claim(a, task)).toBe('ok');
      expect(await signal(a, task, 'unclear')).toBe('ok');
      await floor.pass(minute);
      await ann.post(here, 'with the boxes');
      expect(await claim(a, task)).toBe('ok');
      await floor.pass(minute + 30_000);
      expect(await now(task)).toMatchObject({ agentId: a.id, state: 'active' });
    });

    test('[C2A-32] an agent that let a task go declined it, or did nothing: that is not waiting', async () => {
      const here = await room();
      const task = await asked(here, '^ANY help');
      expect(await claim(a, task)).toBe('ok');
      expect(await decline(a, task)).toBe('ok');
      const outcomes = async () =>
        (await ann.call('explainMessage', { params: { messageId: task.messageId }, query: {} })).agents
          .toSorted((one, other) => (one.handle < other.handle ? -1 : 1))
          .map(({ handle, outcome }) => [handle, outcome]);
      expect(await outcomes()).toEqual([[a.handle, 'declined'], [b.handle, 'waiting']]); // prettier-ignore
      expect(await claim(b, task)).toBe('ok');
      await floor.pass(2 * minute);
      expect(await outcomes()).toEqual([[a.handle, 'declined'], [b.handle, 'failed']]); // prettier-ignore
    });
  });

  describe('roles', () => {
    test('[C2A-34] [C2A-16] all holders of the role were asked to leave: the task waits, and its author gets a notice', async () => {
      const here = await room();
      await role(`gone${n}`, a);
      await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
      const before = (await floor.notices(ann)).length;
      await ann.post(here, `^gone${n} thanks`);
      expect([await notices(before), await floor.tasks(here)]).toEqual([[], []]);
      await ann.post(here, `^gone${n} help`);
      expect(await notices(before)).toEqual(['nobody_available']);
      const [task] = await floor.tasks(here);
      expect(task).toMatchObject({ state: 'queued', agentId: null, addressedBy: 'role' });
      await ann.call('callBack', { params: { conversationId: here, memberId: a.id } });
      expect(await claim(a, task!)).toBe('ok');
    });

    test('[C2A-34] [C2A-25] a role that others hold by now is still called by an edited text: who has the work keeps it', async () => {
      const here = await room();
      const { id } = await role(`watch${n}`, a);
      const task = await asked(here, `^watch${n} look`);
      expect(await claim(a, task)).toBe('ok');
      await owner.call('editRole', { params: { roleId: id }, body: { holderIds: [b.id] } });
      await ann.call('editMessage', { params: { messageId: task.messageId }, body: { body: `^watch${n} look at the disk` } });
      await floor.pass();
      expect(await now(task)).toMatchObject({ agentId: a.id, state: 'active' });
    });

    test('[C2A-34] [C2A-20] an agent that calls a role again and again, and nobody takes it, is heard all the same', async () => {
      const here = await room();
      await role(`many${n}`, b);
      const task = await asked(here, `^${a.handle} build it`);
      for (let k = 0; k < 7; k++) expect(await code(floor.say(a, task, 'progress', `^many${n} please look at the build`))).toBe('ok');
    });
  });

  test('[C2A-24] a person whom a message addresses gets a notice in rooms of any size, and a departed member counts as nobody', async () => {
    const carl = await floor.kit.person(`carl${n}`);
    const here = await room(bob, a, b, carl);
    await floor.disconnect(a);
    const wire = await Wire.hello(a);
    await owner.call('deactivateMember', { params: { memberId: carl.id } });
    await ann.post(here, `^${a.handle} ask @bob, not @${carl.handle}`);
    expect((await wire.event('task')).event.recipients).toEqual([a.handle, 'bob']);
    await wire.close();
  });

  describe('taint', () => {
    test('[SYS-13] pulled words are words: of an agent, they taint what was only a reminder', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} build it`);
      await floor.disconnect(b);
      const wire = await Wire.hello(b);
      await floor.say(a, task, 'progress', `^${b.handle} which branch?`, { obligation: held });
      const { event: given } = await wire.event('task');
      await wire.call('say', { taskId: given.task.id, lease: given.lease!, kind: 'answer', body: 'main' });
      await floor.pass(interval);
      const { event } = await wire.event('task', ({ reason }) => reason === 'obligation');
      expect((await now(event.task)).tainted).toBe(false);
      expect((await wire.call('pull', { taskId: event.task.id })).content).toContain('which branch?');
      expect((await now(event.task)).tainted).toBe(true);
      await wire.close();
    });

    test('[SYS-13] work that somebody else turned to another agent holds words of somebody else', async () => {
      const here = await room();
      const task = await asked(here, `^${a.handle} build it`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: owner.id } });
      await owner.call('redirectTask', { params: { taskId: task.id }, body: { instruction: 'and fast', agentId: b.id } });
      expect((await floor.tasks(here)).find(({ agentId }) => agentId === b.id)!.tainted).toBe(true);
    });
  });
});

onBothEngines('a claim in a compose window', (engine) => {
  const { floor } = floorFor(engine, {}, { PARLEY_COMPOSE_MS: String(quiet) });

  test('[C2A-15] [C2A-4] an agent that declines while the answer to its question is being written leaves the task to the next', async () => {
    const { ann } = floor;
    const [a, b] = [await floor.agent('A'), await floor.agent('B')];
    const here = await floor.channel('composing', a, b);
    await ann.post(here, '^ANY help');
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    await a.call('startTask', { params: { taskId: task!.id } });
    expect((await floor.say(a, task!, 'question', 'with what?')).status).toBe(200);
    await ann.post(here, 'with the boxes');
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
    await a.call('declineTask', { params: { taskId: task!.id }, body: { lease: row!.lease, reason: 'not for me' } });
    expect(await ann.call('getTask', { params: { taskId: task!.id } })).toMatchObject({ agentId: null, state: 'queued' });
    expect((await b.ask('startTask', { params: { taskId: task!.id } })).body.error?.code).toBe('composing');
    await floor.pass(quiet);
    expect(await ann.call('getTask', { params: { taskId: task!.id } })).toMatchObject({ agentId: null, state: 'offered' });
    expect((await b.ask('startTask', { params: { taskId: task!.id } })).status).toBe(200);
  });
});
