// What goes on, told in sum every so often to an agent that wants it: once, without a word of anybody, and never to be answered.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { linesForEach } from '../../kit/agent-wire.ts';
import { agentFor, floorFor } from '../../kit/floor.ts';

const minute = 60_000;
const every = 5 * minute;

onBothEngines('digests', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const a = agentFor(floor, 'A', { online: false });
  const b = agentFor(floor, 'B', { online: false });
  let here: string;
  let n = 0;
  beforeEach(async () => {
    n++;
    here = await floor.channel(`digest-${n}`, bob, a, b);
  });
  const open = linesForEach();
  const hello = (agent = a) => open(agent);
  const set = (who: Person, everyMs: number | null, agent = a, conversationId = here) =>
    who.ask('setDigest', { params: { conversationId, memberId: agent.id }, body: { everyMs } });
  const rows = () => floor.kit.hub.kernel.store.rows('mailboxes', 'where member_id = ?', [a.id]);
  const timers = () => floor.kit.hub.kernel.store.rows('timers', "where kind = 'digest.due' and subject like ?", [`%${a.id}`]);
  const tick = () => floor.kit.hub.kernel.timers.tick();

  test('[C2A-7] [C2A-29] every so often, counts and ids of what was not put before it; not one word that somebody wrote', async () => {
    const wire = await hello();
    expect((await set(ann, every)).body).toMatchObject({ conversationId: here, memberId: a.id, everyMs: every });
    const status = await bob.post(here, 'build 4711 passed in 3 min');
    const question = await bob.post(here, 'zebra does anybody know why the deploy is red?');
    await bob.post(here, 'I think it was the zebra again');
    await bob.post(here, `^${b.handle} have you seen zebra?`);
    await floor.pass(every);
    const [digest] = await wire.digests(1);
    expect(digest).toMatchObject({
      conversation: { id: here, kind: 'channel' },
      author: null,
      addressedToMe: false,
      policy: 'must_not_respond',
      mode: 'digest',
      reason: 'digest',
      content: null,
      topic: '4 messages (@bob 4); 1 status line; 1 question to nobody; 1 open task',
      digest: {
        messages: 4,
        more: false,
        authors: [{ memberId: bob.id, messages: 4 }],
        status: { count: 1, latest: [status.id] },
        questions: { count: 1, latest: [question.id] },
        openTasks: 1,
      },
    });
    expect(JSON.stringify(digest)).not.toContain('zebra');
    expect(wire.events).toHaveLength(1);
  });

  test('[C2A-7] nothing new, nothing told; each message counts once; off is off', async () => {
    const wire = await hello();
    await bob.post(here, 'before it was wanted');
    await set(ann, every);
    await floor.pass(2 * every);
    const before = [await rows(), await timers()];
    await bob.post(here, 'one');
    expect([await rows(), await timers()], 'a message costs no more').toEqual(before);
    await floor.pass(every);
    await floor.pass(every);
    await bob.post(here, 'two');
    await bob.post(here, 'three');
    await floor.pass(every);
    const told = await wire.digests(2);
    expect(told.map(({ digest }) => digest.messages)).toEqual([1, 2]);
    expect((await set(ann, null)).body.everyMs).toBe(null);
    expect([await rows(), await timers()]).toEqual([[], []]);
  });

  test('[C2A-7] [C2A-8] the agent’s own words, its requests, deleted messages and messages it got already do not count in its digest', async () => {
    const wire = await hello();
    await set(ann, every);
    await ann.post(here, `^${a.handle} go`);
    const { event } = await wire.event('task');
    await wire.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'done' });
    const gone = await bob.post(here, 'deleted');
    await bob.call('deleteMessage', { params: { messageId: gone.id } });
    await bob.post(here, 'stays');
    await floor.pass(every);
    expect((await wire.digests(1))[0]!.digest).toMatchObject({ messages: 1, authors: [{ memberId: bob.id, messages: 1 }] });
  });

  test('[C2A-7] [C2A-30] not acknowledged it comes again, the same; what was deleted since is no longer counted', async () => {
    const first = await hello();
    await set(ann, every);
    const gone = await bob.post(here, 'deleted later');
    await bob.post(here, 'stays');
    await floor.pass(every);
    const [told] = await first.digests(1);
    expect(told!.digest.messages).toBe(2);
    await first.cut();
    await bob.call('deleteMessage', { params: { messageId: gone.id } });
    const second = await hello();
    const [again] = await second.digests(1);
    expect([again!.eventId, again!.digest.messages]).toEqual([told!.eventId, 1]);
    await second.call('ack', { cursor: second.events[0]!.cursor });
    await second.cut();
    const third = await hello();
    await bob.post(here, 'new');
    await floor.pass(every);
    const later = await third.digests(1);
    expect([later.length, later[0]!.eventId === told!.eventId, later[0]!.digest.messages]).toEqual([1, false, 1]);
  });

  describe('the interval of a digest', () => {
    test('[C2A-7] [SYS-11] the owner, a moderator and the agent itself set the interval; nobody else does, and nothing else is set', async () => {
      const refusal = async (answer: ReturnType<typeof set>) => {
        const { body } = await answer;
        return body.error ? (body.error.reason ?? body.error.code) : 'set';
      };
      const owned = await floor.agent(`OWN${n}`, { online: false, owner: bob });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: owned.id } });
      expect(await refusal(set(bob, every, owned))).toBe('set');
      expect(await refusal(set(ann, every, owned))).toBe('set');
      expect(await refusal(set(bob, every, a))).toBe('digest.set:not_related');
      expect(await refusal(set(b, every, a))).toBe('digest.set:not_related');
      expect(await refusal(set(a, every, a))).toBe('set');
      const gus = await floor.kit.person(`gus${n}`, 'guest');
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: gus.id } });
      expect(await refusal(set(gus, every, a))).toBe('digest.set:role_may_not');
      expect(await refusal(set(ann, every, bob))).toBe('invalid_request');
      const elsewhere = await floor.channel(`elsewhere-${n}`);
      expect(await refusal(set(ann, every, a, elsewhere))).toBe('invalid_request');
      const { digests } = await bob.call('listDigests', { params: { conversationId: here } });
      expect(digests.map(({ memberId }) => memberId).toSorted()).toEqual([a.id, owned.id].toSorted());
    });

    test('[C2A-7] between five minutes and seven days; on the socket as well, and for a thread its conversation', async () => {
      for (const wrong of [every - 1, 7 * 24 * 60 * minute + 1, 0, -1, 0.5])
        expect((await set(ann, wrong)).body.error?.problems?.map(({ field }) => field)).toEqual(['everyMs']);
      expect((await set(ann, 7 * 24 * 60 * minute)).status).toBe(200);
      const wire = await hello();
      const root = await bob.post(here, 'a root');
      const thread = await bob.call('openThread', { params: { messageId: root.id } });
      expect(await wire.call('digest.set', { conversationId: thread.id, everyMs: every })).toEqual({
        conversationId: here,
        memberId: a.id,
        everyMs: every,
      });
      await bob.post(thread.id, 'in the thread');
      await floor.pass(every);
      expect((await wire.digests(1))[0]).toMatchObject({ conversation: { id: here }, digest: { messages: 2 } });
    });
  });

  describe('when time does not pass as it should', () => {
    test('[C2A-7] after a restart and a long sleep it is one, not as many as were missed', async () => {
      const wire = await hello();
      await set(ann, every);
      await bob.post(here, 'one');
      await floor.pass(minute);
      await floor.kit.restart();
      await wire.closed();
      const after = await hello();
      await bob.post(here, 'two');
      floor.clock.jump(10 * 60 * minute);
      await tick();
      await tick();
      expect((await after.digests(1))[0]!.digest.messages).toBe(2);
      await bob.post(here, 'three');
      await floor.pass(every);
      expect((await after.digests(2)).map(({ digest }) => digest.messages)).toEqual([2, 1]);
    });

    test('[C2A-7] [SYS-10] while everything is stopped it stands, and comes once when that is over', async () => {
      const wire = await hello();
      await set(ann, every);
      await bob.post(here, 'one');
      await floor.kit.owner.call('halt', {});
      await floor.pass(3 * every);
      expect((await rows())[0]!.digest_ms).toBe(every);
      expect(wire.events).toEqual([]);
      await floor.kit.owner.call('release', {});
      await bob.post(here, 'two');
      await floor.pass(2000);
      expect((await wire.digests(1)).map(({ digest }) => digest.messages)).toEqual([2]);
      await bob.post(here, 'three');
      await floor.pass(every);
      expect((await wire.digests(2)).map(({ digest }) => digest.messages)).toEqual([2, 1]);
    });

    test('[C2A-7] an agent that is away gets one when it is back', async () => {
      const wire = await hello();
      await set(ann, every);
      await wire.close();
      for (const text of ['one', 'two', 'three']) {
        await bob.post(here, text);
        await floor.pass(every);
      }
      expect(await timers()).toEqual([]);
      const back = await hello();
      await floor.pass(1000);
      expect((await back.digests(1)).map(({ digest }) => digest.messages)).toEqual([3]);
      await bob.post(here, 'four');
      await floor.pass(every);
      expect((await back.digests(2)).map(({ digest }) => digest.messages)).toEqual([3, 1]);
    });
  });

  test('[C2A-7] a built-in agent takes no turn for one', async () => {
    await ann.call('editAgent', { params: { memberId: a.id }, body: { brain: 'builtin' } });
    await set(ann, every);
    await bob.post(here, 'one');
    await floor.pass(2 * every);
    expect(await floor.kit.hub.kernel.store.rows('turns', 'where agent_id = ?', [a.id])).toEqual([]);
    expect(await floor.bodies(here)).toEqual([['bob', 'one']]);
  });

  test('[C2A-7] [SYS-14] digests end when the agent leaves the conversation, and when it is deactivated', async () => {
    const other = await floor.channel(`other-${n}`, a);
    await set(ann, every);
    await set(ann, every, a, other);
    await ann.call('removeFromConversation', { params: { conversationId: here, memberId: a.id } });
    expect((await rows()).map(({ conversation_id }) => conversation_id)).toEqual([other]);
    await ann.call('deactivateMember', { params: { memberId: a.id } });
    expect([await rows(), await timers()]).toEqual([[], []]);
  });
});
