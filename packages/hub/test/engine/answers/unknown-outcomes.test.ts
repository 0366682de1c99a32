// A call in a turn that nobody saw the end of (SYS-12): whoever would approve it says what became of it, with one tap.

import { onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Brain, UnknownOutcome } from '../../../src/brains/brain.ts';
import { floorOn } from '../../kit/floor.ts';

onBothEngines('a call that may have happened', (engine) => {
  let kit: TestHub;
  let clock: SimClock;
  let owner: Person;
  let ann: Person;
  let orac: string;
  let dm: string;
  let paid: number;
  let lost: boolean;
  let reached: PromiseWithResolvers<void>;

  const brain: Brain = {
    turn: async (turn) => {
      try {
        const text = await turn.step({ kind: 'tool', name: 'pay', readOnly: false, input: { to: 'zoe' } }, async () => {
          paid++;
          reached.resolve();
          // The runner is lost after the call and before it is written down.
          if (lost) await new Promise(() => {});
          return 'paid';
        });
        return { kind: 'answer', text };
      } catch (error) {
        if (!(error instanceof UnknownOutcome)) throw error;
        return { kind: 'answer', text: [error.answer, ...error.since.map(({ text }) => text)].join(': ') };
      }
    },
  };
  beforeEach(async () => {
    clock = new SimClock();
    kit = await startTestHub(engine, { brain, clock });
    [owner, ann] = [kit.owner, await kit.person('ann')];
    orac = (await owner.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!.id;
    await kit.operator.call('editMember', { params: { memberId: orac }, body: { ownerId: owner.id } });
    dm = (await ann.call('openDm', { body: { memberIds: [orac] } })).id;
    [paid, lost, reached] = [0, true, Promise.withResolvers<void>()];
  });
  afterEach(() => kit.stop());

  const settle = () => kit.hub.kernel.scheduler.settled();
  const state = async () => (await ann.call('listTasks', { query: { conversationId: dm, state: 'all' } })).tasks[0]!.state;
  const inbox = async (who = owner) => (await who.call('listCheckpoints', { query: {} })).checkpoints;
  const said = async () => (await ann.call('listMessages', { params: { conversationId: dm }, query: {} })).messages.map(({ body }) => body);
  /** ann asks, and the hub goes down in the middle of the call. */
  const lose = async () => {
    await ann.post(dm, 'pay zoe');
    await reached.promise;
    await restart();
  };
  const restart = async () => {
    lost = false;
    await kit.restart();
    await settle();
  };
  const answer = async (choice: string, who = owner) => {
    const [first] = await inbox();
    const { status, body } = await who.ask('closeCheckpoint', { params: { checkpointId: first!.id }, body: { choice } });
    await settle();
    return [status, body.already];
  };

  test('[SYS-12] [SYS-1] a call that may have happened is put to its approver, with the call and three answers; the requester gets a notice', async () => {
    await lose();
    expect([await state(), paid]).toEqual(['awaiting_approval', 1]);
    const [asked, ...none] = await inbox();
    expect(none).toEqual([]);
    expect(asked).toMatchObject({
      kind: 'may_have_happened',
      memberId: owner.id,
      agentId: orac,
      text: 'ORAC was interrupted while it called pay. The call may have happened:',
      detail: 'Arguments: {"to":"zoe"}',
      choices: [
        { choice: 'did', label: 'It did' },
        { choice: 'again', label: 'Do it again' },
        { choice: 'leave', label: 'Leave it' },
      ],
    });
    expect((await ann.call('listNotices', { query: {} })).notices).toMatchObject([{ kind: 'may_have_happened', reason: 'pay' }]);
    // Durable, and asked once.
    await restart();
    expect((await inbox()).map(({ id }) => id)).toEqual([asked!.id]);
    // Neither the requester's words nor their tap decide about it.
    await ann.post(dm, 'go on');
    await settle();
    expect([await state(), (await inbox()).map(({ id }) => id), await answer('again', ann)]).toEqual([
      'awaiting_approval',
      [asked!.id],
      [404, undefined],
    ]);
    expect(paid).toBe(1);
  });

  test('[SYS-12] the person says that the call happened: the turn goes on with that, and the call is not made again', async () => {
    await lose();
    expect(await answer('did')).toEqual([200, false]);
    expect([await state(), (await said()).at(-1), paid, await inbox()]).toEqual(['completed', 'did', 1, []]);
    const { entries } = await owner.call('listAudit', { query: {} });
    expect(entries.filter(({ kind }) => kind !== 'access')).toMatchObject([
      { kind: 'approval', name: 'pay', outcome: 'done', actorId: owner.id },
      { kind: 'tool', name: 'pay', outcome: 'done' },
    ]);
  });

  test('[SYS-12] do it again: the call is made once more, however often it is tapped and over a restart', async () => {
    await lose();
    const [first] = await inbox();
    const choose = () => owner.call('closeCheckpoint', { params: { checkpointId: first!.id }, body: { choice: 'again' } });
    const both = await Promise.all([choose(), choose()]);
    expect(both.filter(({ already }) => already)).toHaveLength(1);
    await settle();
    await restart();
    expect([await state(), (await said()).at(-1), paid]).toEqual(['completed', 'paid', 2]);
  });

  test('[SYS-12] lost again while it is made again, it is asked about again', async () => {
    await lose();
    const [first] = await inbox();
    [lost, reached] = [true, Promise.withResolvers<void>()];
    await owner.call('closeCheckpoint', { params: { checkpointId: first!.id }, body: { choice: 'again' } });
    await reached.promise;
    await restart();
    const [second] = await inbox();
    expect([paid, await state(), second!.id === first!.id]).toEqual([2, 'awaiting_approval', false]);
    expect(await answer('did')).toEqual([200, false]);
    expect([await state(), paid]).toEqual(['completed', 2]);
  });

  test('[SYS-12] leave it: the turn goes on without knowing, with what was said meanwhile', async () => {
    await lose();
    await ann.post(dm, 'it was paid');
    await settle();
    expect(await answer('leave')).toEqual([200, false]);
    expect([(await said()).at(-1), paid]).toEqual(['left: it was paid', 1]);
  });

  test('[SYS-12] nobody answers: it is left when nobody is asked any more; a task that is stopped asks nobody', async () => {
    await lose();
    const [task] = (await ann.call('listTasks', { query: { conversationId: dm, state: 'open' } })).tasks;
    await ann.call('stopTask', { params: { taskId: task!.id } });
    expect([await inbox(), paid]).toEqual([[], 1]);
    [lost, reached] = [true, Promise.withResolvers<void>()];
    await lose();
    for (let i = 0; i < 25; i++) {
      clock.advance(3_600_000);
      await kit.hub.kernel.timers.tick();
      await settle();
    }
    expect([await inbox(), paid]).toEqual([[], 2]);
    expect(await state()).not.toBe('awaiting_approval');
  });

  test('[SYS-12] [SYS-14] the member who answers for the agent now is asked, and its earlier owner no more', async () => {
    await lose();
    const ben = await kit.person('ben');
    await kit.operator.call('editMember', { params: { memberId: orac }, body: { ownerId: ben.id } });
    const [asked] = await inbox(ben);
    expect([asked!.kind, asked!.agentId, await inbox(owner)]).toEqual(['may_have_happened', orac, []]);
    const close = (who: Person) => who.ask('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'again' } });
    expect((await close(ann)).status).toBe(404);
    expect((await close(ben)).status).toBe(200);
    await settle();
    expect([paid, (await said()).at(-1)]).toEqual([2, 'paid']);
  });

  test('[IAC-14] [SYS-14] so it is with a call that waits for approval, also where its manager changes', async () => {
    lost = false;
    await kit.operator.call('editAgent', { params: { memberId: orac }, body: { mode: 'strict' } });
    await ann.post(dm, 'pay zoe');
    await settle();
    const [max, ben] = [await kit.person('max'), await kit.person('ben')];
    const [asked] = await inbox(owner);
    const holders = async () => {
      const found = [];
      for (const who of [owner, max, ben]) if ((await inbox(who)).some(({ id }) => id === asked!.id)) found.push(who.id);
      return found;
    };
    expect(asked!.kind).toBe('approval');
    await kit.operator.call('editMember', { params: { memberId: orac }, body: { managerId: max.id } });
    expect(await holders()).toEqual([max.id]);
    await kit.operator.call('editMember', { params: { memberId: orac }, body: { managerId: null, ownerId: ben.id } });
    expect(await holders()).toEqual([ben.id]);
    const close = (who: Person) => who.ask('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'approve' } });
    expect((await close(max)).status).toBe(404);
    expect((await close(ben)).status).toBe(200);
    await settle();
    expect(paid).toBe(1);
  });
});

onBothEngines('a call that may have happened below', (engine) => {
  test('[SYS-12] [PAP-7] in a sub-task a person is asked all the same, and the one above waits', async () => {
    const floor = await floorOn(engine);
    try {
      const { engine: commands, store } = floor.kit.hub.kernel;
      const [a, b] = [await floor.agent('A'), await floor.agent('B')];
      const here = await floor.channel('below', a, b);
      const by = { operator: true } as const;
      const row = async (agentId: string) => (await store.rows('tasks', 'where agent_id = ?', [agentId]))[0]!;
      const states = async () => (await floor.tasks(here)).map(({ state }) => state);
      await floor.ann.post(here, '^A do it');
      await floor.pass();
      await floor.say(a, (await floor.tasks(here))[0]!, 'progress', '^B pay');
      await floor.pass();
      const { id, lease } = await row(a.id);
      await commands.submit({ type: 'task.pause', by, agentId: a.id, taskId: id, lease });
      const below = await row(b.id);
      const [turn] = await store.rows('turns', 'where task_id = ?', [below.id]);
      const step = { by, agentId: b.id, taskId: below.id, lease: below.lease, turnId: turn!.id, n: 0 };
      // Words of another agent taint it: of what changes something outside, only saying a word is left to it unasked.
      const intended = { kind: 'tool', name: 'say', readOnly: false, stepKey: null, input: '{}' } as const;
      await commands.submit({ type: 'turn.intend', ...step, ...intended });
      await commands.submit({ type: 'turn.unknown', ...step });
      await floor.pass();
      expect(await states()).toEqual(['awaiting_delegation', 'awaiting_approval']);
      const [asked] = (await floor.ann.call('listCheckpoints', { query: {} })).checkpoints;
      expect(asked).toMatchObject({ kind: 'may_have_happened', agentId: b.id, conversationId: here });
      await floor.ann.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'did' } });
      await floor.pass();
      expect(await states()).toEqual(['awaiting_delegation', 'active']);
      await expect(commands.submit({ type: 'turn.unknown', ...step })).rejects.toMatchObject({ code: 'stale_lease' });
    } finally {
      await floor.kit.stop();
    }
  });
});
