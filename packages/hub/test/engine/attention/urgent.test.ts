// What a person marks as urgent waits for nothing, goes before what waits, and interrupts what it is about.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { quiet, waitingFor } from '../../kit/composing-windows.ts';

onBothEngines('urgent', (engine) => {
  let ann: Person;
  let bob: Person;
  let a: Person;
  let here: string;
  let wire: Wire | undefined;
  let n = 0;
  const floor = waitingFor(engine);
  beforeAll(async () => {
    ({ ann, bob } = floor);
  });
  beforeEach(async () => {
    await wire?.close();
    wire = undefined;
    n++;
    a = await floor.agent(`A${n}`);
    here = await floor.channel(`urgent-${n}`, bob, a);
  });
  const urgent = (who: Person, conversationId: string, body: string, headers = {}) =>
    who.call('postMessage', { params: { conversationId }, body: { body, urgent: true } }, headers);
  const explain = (messageId: string) => ann.call('explainMessage', { params: { messageId }, query: {} });
  const states = async () => (await floor.tasks(here)).map(({ state }) => state);

  describe('the mark', () => {
    test('[C2A-9] [C2A-32] urgency is shown with the message and kept with the verdict, and words cannot make it', async () => {
      const said = await urgent(ann, here, `^${a.handle} the site is down`);
      expect(said.urgent).toBe(true);
      const read = await bob.call('getMessage', { params: { messageId: said.id } });
      const plain = await ann.post(here, `^${a.handle} URGENT! now!`);
      const { messages } = await bob.call('listMessages', { params: { conversationId: here }, query: {} });
      expect([read.urgent, plain.urgent, ...messages.map((message) => message.urgent)]).toEqual([true, undefined, true, undefined]);
      const explained = await explain(said.id);
      expect([explained.recorded?.urgent, explained.wouldNow]).toEqual([true, null]);
      expect(explained.agents).toMatchObject([{ agentId: a.id, policy: 'must_respond', mode: 'immediate', reason: 'mention' }]);
      expect((await explain(plain.id)).recorded?.urgent).toBe(false);
    });

    test('[C2A-30] repeated under its key it is the same message, marked; without the mark it is another request', async () => {
      const key = { 'idempotency-key': `urgent-${n}` };
      const first = await urgent(ann, here, 'the site is down', key);
      expect(await urgent(ann, here, 'the site is down', key)).toMatchObject({ id: first.id, urgent: true });
      const other = await ann.ask('postMessage', { params: { conversationId: here }, body: { body: 'the site is down' } }, key);
      expect(other.body.error?.code).toBe('key_reused');
    });

    test('[C2A-9] edited it is still urgent; deleted it is nothing', async () => {
      const said = await urgent(ann, here, 'the site is down');
      const edited = await ann.call('editMessage', {
        params: { messageId: said.id },
        body: { body: `^${a.handle} the site is down` },
      });
      expect(edited.urgent).toBe(true);
      expect((await explain(said.id)).recorded?.urgent).toBe(true);
      await floor.pass();
      expect(await floor.states(here)).toEqual(['active']);
      expect((await ann.call('deleteMessage', { params: { messageId: said.id } })).urgent).toBe(undefined);
    });

    test('[C2A-9] agents and their tokens cannot', async () => {
      await ann.post(here, `^${a.handle} go`);
      await floor.pass(quiet);
      const [task] = await floor.tasks(here);
      for (const over of [{ urgent: true }, { urgent: true, task: undefined }]) {
        const { status, body } = await floor.say(a, task!, 'progress', 'listen', over);
        expect([status, body.error?.problems]).toEqual([400, [{ field: 'urgent', message: expect.stringContaining('people') }]]);
      }
      expect(await floor.bodies(here)).toHaveLength(1);
    });

    test('[C2A-9] [SYS-3] the preview knows it', async () => {
      const ask = (body: object) =>
        ann.call('previewMessage', { params: { conversationId: here }, body: { body: `^${a.handle} the site is down`, ...body } });
      expect((await ask({})).agents).toMatchObject([{ mode: 'buffered' }]);
      expect((await ask({ urgent: true })).agents).toMatchObject([{ mode: 'immediate' }]);
    });

    test('[C2A-9] [C2A-18] thanks are thanks, however urgent', async () => {
      await urgent(ann, here, `^${a.handle} thanks`);
      await floor.pass();
      expect(await floor.tasks(here)).toEqual([]);
    });
  });

  describe('urgent work begins without a wait', () => {
    test('[C2A-9] [C2A-4] a turn begins at once, where another waits for more', async () => {
      const b = await floor.agent(`B${n}`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: b.id } });
      await ann.post(here, `^${b.handle} look`);
      await urgent(bob, here, `^${a.handle} look`);
      await floor.pass();
      expect(await floor.states(here)).toEqual([`queued for ${quiet}`, 'active']);
      await floor.pass(quiet);
    });

    test('[C2A-9] [C2A-4] a request that its author is still writing is sent with the urgent message', async () => {
      await ann.post(here, `^${a.handle} look at the site`);
      await urgent(ann, here, 'it is down');
      await floor.pass(1);
      expect(await floor.states(here)).toEqual(['active']);
      expect(await floor.words(here)).toEqual([[`^${a.handle} look at the site`, 'it is down']]);
      expect(await floor.rows()).toEqual({ windows: 0, timers: 0 });
    });

    test('[C2A-9] [C2A-4] an answer that is urgent is the whole answer', async () => {
      await ann.post(here, `^${a.handle} restart it`);
      await floor.pass(quiet);
      const [task] = await floor.tasks(here);
      await floor.say(a, task!, 'question', 'now?');
      await urgent(ann, here, 'yes, now');
      await floor.pass();
      expect(await floor.states(here)).toEqual(['active']);
    });

    test('[C2A-9] for anyone it is on offer at once; a role is knocked for at once, without a word', async () => {
      const role = await floor.kit.owner.call('addRole', { body: { handle: `oncall${n}`, holderIds: [a.id] } });
      await urgent(ann, here, '^ANY the site is down');
      await urgent(bob, here, `^${role.handle} the site is down`);
      const tasks = await floor.kit.hub.kernel.store.rows('tasks', 'where conversation_id = ? order by seq', [here]);
      expect(tasks.map(({ state, mode }) => [state, mode])).toEqual([
        ['offered', 'immediate'],
        ['offered', 'notify'],
      ]);
      expect(await floor.rows()).toEqual({ windows: 0, timers: 0 });
    });

    test('[C2A-9] by somebody else it begins at once, beside what the agent is at, and before its other work', async () => {
      wire = await Wire.hello(a);
      for (const word of ['one', 'two']) {
        await bob.post(here, `^${a.handle} ${word}`);
        await floor.pass(quiet);
      }
      const said = await urgent(ann, here, `^${a.handle} three`);
      await floor.pass();
      expect(await states()).toEqual(['active', 'queued', 'active']);
      const { event } = await wire.event('task', ({ content }) => content === `^${a.handle} three`);
      expect(event).toMatchObject({ mode: 'immediate', policy: 'must_respond' });
      expect((await explain(said.id)).agents).toMatchObject([{ mode: 'immediate', reason: 'mention' }]);
      // What was begun ends before what waited begins.
      const [first] = await floor.tasks(here);
      await floor.say(a, first!, 'answer', 'done one');
      await floor.pass();
      expect(await states()).toEqual(['completed', 'queued', 'active']);
    });

    test('[C2A-9] an urgent task exceeds the agent’s limit of simultaneous tasks by one, and no more', async () => {
      const cid = await floor.kit.person(`cid${n}`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: cid.id } });
      await cid.post(here, `^${a.handle} one`);
      await floor.pass(quiet);
      await urgent(ann, here, `^${a.handle} two`);
      await urgent(bob, here, `^${a.handle} three`);
      await floor.pass();
      expect(await states()).toEqual(['active', 'active', 'queued']);
    });

    test('[C2A-9] [SYS-10] an urgent message does not break a halt', async () => {
      await bob.post(here, `^${a.handle} one`);
      await floor.pass(quiet);
      await floor.kit.owner.call('halt', {});
      await urgent(ann, here, `^${a.handle} two`);
      await floor.pass();
      expect((await states()).at(-1)).toBe('queued');
      await floor.kit.owner.call('release', {});
    });

    test('[C2A-9] by the requester of the running task, in its channel or the thread on it, it joins that task under a new lease', async () => {
      wire = await Wire.hello(a);
      const request = await ann.post(here, `^${a.handle} restart the site`);
      await floor.pass(quiet);
      const { event } = await wire.event('task');
      const at = { taskId: event.task.id, lease: event.lease! };
      await wire.call('say', { ...at, kind: 'progress', body: 'restarting' });
      const said = await urgent(ann, here, `^${a.handle} not that one`);
      const joined = await wire.event('follow_up');
      expect(joined.event).toMatchObject({ mode: 'immediate', lease: at.lease + 1, content: `^${a.handle} not that one` });
      expect(await wire.refusal('say', { ...at, kind: 'answer', body: 'restarted' })).toBe('stale_lease');
      expect((await explain(said.id)).agents).toMatchObject([{ mode: 'immediate', reason: 'mention' }]);
      const thread = await ann.call('openThread', { params: { messageId: request.id } });
      await urgent(ann, thread.id, `^${a.handle} the other`);
      expect((await wire.event('follow_up', ({ lease }) => lease === at.lease + 2)).event.task.id).toBe(at.taskId);
      expect(await states()).toEqual(['active']);
      // Not urgent, it is another request.
      await ann.post(here, `^${a.handle} count the users`);
      await floor.pass(quiet);
      expect(await states()).toEqual(['active', 'queued']);
    });

    test('[C2A-9] said about what is queued, it brings that forward', async () => {
      const said = [];
      for (const word of ['one', 'two', 'three']) {
        said.push(await bob.post(here, `^${a.handle} ${word}`));
        await floor.pass(quiet);
      }
      const thread = await bob.call('openThread', { params: { messageId: said[2]!.id } });
      await urgent(bob, thread.id, 'this first, please');
      const [first] = await floor.tasks(here);
      await floor.say(a, first!, 'answer', 'done one');
      await floor.pass();
      expect(await states()).toEqual(['completed', 'queued', 'active']);
    });
  });

  describe('a remote agent at work', () => {
    const dmWith = async (who: Person) => (await who.call('openDm', { body: { memberIds: [a.id] } })).id;
    async function atWork() {
      wire = await Wire.hello(a);
      const dm = await dmWith(ann);
      await ann.post(dm, 'restart the site');
      await floor.pass(quiet);
      const { event } = await wire.event('task');
      return { line: wire, dm, at: { taskId: event.task.id, lease: event.lease! } };
    }

    test('[C2A-9] is interrupted: the words come at once with a lease of their own, and the old one is worth nothing', async () => {
      const { line, dm, at } = await atWork();
      await line.call('say', { ...at, kind: 'progress', body: 'restarting' });
      const said = await urgent(ann, dm, 'stop, not that one');
      const { event, cursor } = await line.event('follow_up');
      expect(event).toMatchObject({ mode: 'immediate', policy: 'must_respond', lease: at.lease + 1, content: 'stop, not that one' });
      expect(event.words.map(({ kind, content }) => [kind, content])).toEqual([
        ['request', 'restart the site'],
        ['progress', 'restarting'],
        ['follow_up', 'stop, not that one'],
      ]);
      expect(await line.refusal('say', { ...at, kind: 'answer', body: 'restarted' })).toBe('stale_lease');
      await line.call('ack', { cursor });
      expect(line.events.filter((one) => one.event.kind === 'task')).toHaveLength(1);
      const answer = await line.call('say', { taskId: at.taskId, lease: event.lease!, kind: 'answer', body: 'stopped' });
      expect(answer.task).toMatchObject({ kind: 'answer' });
      expect(await floor.tasks(dm)).toMatchObject([{ state: 'completed' }]);
      const turns = await floor.kit.hub.kernel.store.rows('turns', 'where task_id = ? order by lease', [at.taskId]);
      expect(turns.map(({ state, lease }) => [state, lease])).toEqual([
        ['interrupted', at.lease],
        ['done', at.lease + 1],
      ]);
      expect((await explain(said.id)).agents).toMatchObject([{ mode: 'immediate', reason: 'dm', outcome: 'answered' }]);
    });

    test('[C2A-9] a message that is not urgent does not interrupt, before or after an urgent one', async () => {
      const { line, dm, at } = await atWork();
      // From its first word on, more is a follow-up and restarts nothing (C2A-28).
      await line.call('say', { ...at, kind: 'progress', body: 'restarting' });
      await ann.post(dm, 'and the other');
      const { event } = await line.event('follow_up');
      expect(event).toMatchObject({ mode: 'buffered', lease: at.lease, words: [] });
      await urgent(ann, dm, 'now');
      const second = await line.event('follow_up', ({ content }) => content === 'now');
      expect(second.event.lease).toBe(at.lease + 1);
      await ann.post(dm, 'please');
      const third = await line.event('follow_up', ({ content }) => content === 'please');
      expect(third.event).toMatchObject({ mode: 'buffered', lease: at.lease + 1 });
      // It was not acknowledged: an answer now is not about it.
      const answer = await line.call('say', { taskId: at.taskId, lease: at.lease + 1, kind: 'answer', body: 'both, now' });
      expect(answer.task).toMatchObject({ kind: 'progress' });
    });

    test('[C2A-9] the agent’s other tasks are not disturbed', async () => {
      const { line, dm, at } = await atWork();
      const other = await dmWith(bob);
      await bob.post(other, 'count the users');
      await floor.pass(quiet);
      const { event } = await line.event('task', ({ conversation }) => conversation.id === other);
      await urgent(ann, dm, 'now');
      await line.event('follow_up', ({ task }) => task.id === at.taskId);
      const answer = await line.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: '12' });
      expect(answer.task).toMatchObject({ kind: 'answer' });
    });

    test('[C2A-9] cut off before it heard of it, it gets everything when it is back', async () => {
      const { line, dm, at } = await atWork();
      await line.cut();
      await urgent(ann, dm, 'not that one');
      wire = await Wire.hello(a);
      await floor.pass();
      const { event } = await wire.event('task', ({ lease }) => lease !== at.lease);
      expect(event.words.map(({ content }) => content)).toEqual(['restart the site', 'not that one']);
      expect(event).toMatchObject({ mode: 'immediate' });
      await wire.call('say', { taskId: at.taskId, lease: event.lease!, kind: 'answer', body: 'the other' });
      expect(await floor.tasks(dm)).toMatchObject([{ state: 'completed' }]);
    });

    test('[C2A-9] [SYS-10] while everything is stopped it is taken away, and given again on release', async () => {
      const { line, dm, at } = await atWork();
      await floor.kit.owner.call('halt', {});
      await urgent(ann, dm, 'not that one');
      expect(await floor.states(dm)).toEqual(['queued']);
      expect(await line.refusal('say', { ...at, kind: 'progress', body: 'x' })).not.toBe(undefined);
      await floor.kit.owner.call('release', {});
      await floor.pass();
      const { event } = await line.event('task', ({ lease }) => lease !== at.lease);
      expect(event.words.map(({ content }) => content)).toEqual(['restart the site', 'not that one']);
    });

    test('[C2A-9] a stopped agent learns at once that the urgent task ended', async () => {
      const { line, at } = await atWork();
      await ann.call('stopTask', { params: { taskId: at.taskId } });
      expect((await line.event('ended')).event).toMatchObject({ mode: 'immediate', cause: 'stopped', lease: null });
    });
  });
});
