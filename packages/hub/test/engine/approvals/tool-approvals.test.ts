// Tools of a turn inside the hub: which wait for approval, by mode (IAC-12) and by what was read (SYS-13), and that an approval is for one
// call with exactly its arguments.

import { onBothEngines, type Person, SimClock, hubFor } from '@parley/testkit';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Brain, TurnOutcome, BrainTurn } from '../../../src/brains/brain.ts';
import { operator } from '../../../src/engine/command.ts';
import { ApprovalDenial, NeedsApproval } from '../../../src/executor/journal.ts';

onBothEngines('tools that need approval', (engine) => {
  let owner: Person;
  let orac: string;
  let dm: string;
  let n = 0;
  let turnOf: (turn: BrainTurn) => Promise<TurnOutcome>;
  /** What was really done, with which arguments. */
  let done: unknown[];
  let turns: BrainTurn[];

  const brain: Brain = {
    turn: (turn) => {
      if (turn.requester?.id !== owner.id) return Promise.resolve({ kind: 'answer', text: 'done' });
      turns.push(turn);
      return turnOf(turn);
    },
  };
  const kit = hubFor(engine, { brain, clock: new SimClock(), agents: [{ handle: 'ORAC', displayName: 'ORAC', about: '' }] });
  beforeAll(async () => {
    orac = (await kit.owner.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!.id;
  });
  beforeEach(async () => {
    owner = await kit.person(`p${n++}`, 'owner');
    // Its owner is asked.
    await kit.operator.call('editMember', { params: { memberId: orac }, body: { ownerId: owner.id } });
    [done, turns] = [[], []];
    dm = (await owner.call('openDm', { body: { memberIds: [orac] } })).id;
    await mode('autonomous');
  });

  const settle = () => kit.hub.kernel.scheduler.settled();
  const mode = (to: 'autonomous' | 'supervised' | 'strict') => owner.call('editAgent', { params: { memberId: orac }, body: { mode: to } });
  const asked = async () => (await owner.call('listCheckpoints', { query: {} })).checkpoints;
  const answer = async (choice: string) => {
    const [first] = await asked();
    await owner.call('closeCheckpoint', { params: { checkpointId: first!.id }, body: { choice } });
    await settle();
  };
  const state = async () => (await owner.call('listTasks', { query: { conversationId: dm, state: 'all' } })).tasks.at(-1)!.state;
  const said = async () =>
    (await owner.call('listMessages', { params: { conversationId: dm }, query: {} })).messages.map(({ body }) => body);
  const mail = (turn: BrainTurn, input: object, readOnly = false) =>
    turn.step({ kind: 'tool', name: readOnly ? 'find' : 'send_mail', readOnly, input }, async () => {
      done.push(input);
      return 'sent';
    });
  /** Does it, or says what kept it; then answers. */
  const tries =
    (input: object, readOnly = false) =>
    async (turn: BrainTurn): Promise<TurnOutcome> => {
      const came = await mail(turn, input, readOnly).catch((error: unknown) => {
        if (error instanceof NeedsApproval || error instanceof ApprovalDenial) return error.message;
        throw error;
      });
      return { kind: 'answer', text: came };
    };
  const taint = async () => {
    const [task] = await kit.hub.kernel.store.rows('tasks', 'where agent_id = ? and open = 1', [orac]);
    await kit.hub.kernel.engine.submit({ type: 'task.taint', by: operator, taskId: task!.id, source: { kind: 'tool', name: 'web' } });
  };

  test('[IAC-12] supervised: what changes something waits, approved it runs once, with exactly those arguments', async () => {
    await mode('supervised');
    turnOf = tries({ to: 'a', body: 'b' });
    await owner.post(dm, 'send it');
    await settle();
    expect([done, await state()]).toEqual([[], 'awaiting_approval']);
    // What it said is on the way, and not its last word.
    expect(await said()).toEqual(['send it', 'This action requires approval. Waiting for approval...']);
    expect(await asked()).toMatchObject([
      {
        text: 'ORAC wants to use send_mail:',
        detail: 'Arguments: {"to":"a","body":"b"}',
        reason: 'Its behaviour mode requires approval for this.',
        choices: [{ choice: 'approve' }, { choice: 'deny' }],
      },
    ]);
    // The same in another order is the same.
    turnOf = tries({ body: 'b', to: 'a' });
    await answer('approve');
    expect(turns[1]!.approved).toMatchObject([{ name: 'send_mail', input: { to: 'a', body: 'b' } }]);
    // A brain of the hub makes it before it thinks: told to make it again, a model would do it twice.
    expect(turns[1]!.prompt().user).not.toContain('Make the same call again');
    expect([done, await state(), (await said()).at(-1)]).toEqual([[{ body: 'b', to: 'a' }], 'completed', 'sent']);
  });

  test('[IAC-12] with changed arguments it waits for another approval; the first is of no use to it', async () => {
    await mode('supervised');
    turnOf = tries({ to: 'a' });
    await owner.post(dm, 'send it');
    await settle();
    turnOf = tries({ to: 'somebody else' });
    await answer('approve');
    expect([done, await state()]).toEqual([[], 'awaiting_approval']);
    expect(await asked()).toMatchObject([{ detail: 'Arguments: {"to":"somebody else"}' }]);
    await answer('deny');
    expect([done, await state(), (await said()).at(-1)]).toEqual([[], 'completed', 'Approval denied for using send_mail.']);
    expect(turns.at(-1)!.refused).toMatchObject([{ name: 'send_mail', text: 'Approval denied for using send_mail.' }]);
  });

  test('[IAC-12] autonomous asks for nothing, supervised not for reading, strict for every tool', async () => {
    for (const [to, readOnly, waits] of [
      ['autonomous', false, false],
      ['supervised', true, false],
      ['strict', true, true],
    ] as const) {
      await mode(to);
      turnOf = tries({ q: to }, readOnly);
      await owner.post(dm, `with ${to}`);
      await settle();
      expect([to, await state()]).toEqual([to, waits ? 'awaiting_approval' : 'completed']);
    }
    await answer('approve');
    expect(done).toEqual([{ q: 'autonomous' }, { q: 'supervised' }, { q: 'strict' }]);
  });

  test('[SYS-13] a task that has read others’ words writes only with approval: once, exactly that, and nothing else', async () => {
    turnOf = async (turn) => {
      await taint();
      await mail(turn, { to: 'mallory' });
      return { kind: 'answer', text: 'sent' };
    };
    await owner.post(dm, 'send it');
    await settle();
    // Its brain knew nothing of approvals: the task waits all the same.
    expect([done, await state()]).toEqual([[], 'awaiting_approval']);
    expect(await asked()).toMatchObject([{ reason: expect.stringContaining('what others wrote') }]);
    turnOf = async (turn) => {
      await mail(turn, { to: 'mallory' });
      const again = await mail(turn, { to: 'mallory' }).catch((error: Error) => error.message);
      return { kind: 'answer', text: again };
    };
    await answer('approve');
    expect([done, await state()]).toEqual([[{ to: 'mallory' }], 'awaiting_approval']);
    await answer('deny');
    expect(done).toEqual([{ to: 'mallory' }]);
    const refused = await kit.hub.kernel.store.rows('facts', "where type = 'turn.refused' and chain_id = ? order by seq", [
      turns[0]!.task.chain_id,
    ]);
    expect(refused.map(({ data }) => (JSON.parse(data) as { reason: string }).reason)).toEqual([
      'needs_approval',
      'needs_approval',
      'denied',
    ]);
  });

  test('[IAC-12] [PAP-14] a brain that gets a denial and cannot go on says so', async () => {
    await mode('supervised');
    turnOf = async (turn) => ({ kind: 'answer', text: await mail(turn, { to: 'a' }) });
    await owner.post(dm, 'send it');
    await settle();
    await answer('deny');
    expect([await state(), (await said()).at(-1)]).toEqual(['declined', 'Approval denied for using send_mail.']);
  });

  test('[SYS-12] a restart after the approval and in the middle of the turn: it runs once', async () => {
    await mode('supervised');
    const held = Promise.withResolvers<void>();
    turnOf = tries({ to: 'a' });
    await owner.post(dm, 'send it');
    await settle();
    await kit.restart();
    expect(await state()).toBe('awaiting_approval');
    turnOf = async (turn) => {
      await mail(turn, { to: 'a' });
      held.resolve();
      return new Promise<never>(() => {});
    };
    const [first] = await asked();
    await owner.call('closeCheckpoint', { params: { checkpointId: first!.id }, body: { choice: 'approve' } });
    await held.promise;
    turnOf = async (turn) => {
      const [call] = turn.approved;
      return { kind: 'answer', text: `${call!.name}: ${await mail(turn, call!.input as object)}` };
    };
    await kit.restart();
    await settle();
    expect([done, await state(), (await said()).at(-1)]).toEqual([[{ to: 'a' }], 'completed', 'send_mail: sent']);
  });
});
