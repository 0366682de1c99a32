// A contact that needs a person's approval, from an agent's own door to the inbox and back: on a socket, and of a model.

import { approvalLimits, contactResults } from '@parley/core';
import type { Checkpoint, ContactOutcome } from '@parley/protocol';
import { type ModelCall, onBothEngines, Person, type Reply } from '@parley/testkit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type Alone, worldFor } from '../../kit/models.ts';

/** Here a day takes 24 minutes, so that a chain outlives what nobody answers. */
const approvals = { ...approvalLimits, remindMs: approvalLimits.remindMs.map((ms) => ms / 60), expireMs: approvalLimits.expireMs / 60 };
const minute = 60_000;
const question = 'Is it sound?';

onBothEngines('a contact that needs approval', (engine) => {
  let mallory: Person;
  let n = 0;
  /** A new hub takes turns up before the test has it in hand. */
  let up = Promise.resolve();
  const world = worldFor(engine, {}, { ...workLimits, approvals });
  beforeAll(async () => {
    world.tools.for = async (turn) => {
      await up;
      return world.kit.hub.kernel.toolsFor(turn);
    };
    mallory = await world.kit.person('mallory');
  });

  const restart = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    up = promise;
    await world.kit.restart();
    resolve();
  };
  const store = () => world.kit.hub.kernel.store;
  const inbox = async (of: string): Promise<Checkpoint[]> =>
    (await world.owner.call('listCheckpoints', { query: {} })).checkpoints.filter(({ text }) => text.startsWith(`${of} `));
  const answer = (who: Person, checkpointId: string, choice: string) =>
    who.ask('closeCheckpoint', { params: { checkpointId }, body: { choice } });
  const asks = (agentId: string, target: string) =>
    world.owner.call('setContactRule', { params: { memberId: agentId, target }, body: { permission: 'allow', requiresApproval: true } });
  const stateOf = async (taskId: string) => (await world.owner.call('getTask', { params: { taskId } })).state;
  /** What stands between the two, and who of them was given work. */
  const between = async (a: string, b: string) => {
    const key = [a, b].sort().join(',');
    const said = await store().rows('messages', 'where conversation_id in (select id from conversations where dm_key = ?) order by seq', [
      key,
    ]);
    return said.map(({ body }) => body!.split('\n\n').at(-1));
  };
  /** In small steps, as time passes. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 30_000) {
      world.clock.advance(Math.min(left, 30_000));
      await world.kit.hub.kernel.timers.tick();
    }
  };
  /** Whom others ask: it says "yes" to whatever it is asked. */
  const senior = async () => {
    const handle = `SENIOR${n}-${(await store().rows('members', '')).length}`;
    const id = await world.agent(handle);
    world.models.script(handle, [{ text: 'It is sound.' }]);
    return { id, handle, words: `Response from ${handle}: It is sound.` };
  };
  const isShown = (checkpoint: Checkpoint | undefined, from: string, to: string, message = question) =>
    expect(checkpoint).toMatchObject({
      kind: 'approval',
      memberId: world.owner.id,
      text: `${from} wants to contact ${to}:`,
      detail: `Action: ask\nMessage: "${message}"`,
      reason: 'A rule requires approval for this contact.',
      choices: [{ choice: 'approve' }, { choice: 'deny' }, { choice: 'always' }],
    });

  describe('of an agent on a socket', () => {
    let intern: Person;
    let line: Wire;
    let task: { id: string; lease: number };
    let target: Awaited<ReturnType<typeof senior>>;
    beforeEach(async () => {
      n++;
      intern = await world.kit.agent(`INTERN${n}`);
      target = await senior();
      await asks(intern.id, '*');
      line = await Wire.hello(intern);
      const { id: dm } = await world.owner.call('openDm', { body: { memberIds: [intern.id] } });
      const { id } = await world.owner.post(dm, 'check it');
      const { event } = await line.event('task', ({ messageId }) => messageId === id);
      task = { id: event.task.id, lease: event.lease! };
    });

    const contact = (message = question, agentId = target.id): Promise<ContactOutcome> =>
      line.call('contact', { taskId: task.id, lease: task.lease, action: 'ask', agentId, message });
    const waiting = { text: contactResults.waiting(), status: 'awaiting_approval' };
    const denied = { text: `Approval denied for contacting`, status: 'denied' };
    const answered = () => ({ text: target.words, status: 'answered' });
    /** ModelCall, its turn over; what its person is shown. */
    const asked = async (): Promise<Checkpoint> => {
      expect(await contact()).toEqual(waiting);
      await line.call('pause', { taskId: task.id, lease: task.lease });
      expect(await stateOf(task.id)).toBe('awaiting_approval');
      const [checkpoint] = await inbox(intern.handle);
      isShown(checkpoint, intern.handle, target.handle);
      expect(await between(intern.id, target.id)).toEqual([]);
      return checkpoint!;
    };
    /** It is told what was said to it, with its task, and goes on. */
    const goesOn = async (state: 'approved' | 'denied' | 'expired') => {
      const { event } = await line.event('task', ({ task: { id }, lease }) => id === task.id && lease! > task.lease);
      expect(event.approvals).toMatchObject([
        { name: 'contact_agent', state, input: { action: 'ask', agentId: target.id, message: question } },
      ]);
      task.lease = event.lease!;
    };
    const over = async () => {
      await world.owner.call('stopTask', { params: { taskId: task.id } });
      await line.close();
    };

    test('[IAC-14] [SYS-1] approved once: the call is made with exactly that, and the approval is used up; other words need another', async () => {
      const { id } = await asked();
      expect((await answer(world.owner, id, 'approve')).status).toBe(200);
      await goesOn('approved');
      expect(await contact('And send me the file.')).toEqual(waiting);
      expect(await between(intern.id, target.id)).toEqual([]);
      expect(await contact()).toMatchObject(answered());
      expect(await contact()).toEqual(waiting);
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
      expect((await inbox(intern.handle)).map(({ detail }) => detail)).toEqual([
        'Action: ask\nMessage: "And send me the file."',
        `Action: ask\nMessage: "${question}"`,
      ]);
      await over();
      expect(await inbox(intern.handle)).toEqual([]);
    });

    test('[IAC-14] always: this pair is not asked about again, another is', async () => {
      await answer(world.owner, (await asked()).id, 'always');
      await goesOn('approved');
      expect(await contact()).toMatchObject(answered());
      expect(await contact('And that?')).toMatchObject(answered());
      expect(await contact()).toMatchObject(answered());
      const other = await senior();
      expect(await contact(question, other.id)).toEqual(waiting);
      expect(await inbox(intern.handle)).toMatchObject([{ text: `${intern.handle} wants to contact ${other.handle}:` }]);
      await over();
    });

    test('[IAC-14] denied: the agent gets the denial, the same call stays denied, and nobody else hears of it', async () => {
      await answer(world.owner, (await asked()).id, 'deny');
      await goesOn('denied');
      expect(await contact()).toEqual({ ...denied, text: `${denied.text} ${target.handle}.` });
      expect([await between(intern.id, target.id), await inbox(intern.handle)]).toEqual([[], []]);
      await over();
    });

    test('[SYS-1] nobody answers: it expires, a late approval is none, and asked for again it is another', async () => {
      const { id } = await asked();
      await pass(24 * minute);
      await goesOn('expired');
      expect((await answer(world.owner, id, 'approve')).body).toMatchObject({ open: false, choice: null });
      expect(await contact()).toEqual(waiting);
      const [again] = await inbox(intern.handle);
      expect(again!.id).not.toBe(id);
      await answer(world.owner, again!.id, 'approve');
      expect(await contact()).toMatchObject(answered());
      await over();
    });

    test('[IAC-14] [IAC-6] [IAC-9] work to be given and a note to be left are asked for as well, each by itself', async () => {
      const call = (action: string, more: object = {}) =>
        line.call('contact', { taskId: task.id, lease: task.lease, action, agentId: target.id, message: question, ...more });
      expect(await call('delegate')).toEqual(waiting);
      expect(await call('notify')).toEqual(waiting);
      const [first, second] = await inbox(intern.handle);
      expect([first!.detail, second!.detail]).toEqual([
        `Action: delegate\nMessage: "${question}"\nPriority: normal`,
        `Action: notify\nMessage: "${question}"`,
      ]);
      await answer(world.owner, first!.id, 'approve');
      await answer(world.owner, second!.id, 'approve');
      // More pressing than what was approved, it is another call.
      expect(await call('delegate', { priority: 'urgent' })).toEqual(waiting);
      expect(await call('delegate', { priority: 'normal' })).toMatchObject({ status: 'delegated' });
      expect(await call('notify')).toMatchObject({ status: 'notified' });
      expect(await call('notify')).toEqual(waiting);
      await over();
    });

    test('[SYS-1] [SYS-11] nobody but its person approves: not another member, not the agent, not whom it would contact', async () => {
      const { id } = await asked();
      const { secret } = await world.kit.operator.call('createToken', { body: { kind: 'agent', memberId: target.id, label: 'x' } });
      for (const who of [mallory, intern, new Person(intern.url, secret, target.id, target.handle)])
        for (const choice of ['approve', 'always', 'deny']) {
          const { status, body } = await answer(who, id, choice);
          // Another member does not learn that there is one.
          expect([who.handle, status, body.error?.code]).toEqual([
            who.handle,
            ...(who === mallory ? [404, 'not_found'] : [403, 'forbidden']),
          ]);
        }
      expect((await mallory.ask('getCheckpoint', { params: { checkpointId: id } })).status).toBe(404);
      expect([await stateOf(task.id), await inbox(intern.handle)]).toMatchObject(['awaiting_approval', [{ id, open: true }]]);
      await over();
    });

    test('[SYS-12] [SYS-1] the hub restarts between the question and the approval, and again before it is used', async () => {
      const { id } = await asked();
      await line.close();
      await restart();
      expect(await inbox(intern.handle)).toMatchObject([{ id, open: true }]);
      line = await Wire.hello(intern);
      await answer(world.owner, id, 'approve');
      await goesOn('approved');
      await line.close();
      await restart();
      line = await Wire.hello(intern);
      await goesOn('approved');
      expect(await contact()).toMatchObject(answered());
      expect(await contact()).toEqual(waiting);
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
      await over();
    });
  });

  describe('of a model', () => {
    let intern: Alone;
    let target: Awaited<ReturnType<typeof senior>>;
    /** What it wants to say to whom, and what it says when it has been told. */
    let wants: { agentId: string; message: string };
    beforeEach(async () => {
      n++;
      intern = await world.alone();
      target = await senior();
      wants = { agentId: target.id, message: question };
      await asks(intern.id, '*');
      world.models.script(intern.handle, thinks);
    });

    /** It makes its call, unless it reads what came of it; then it says just that. */
    const thinks = ({ told, called }: ModelCall): Reply => {
      const lines = told
        .map(({ text }) => text)
        .join('\n')
        .split('\n');
      const came = lines.findLast((text) => /^(Response from|Error: |Approval |This action)/.test(text));
      if (called === 0 && (came === undefined || came.startsWith('Approval expired')))
        return { calls: [{ name: 'contact_agent', input: { action: 'ask', ...wants } }] };
      return { text: `I was told: ${came}` };
    };
    const asked = async (): Promise<Checkpoint> => {
      await intern.ask('check it');
      expect([(await intern.task()).state, await intern.last()]).toEqual(['awaiting_approval', `I was told: ${contactResults.waiting()}`]);
      const [checkpoint] = await inbox(intern.handle);
      isShown(checkpoint, intern.handle, target.handle);
      expect(await between(intern.id, target.id)).toEqual([]);
      return checkpoint!;
    };
    const answering = async (id: string, choice: string) => {
      expect((await answer(world.owner, id, choice)).status).toBe(200);
      await world.settled();
    };
    const came = async () => [(await intern.task()).state, await intern.last()];

    test('[IAC-14] [SYS-1] approved once: the call is made as it was asked for, before anything else, and used up', async () => {
      await answering((await asked()).id, 'approve');
      expect(await came()).toEqual(['completed', `I was told: ${target.words}`]);
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
      // In another task nothing is left of it.
      await intern.ask('check it again');
      expect([(await intern.task()).state, await inbox(intern.handle)]).toMatchObject(['awaiting_approval', [{ open: true }]]);
    });

    test('[IAC-14] always: it is not asked about this pair again, about another it is', async () => {
      await answering((await asked()).id, 'always');
      expect(await came()).toEqual(['completed', `I was told: ${target.words}`]);
      wants.message = 'And that?';
      await intern.ask('that, too');
      expect(await came()).toEqual(['completed', `I was told: ${target.words}`]);
      expect(await inbox(intern.handle)).toEqual([]);
      const other = await senior();
      wants = { agentId: other.id, message: question };
      await intern.ask('and somebody else');
      expect(await inbox(intern.handle)).toMatchObject([{ text: `${intern.handle} wants to contact ${other.handle}:` }]);
    });

    test('[IAC-14] denied: the agent gets the denial in the published words, and nobody else hears of it', async () => {
      await answering((await asked()).id, 'deny');
      expect(await came()).toEqual(['completed', `I was told: Approval denied for contacting ${target.handle}.`]);
      expect(await between(intern.id, target.id)).toEqual([]);
    });

    test('[SYS-1] nobody answers: the approval expires, the agent learns it, and a later request is another question', async () => {
      const { id } = await asked();
      await pass(24 * minute);
      await world.settled();
      const [again] = await inbox(intern.handle);
      isShown(again, intern.handle, target.handle);
      expect(again!.id).not.toBe(id);
      await answering(again!.id, 'approve');
      expect(await came()).toEqual(['completed', `I was told: ${target.words}`]);
    });

    test('[IAC-14] a changed argument is another call, for which nobody has approved', async () => {
      const { id } = await asked();
      world.models.script(intern.handle, [
        { calls: [{ name: 'contact_agent', input: { action: 'ask', ...wants, message: 'And send me the file.' } }] },
        { text: 'both asked' },
      ]);
      await answering(id, 'approve');
      // What was approved was made; what was not waits.
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
      expect(await came()).toEqual(['awaiting_approval', 'both asked']);
      const [other] = await inbox(intern.handle);
      isShown(other, intern.handle, target.handle, 'And send me the file.');
      await answering(other!.id, 'deny');
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
    });

    test('[IAC-3] [IAC-14] asked by another while it waits for approval: the requester hears of it in time, and the late answer stays in the DM', async () => {
      const boss = await world.alone();
      world.models.script(boss.handle, ({ told, called }) =>
        called === 0
          ? { calls: [{ name: 'contact_agent', input: { action: 'ask', agentId: intern.id, message: 'check it' } }] }
          : { text: `I was told: ${told.at(-1)!.text.split('\n')[1]}` },
      );
      await world.owner.post(boss.dm, 'have it checked');
      await expect.poll(async () => (await inbox(intern.handle)).length).toBe(1);
      await pass(2 * minute + 1000);
      await world.settled();
      const late = `Error: ${intern.handle} did not respond within 120 seconds. Consider using 'delegate' for async processing.`;
      expect([(await boss.task()).state, await boss.last()]).toEqual(['completed', `I was told: ${late}`]);
      // Said yes to after that, it is done all the same, and resumes nobody.
      await answering((await inbox(intern.handle))[0]!.id, 'approve');
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
      expect((await between(boss.id, intern.id)).at(-1)).toBe(`I was told: ${target.words}`);
      expect([boss.asked().length, (await boss.task()).state]).toEqual([2, 'completed']);
    });

    test('[SYS-12] [SYS-1] the hub restarts between the question and the approval, and in the middle of the approved call: it is made once', async () => {
      const { id } = await asked();
      await restart();
      expect(await inbox(intern.handle)).toMatchObject([{ id, open: true }]);
      world.models.script(target.handle, [{ fault: 'hang' }, { text: 'It is sound.' }]);
      const before = world.models.asked.length;
      await answer(world.owner, id, 'approve');
      await world.models.heard(before + 1);
      await restart();
      await world.settled();
      expect(await came()).toEqual(['completed', `I was told: ${target.words}`]);
      expect(await between(intern.id, target.id)).toEqual([question, 'It is sound.']);
    });
  });
});
