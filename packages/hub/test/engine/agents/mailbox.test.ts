// What is not put before an agent it finds when it looks, inside a task, and as a cursor.

import { onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { linesForEach } from '../../kit/agent-wire.ts';
import { agentFor, floorFor } from '../../kit/floor.ts';

onBothEngines('mailboxes', (engine) => {
  const { floor, ann, bob } = floorFor(engine);
  const a = agentFor(floor, 'A', { online: false });
  const b = agentFor(floor, 'B', { online: false });
  let here: string;
  let n = 0;
  beforeEach(async () => {
    n++;
    here = await floor.channel(`mailbox-${n}`, bob, a, b);
  });
  const open = linesForEach();
  /** Connected, with the first task it is given. */
  const connected = async (agent = a) => {
    const wire = await open(agent);
    const { event } = await wire.event('task');
    const read = (more: object = {}) => wire.call('read.mailbox', { taskId: event.task.id, ...more });
    return { wire, read, taskId: event.task.id, lease: event.lease! };
  };
  const atWork = async (agent = a, where = here, who = ann) => {
    await who.post(where, `^${agent.handle} look`);
    return connected(agent);
  };
  const texts = ({ entries }: { entries: { content: string }[] }) => entries.map(({ content }) => content);
  const rows = () => floor.kit.hub.kernel.store.rows('mailboxes', 'where member_id = ?', [a.id]);
  const code = async (answer: Promise<{ body: { error?: { code: string } } }>) => (await answer).body.error?.code;

  test('[C2A-6] [C2A-3] ambient talk, messages for others, status lines and filler are in the mailbox as they were decided; no event reports them', async () => {
    const said = [
      await bob.post(here, 'I had soup'),
      await bob.post(here, `^${b.handle} fetch it`),
      await bob.post(here, 'build 4711 passed in 3 min'),
      await bob.post(here, 'thanks'),
    ];
    const { wire, read } = await atWork();
    const { entries, more, conversationId } = await read();
    expect([conversationId, more]).toEqual([here, false]);
    expect(entries).toEqual(
      [
        { policy: 'must_not_respond', mode: 'tool_mailbox', reason: 'ambient' },
        { policy: 'must_not_respond', mode: 'tool_mailbox', reason: 'addressed_to_others' },
        { policy: 'must_not_respond', mode: 'digest', reason: 'status' },
        { policy: 'must_not_respond', mode: 'tool_mailbox', reason: 'filler' },
      ].map((decided, i) => ({
        messageId: said[i]!.id,
        conversationId: here,
        author: { id: bob.id, kind: 'human', handle: 'bob' },
        content: said[i]!.body,
        createdAt: said[i]!.createdAt,
        ...decided,
      })),
    );
    expect(wire.events.map(({ event }) => event.kind)).toEqual(['task']);
  });

  test('[C2A-6] [C2A-8] the agent’s own words, messages it was given and deleted ones are not in its mailbox; messages of its threads are', async () => {
    const root = await bob.post(here, 'a root');
    const gone = await bob.post(here, 'to be deleted');
    const { wire, read, taskId, lease } = await atWork();
    await wire.call('say', { taskId, lease, kind: 'progress', body: 'my own words' });
    await ann.post(here, '^ANY of you');
    const thread = await bob.call('openThread', { params: { messageId: root.id } });
    await bob.post(thread.id, 'in the thread');
    await bob.call('deleteMessage', { params: { messageId: gone.id } });
    const { entries } = await read();
    expect(entries.map(({ content, conversationId }) => [content, conversationId])).toEqual([
      ['a root', here],
      ['in the thread', thread.id],
    ]);
    // What is silent for its author is there for the others.
    expect(texts(await (await atWork(b)).read())).toEqual(['a root', `^${a.handle} look`, 'my own words', 'in the thread']);
  });

  test('[C2A-6] [C2A-12] [C2A-15] a message that became the agent’s work later, assigned or claimed, is not in its mailbox; it is in those of others', async () => {
    await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
    await bob.post(here, 'I had soup');
    const given = await bob.post(here, 'the export is broken');
    await floor.pass(2 * 60_000);
    await ann.call('assignMessage', { params: { messageId: given.id }, body: { memberId: a.id } });
    const { wire, read } = await connected();
    await ann.call('editAgent', { params: { memberId: a.id }, body: { maxConcurrent: 2 } });
    const round = await bob.post(here, 'it rains');
    expect(texts(await read())).toEqual(['I had soup', 'it rains']);
    await wire.call('claim', { messageId: round.id });
    expect(texts(await read())).toEqual(['I had soup']);
    expect(texts(await (await atWork(b)).read())).toEqual(['I had soup', 'the export is broken', 'it rains']);
  });

  test('[C2A-6] as a cursor: reading moves nothing, what is seen never moves back nor past what was said, and survives a restart', async () => {
    for (const text of ['one', 'two', 'three']) await bob.post(here, text);
    const { wire, read } = await atWork();
    const first = await read({ limit: 2 });
    expect([texts(first), first.more]).toEqual([['one', 'two'], true]);
    expect(texts(await read({ limit: 2 }))).toEqual(['one', 'two']);
    expect(texts(await read({ limit: 2, after: first.upTo }))).toEqual(['three']);
    const seen = (upTo: number) => wire.call('mailbox.seen', { conversationId: here, upTo });
    expect(await seen(first.upTo)).toEqual({ conversationId: here, seen: first.upTo });
    expect(await seen(0)).toEqual({ conversationId: here, seen: first.upTo });
    expect(texts(await read())).toEqual(['three']);
    await floor.kit.restart();
    const again = await connected();
    const left = await again.read();
    expect([texts(left), left.seen]).toEqual([['three'], first.upTo]);
    const all = await a.call('seeMailbox', { params: { conversationId: here }, body: { upTo: Number.MAX_SAFE_INTEGER } });
    expect(all.seen).toBeLessThan(10_000_000);
    expect(texts(await again.read())).toEqual([]);
    await bob.post(here, 'four');
    expect(texts(await again.read())).toEqual(['four']);
    expect(texts(await again.read({ after: first.upTo }))).toEqual(['three', 'four']);
  });

  test('[C2A-6] [C2A-1] recorded verdicts stay, whatever changes; an edit that was decided again counts', async () => {
    await bob.post(here, 'before');
    const called = await bob.post(here, 'nobody yet');
    const freed = await bob.post(here, `^${a.handle} you, not`);
    await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
    await bob.post(here, 'after');
    await bob.call('editMessage', { params: { messageId: called.id }, body: { body: `^${a.handle} now you`, version: 1 } });
    await bob.call('editMessage', { params: { messageId: freed.id }, body: { body: 'nobody any more', version: 1 } });
    const { read } = await connected();
    const { entries } = await read();
    expect(entries.map(({ content, policy, reason }) => [content, policy, reason])).toEqual([
      ['before', 'must_not_respond', 'ambient'],
      ['nobody any more', 'may_respond', 'ambient'],
      ['after', 'may_respond', 'ambient'],
    ]);
  });

  test('[C2A-6] [PAP-1] reading gives no right to answer', async () => {
    await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
    await bob.post(here, 'what do you think?');
    const { wire, read, taskId, lease } = await atWork();
    expect((await read()).entries).toMatchObject([{ policy: 'may_respond' }]);
    await wire.call('say', { taskId, lease, kind: 'answer', body: 'looked' });
    expect(await wire.refusal('say', { taskId, lease, kind: 'progress', body: 'and I think' })).toBe('task_over');
    const bare = { params: { conversationId: here }, body: { body: 'I think' } };
    expect(await code(a.ask('postMessage', bare))).toBe('agent_without_task');
    expect(await wire.refusal('read.mailbox', { taskId })).toBe('task_over');
  });

  describe('which mailboxes a member may read', () => {
    test('[SYS-9] [SYS-13] inside a task, what its requester may read, and it taints', async () => {
      const secret = await ann.call('createChannel', { body: { name: `secret-${n}`, visibility: 'private' } });
      await ann.call('addToConversation', { params: { conversationId: secret.id }, body: { memberId: a.id } });
      await ann.post(secret.id, 'the password is swordfish');
      const asked = await atWork(a, here, bob);
      for (const ask of [{ conversationId: secret.id }, { conversationId: 'con_00000000000000000000000000' }])
        expect(await asked.wire.refusal('read.mailbox', { taskId: asked.taskId, ...ask })).toBe('outside_task');
      const tainted = async () => (await ann.call('getTask', { params: { taskId: asked.taskId } })).tainted;
      await asked.read();
      expect(await tainted()).toBe(false);
      await ann.post(here, 'words of another');
      expect(texts(await asked.read())).toEqual(['words of another']);
      expect(await tainted()).toBe(true);
    });

    test('[SYS-9] by HTTP the same: with the task in the header, and for agents only', async () => {
      await bob.post(here, 'a word');
      const { taskId } = await atWork();
      const ask = { params: { conversationId: here }, query: { limit: 10 } };
      expect(texts(await a.call('readMailbox', ask, { 'parley-task': taskId }))).toEqual(['a word']);
      expect(await code(a.ask('readMailbox', ask))).toBe('outside_task');
      expect(await code(b.ask('readMailbox', ask, { 'parley-task': taskId }))).toBe('task_of_another');
      const [read, seen] = [
        await ann.ask('readMailbox', ask),
        await ann.ask('seeMailbox', { params: { conversationId: here }, body: { upTo: 1 } }),
      ];
      for (const { status, body } of [read, seen]) expect([status, body.error?.reason]).toEqual([403, 'mailbox:not_an_agent']);
    });

    test('[C2A-6] [SYS-14] a mailbox begins when the agent joins, and history that begins on joining limits the reader as well', async () => {
      const late = await floor.agent(`LATE${n}`, { online: false });
      await bob.post(here, 'before it came');
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: late.id } });
      await bob.post(here, 'since');
      expect(texts(await (await atWork(late)).read({ after: 0 }))).toEqual(['since']);
      const young = await ann.call('createChannel', { body: { name: `young-${n}`, history: 'joined' } });
      const bring = (who: Person) => ann.call('addToConversation', { params: { conversationId: young.id }, body: { memberId: who.id } });
      await bring(a);
      await ann.post(young.id, 'before bob came');
      await bring(bob);
      await ann.post(young.id, 'with bob');
      expect(texts(await (await atWork(a, young.id, bob)).read())).toEqual(['with bob']);
    });

    test('[C2A-6] somebody else’s conversation has no mailbox', async () => {
      const elsewhere = await floor.channel(`elsewhere-${n}`, bob);
      expect(await code(a.ask('seeMailbox', { params: { conversationId: elsewhere }, body: { upTo: 1 } }))).toBe('not_found');
    });
  });

  describe('the rows', () => {
    test('[C2A-6] there is none before something is seen, however much is said', async () => {
      for (const text of ['one', 'two', 'three']) await bob.post(here, text);
      const { read } = await atWork();
      await read();
      expect(await rows()).toEqual([]);
      await a.call('seeMailbox', { params: { conversationId: here }, body: { upTo: (await read()).upTo } });
      expect(await rows()).toHaveLength(1);
    });

    test('[C2A-6] [SYS-14] they go with the agent: out of the conversation, and deactivated', async () => {
      const other = await floor.channel(`other-${n}`, a);
      const see = (conversationId: string) => a.call('seeMailbox', { params: { conversationId }, body: { upTo: 1_000_000 } });
      await see(here);
      await see(other);
      await ann.call('removeFromConversation', { params: { conversationId: here, memberId: a.id } });
      expect((await rows()).map(({ conversation_id }) => conversation_id)).toEqual([other]);
      await ann.call('deactivateMember', { params: { memberId: a.id } });
      expect(await rows()).toEqual([]);
    });
  });
});
