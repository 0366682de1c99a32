// Where the parts of attention meet: edits and roles, edits and leaving, claims and signals, waiting and roles.

import type { Task } from '@parley/protocol';
import { makeOnce, onBothEngines, partOf, type Person } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { freshAgents } from '../../kit/floor.ts';
import { quiet, waitingOn } from '../../kit/composing-windows.ts';

onBothEngines('attention together', (engine) => {
  const floor = makeOnce(
    () => waitingOn(engine),
    (made) => made.kit.stop(),
  );
  const ann = partOf(floor, 'ann');
  const [a, b] = freshAgents(floor, 'A', 'B');
  let here: string;
  let n = 0;
  beforeEach(async () => {
    n++;
    here = await floor.channel(`together-${n}`, floor.bob, a, b);
  });
  const role = (...holders: Person[]) =>
    floor.kit.owner.call('addRole', { body: { handle: `oncall${n}`, holderIds: holders.map(({ id }) => id) } });
  const edit = (messageId: string, body: string) => ann.call('editMessage', { params: { messageId }, body: { body } });
  const left = async () => (await ann.call('listLeaves', { params: { conversationId: here } })).leaves.map(({ memberId }) => memberId);
  const claim = async (who: Person, task: Task) => {
    const { status, body } = await who.ask('startTask', { params: { taskId: task.id } });
    return status === 200 ? 'ok' : body.error?.code;
  };
  const leaseOf = async (task: Task) => (await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task.id]))[0]!.lease;

  test('[C2A-4] [C2A-34] a role is knocked when the requester has stopped writing, and the agent gets every fragment', async () => {
    const { handle } = await role(a);
    const wire = await Wire.hello(a);
    await ann.post(here, `^${handle} the disk`);
    await ann.post(here, 'is full');
    const [task] = await floor.tasks(here);
    expect(await claim(a, task!)).toBe('composing');
    expect(await wire.refusal('pull', { taskId: task!.id })).toBe('not_offered');
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['offered']);
    const { event } = await wire.event('offer');
    expect(event).toMatchObject({ mode: 'notify', content: null, words: [], task: { id: task!.id } });
    expect(await claim(a, task!)).toBe('ok');
    expect(await floor.words(here)).toEqual([[`^${handle} the disk`, 'is full']]);
    expect((await wire.event('task')).event).toMatchObject({ mode: 'buffered', topic: null });
    await wire.close();
  });

  test('[C2A-25] [C2A-34] an edit that calls a role knocks for it, and one that does not any more takes the knock back', async () => {
    const { handle } = await role(a);
    const message = await ann.post(here, 'the disk is full');
    await edit(message.id, `^${handle} the disk is full`);
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    expect(task).toMatchObject({ state: 'offered', addressedBy: 'role', messageId: message.id, agentId: null });
    await edit(message.id, `^${handle} the disk is nearly full`);
    await floor.pass(quiet);
    expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['offered']);
    await edit(message.id, 'the disk is full');
    expect(await floor.tasks(here)).toMatchObject([{ id: task!.id, state: 'cancelled', cause: 'request_edited' }]);
  });

  test('[C2A-25] [C2A-16] an edit sends an agent away, and another calls it back with a task', async () => {
    const message = await ann.post(here, `^${a.handle} prepare it`);
    await floor.pass(quiet);
    await edit(message.id, `^${a.handle} please leave this channel`);
    expect(await left()).toEqual([a.id]);
    expect(await floor.tasks(here)).toMatchObject([{ state: 'cancelled', cause: 'asked_to_leave' }]);
    await edit(message.id, `^${a.handle} prepare it after all`);
    await floor.pass(quiet);
    expect(await left()).toEqual([]);
    expect(new Set((await floor.tasks(here)).map(({ state }) => state))).toEqual(new Set(['active', 'cancelled']));
  });

  test('[C2A-15] [C2A-22] a claim that is declined with a signal goes to the next; one held up with a signal does not run out', async () => {
    await ann.post(here, '^ANY look at the disk');
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    expect(await claim(a, task!)).toBe('ok');
    const signal = async (who: Person, kind: 'declined' | 'blocked') =>
      who.call('sendSignal', { params: { messageId: task!.messageId }, body: { signal: kind, lease: await leaseOf(task!) } });
    await signal(a, 'declined');
    expect(await floor.tasks(here)).toMatchObject([{ state: 'offered', agentId: null }]);
    expect(await claim(a, task!)).toBe('not_offered');
    expect(await claim(b, task!)).toBe('ok');
    await signal(b, 'blocked');
    await floor.pass(10 * 60_000);
    expect(await floor.tasks(here)).toMatchObject([{ state: 'waiting', agentId: b.id }]);
  });

  test('[C2A-16] [C2A-31] an agent that was asked to leave gets no reminder there', async () => {
    const held = { blocks: 'halted', defaultAction: 'take the first', intervalMs: 40 * 60_000 } as const;
    await ann.call('postMessage', { params: { conversationId: here }, body: { body: `^${a.handle} which one?`, obligation: held } });
    await floor.pass(quiet);
    await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
    await floor.pass(41 * 60_000);
    expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('[C2A-16] [C2A-14] an agent that was asked to leave a thread takes no part in it: the other is the only one there', async () => {
    const root = await ann.post(here, `^${a.handle} ^${b.handle} look at the disk`);
    const thread = await ann.call('openThread', { params: { messageId: root.id } });
    await floor.pass(quiet);
    for (const task of await floor.tasks(here))
      await floor.say(task.agentId === a.id ? a : b, task, 'answer', `Looked, says ${task.agentId}.`);
    const why = async () => {
      const told = await ann.call('previewMessage', { params: { conversationId: thread.id }, body: { body: 'How full is it?' } });
      return told.agents.filter(({ policy }) => policy === 'must_respond').map(({ agentId }) => agentId);
    };
    expect((await why()).toSorted()).toEqual([a.id, b.id].toSorted());
    await ann.call('askToLeave', { params: { conversationId: thread.id }, body: { memberId: a.id } });
    expect(await why()).toEqual([b.id]);
  });

  test('[C2A-32] a goodbye is explained: it calls nobody', async () => {
    const wire = await Wire.hello(a);
    await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
    const said = await wire.call('goodbye', { conversationId: here, body: `^${b.handle} is better at it.` });
    const { recorded } = await ann.call('explainMessage', { params: { messageId: said.id }, query: {} });
    const told = recorded!.agents.map(({ agentId, policy, reason }) => [agentId, policy, reason]);
    expect(new Set(told.map((one) => one.join(' ')))).toEqual(
      new Set([`${a.id} must_not_respond own_message`, `${b.id} must_not_respond ambient`]),
    );
    expect(await floor.tasks(here)).toEqual([]);
    await wire.close();
  });
});
