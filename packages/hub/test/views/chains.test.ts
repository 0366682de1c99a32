// Chains as people see them: all of the tree, what they may not read as hidden steps, and told of when anything in it moves.

import { requestText } from '@parley/core';
import type { Chain, Task } from '@parley/protocol';
import { Ear, onBothEngines, type Person, makeOnce } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { type Floor, floorFor } from '../kit/floor.ts';

onBothEngines('the tree of tasks', (engine) => {
  let room: string;
  let dm: string;
  let root: Task;
  let sub: string;
  let n = 0;

  const { floor, ann, bob } = floorFor(engine);
  const zed = makeOnce(() => floor.kit.person('zed'));
  const a = makeOnce(() => floor.agent('A'));
  const b = makeOnce(() => floor.agent('B', { owner: zed }));
  beforeAll(async () => {
    room = await floor.channel('work', bob, a);
    dm = await agentDm();
    await ann.post(room, '^A prepare the report\nwith figures');
    await floor.pass();
    root = (await floor.tasks(room)).at(-1)!;
    sub = await given('Context: for the report\n\nPull the *revenue*\nof Q4', 'active');
  });

  /** Contacting opens it; here it is put there as the platform would. */
  async function agentDm(): Promise<string> {
    const id = `con_${'0'.repeat(20)}AGENTS`;
    const conversation = { id, kind: 'dm', name: null, name_fold: null, topic: '', visibility: 'private', floor: 'polite', history: 'all' };
    const rest = {
      parent_id: null,
      root_message_id: null,
      dm_key: [a.id, b.id].sort().join(','),
      created_by: null,
      created_at: 1,
      archived_at: null,
    };
    const membership = { conversation_id: id, role: 'participant', notify: 'all', joined_at: 1, joined_seq: 0 };
    const inserts = [a.id, b.id].map((member_id) => ({ table: 'memberships' as const, row: { ...membership, member_id } }));
    await commit([{ table: 'conversations', row: { ...conversation, ...rest } }, ...inserts]);
    return id;
  }

  type Inserts = Parameters<Awaited<ReturnType<Floor['kit']['hub']['kernel']['store']['begin']>>['transaction']['commit']>[0];
  async function commit(inserts: Inserts['inserts'], facts: Inserts['facts'] = []): Promise<void> {
    const { transaction } = await floor.kit.hub.kernel.store.begin([], []);
    await transaction.commit({ inserts, updates: [], deletes: [], facts });
  }

  /** A sub-task of A's in the pair's DM. */
  async function given(message: string, state: Task['state']): Promise<string> {
    const { store } = floor.kit.hub.kernel;
    const [row] = await store.rows('tasks', 'where id = ?', [root.id]);
    const { seq } = await store.head();
    const id = `tsk_${String(n).padStart(26, '0')}`;
    const messageId = `msg_${String(n++).padStart(26, '0')}`;
    const body = requestText('delegate', 'A', { message, taskId: id });
    const place = { type: 'task.opened' as const, actor_id: null, scope: 'conversation' as const, conversation_id: dm, data: '{}' };
    const said = { author_id: a.id, version: 1, reply_to: null, attachments: '[]', thread_id: null, edited_at: null, deleted_at: null };
    await commit(
      [
        { table: 'messages', row: { id: messageId, conversation_id: dm, seq: seq + 1, body, created_at: floor.clock.now(), ...said } },
        { table: 'message_sources', row: { message_id: messageId, source: 'agent_contact' } },
        {
          table: 'tasks',
          row: {
            ...row!,
            id,
            seq: seq + 1,
            parent_id: root.id,
            agent_id: b.id,
            requester_id: a.id,
            conversation_id: dm,
            message_id: messageId,
            state,
            depth: 1,
            addressed_by: 'agent_delegation',
          },
        },
      ],
      [{ ...place, at: floor.clock.now(), member_id: b.id, subject_id: id, chain_id: root.chainId }],
    );
    return id;
  }

  const chainOf = async (who: Person): Promise<Chain> => who.call('getChain', { params: { chainId: root.chainId } });
  const stepIn = (chain: Chain, id: string) => chain.steps.find((step) => step.id === id);

  test('[IAC-18] [SYS-9] everyone sees the whole tree: steps they may read with a title, the rest as hidden ones', async () => {
    const mine = await chainOf(ann);
    expect(stepIn(mine, root.id)).toMatchObject({ state: 'active', title: '^A prepare the report' });
    // ann owns A, so what A asks of others is hers to read: without the header and the context before it.
    expect(stepIn(mine, sub)).toMatchObject({ parentId: root.id, state: 'active', title: 'Pull the *revenue*' });
    expect(mine).toMatchObject({ turns: 1, micros: 0, timer: { running: true }, endedAt: null });
    // bob is in the channel and answers for neither agent.
    expect(stepIn(await chainOf(bob), sub)).toEqual({ hidden: true, id: sub, parentId: root.id, state: 'active' });
    // zed owns B: it sees its own agent's part, and of the private rest nothing.
    expect(stepIn(await chainOf(zed), sub)).toMatchObject({ title: 'Pull the *revenue*' });
  });

  test('[IAC-18] chains are listed by what is open, by agent and by conversation, only to those who see a step', async () => {
    const listed = async (who: Person, query: object = {}) => (await who.call('listChains', { query })).chains.map(({ id }) => id);
    for (const who of [ann, bob, zed, floor.kit.owner]) expect(await listed(who)).toEqual([root.chainId]);
    expect(await listed(ann, { agentId: b.id })).toEqual([root.chainId]);
    expect(await listed(bob, { agentId: b.id })).toEqual([]);
    expect(await listed(ann, { conversationId: room })).toEqual([root.chainId]);
    expect(await listed(ann, { conversationId: await floor.kit.general() })).toEqual([]);
    const guest = await floor.kit.person('gus', 'guest');
    expect(await listed(guest, { state: 'all' })).toEqual([]);
    expect((await guest.ask('getChain', { params: { chainId: root.chainId } })).status).toBe(404);
    // An agent reads none outside a task.
    expect((await b.ask('listChains', { query: {} })).body.error?.code).toBe('outside_task');
  });

  test('[IAC-10] DMs of agents are found by who may read them, and by nobody else', async () => {
    const found = async (who: Person) => (await who.call('listAgentDms', {})).conversations.map(({ id }) => id);
    for (const who of [ann, zed, floor.kit.owner]) expect(await found(who)).toEqual([dm]);
    expect(await found(bob)).toEqual([]);
    expect((await a.ask('listAgentDms', {})).body.error?.code).toBe('outside_task');
    const looks = await floor.kit.hub.kernel.store.rows('facts', "where type = 'conversation.observed'", []);
    // Only reading is on record, not that it is there.
    expect(looks).toEqual([]);
  });

  test('[IAC-18] a step that moves where one is not is told as a sign, to those who see the chain and nobody else', async () => {
    const nosy = await floor.kit.person('nosy');
    const ears = [ann, bob, zed, nosy].map((who) => new Ear(who));
    await Promise.all(ears.map((ear) => ear.ready()));
    await given('And the costs', 'queued');
    // Stored behind the hub's back: the next thing that happens has it look.
    const general = await floor.kit.general();
    await ann.post(general, 'well');
    const [atAnn, atBob, atZed, atNosy] = ears as [Ear, Ear, Ear, Ear];
    for (const ear of [atAnn, atBob, atZed])
      await ear.until((heard) => heard.find((event) => event.type === 'chain' && event.chainId === root.chainId));
    await ann.post(general, 'then');
    await atAnn.fact('message.posted', ({ data }) => data.message.body === 'then');
    expect(atNosy.heard.filter((event) => event.type === 'chain')).toEqual([]);
    for (const ear of ears) expect(ear.facts().filter((fact) => fact.type === 'task.opened')).toEqual([]);
    for (const ear of ears) ear.close();
  });
});
