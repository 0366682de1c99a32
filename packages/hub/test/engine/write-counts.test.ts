// What a message costs is counted, not timed: these numbers cannot drift with the machine.

import { onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Group {
  rowWrites: number;
  facts: string[];
}

onBothEngines('what an ambient message writes', (engine) => {
  let kit: TestHub;
  let ann: Person;
  let groups: Group[] = [];
  const channels = new Map<number, string>();

  /** A channel with so many agents in it, put there through the engine: a thousand requests would take their time. */
  async function channelWith(agents: number): Promise<string> {
    const { engine: commands } = kit.hub.kernel;
    const channel = await ann.call('createChannel', { body: { name: `with-${agents}` } });
    const by = { operator: true } as const;
    await Promise.all(
      Array.from({ length: agents }, async (_, i) => {
        const handle = `agent-${agents}-${i}`;
        const { member } = await commands.submit({
          type: 'member.add',
          by,
          kind: 'agent',
          handle,
          displayName: handle,
          about: '',
          role: 'member',
          ownerId: ann.id,
        });
        await commands.submit({ type: 'conversation.add', by, conversationId: channel.id, memberId: member.id });
      }),
    );
    const { memberships } = await ann.call('listMemberships', { params: { conversationId: channel.id } });
    expect(memberships).toHaveLength(agents + 1);
    return channel.id;
  }

  beforeAll(async () => {
    kit = await startTestHub(engine, {
      onGroup: ({ committed, facts, tables }) => {
        // The hub's sign of life changes one setting now and then, whatever is said.
        if (committed && facts.length + tables.size > 0)
          groups.push({ rowWrites: committed.rowWrites, facts: facts.map((fact) => fact.type) });
      },
    });
    ann = await kit.person('ann');
    for (const agents of [0, 10, 1000]) channels.set(agents, await channelWith(agents));
  });
  afterAll(() => kit.stop());

  /** The groups that a message leads to, up to the last thing that follows from it. */
  async function groupsOf(say: () => Promise<unknown>): Promise<Group[]> {
    const { tail, outbox, indexer } = kit.hub.kernel;
    const settle = async (): Promise<void> => {
      await tail.settled();
      await outbox.settled();
      await indexer.settled();
    };
    await settle();
    groups = [];
    await say();
    await settle();
    return groups;
  }

  test.each([0, 10, 1000])('[SYS-4] an ambient message is 1 group and at most 4 row writes with %i agents present', async (agents) => {
    const channel = channels.get(agents)!;
    const plain = await groupsOf(() => ann.post(channel, 'hello, all'));
    const keyed = await groupsOf(() => ann.post(channel, 'hello, once', { 'idempotency-key': `count-${agents}` }));
    for (const found of [plain, keyed]) {
      expect(found).toMatchObject([{ facts: ['message.posted'] }]);
      expect(found[0]!.rowWrites).toBeLessThanOrEqual(4);
    }
    // The message and its fact; the key is one row more.
    expect(plain[0]!.rowWrites).toBe(2);
    expect(keyed[0]!.rowWrites).toBe(3);
  });

  test('[SYS-4] a repeat under the same key writes nothing', async () => {
    const say = () => ann.post(channels.get(0)!, 'only once', { 'idempotency-key': 'count-again' });
    await say();
    expect(await groupsOf(say)).toEqual([]);
  });

  test('[SYS-4] messages that arrive together cost no more rows than one by one', async () => {
    const together = 20;
    const found = await groupsOf(() =>
      Promise.all(Array.from({ length: together }, (_, i) => ann.post(channels.get(1000)!, `at once ${i}`))),
    );
    expect(found.flatMap(({ facts }) => facts)).toHaveLength(together);
    expect(found.reduce((sum, { rowWrites }) => sum + rowWrites, 0)).toBe(together * 2);
  });
});
