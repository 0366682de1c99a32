// What is said in a thread to nobody by name: a direct question to the only agent that takes part wakes it.

import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { readRows } from '../../../src/engine/decision-reads.ts';
import { interpretMessage } from '../../../src/engine/steps/attention/attend-message.ts';
import { floorFor } from '../../kit/floor.ts';

onBothEngines('talk in a thread', (engine) => {
  let n = 0;
  const { floor } = floorFor(engine);

  const room = async () => {
    const [a, b] = [await floor.agent(`A${n}`), await floor.agent(`B${n}`)];
    return { a, b, here: await floor.channel(`talk-${n++}`, floor.bob, a, b) };
  };
  /** The thread on a request that its agent has answered. */
  const answered = async (here: string, agent: Person) => {
    const request = await floor.ann.post(here, `^${agent.handle} how is it?`);
    await floor.pass();
    const task = (await floor.tasks(here)).find(({ messageId }) => messageId === request.id)!;
    await floor.say(agent, task, 'answer', 'fine');
    return floor.ann.call('openThread', { params: { messageId: request.id } });
  };
  const decided = async (who: Person, where: string, body: string) => {
    const { id } = await who.post(where, body);
    const { agents } = await floor.ann.call('explainMessage', { params: { messageId: id }, query: {} });
    const foretold = await who.call('previewMessage', { params: { conversationId: where }, body: { body } });
    return {
      of: (agent: Person) => {
        const { policy, mode, reason } = agents.find(({ agentId }) => agentId === agent.id)!;
        return [policy, mode, reason];
      },
      task: (await floor.tasks(where)).find(({ messageId }) => messageId === id),
      foretold: foretold.agents,
    };
  };

  test('[C2A-12] a direct question wakes the only agent that takes part, a statement does not', async () => {
    const { a, b, here } = await room();
    const thread = await answered(here, a);
    const stated = await decided(floor.bob, thread.id, 'I like the second one better');
    expect([stated.of(a), stated.task]).toEqual([['must_not_respond', 'tool_mailbox', 'ambient'], undefined]);
    const foretold = await floor.bob.call('previewMessage', {
      params: { conversationId: thread.id },
      body: { body: 'can you check the logs?' },
    });
    expect(foretold.agents[0]).toMatchObject({ agentId: a.id, policy: 'must_respond', reason: 'question' });
    const asked = await decided(floor.bob, thread.id, 'can you check the logs?');
    expect(asked.of(a)).toEqual(['must_respond', 'buffered', 'question']);
    expect(asked.of(b)).toEqual(['must_not_respond', 'tool_mailbox', 'ambient']);
    expect(asked.task).toMatchObject({ agentId: a.id, requesterId: floor.bob.id, addressedBy: 'question' });
    // In the channel around it the same words are nobody's.
    expect((await decided(floor.bob, here, 'can you check the logs?')).of(a)[2]).toBe('ambient');
  });

  test('[C2A-12] an agent whose message the thread hangs on takes part; in a thread of people none does', async () => {
    const { a, here } = await room();
    const request = await floor.ann.post(here, `^${a.handle} go`);
    await floor.pass();
    const task = (await floor.tasks(here)).find(({ messageId }) => messageId === request.id)!;
    const word = (await floor.say(a, task, 'answer', 'here it is')).body as { id: string };
    const own = await floor.bob.call('openThread', { params: { messageId: word.id } });
    expect((await decided(floor.bob, own.id, 'where does that come from?')).of(a)).toEqual(['must_respond', 'buffered', 'question']);
    const people = await floor.bob.call('openThread', { params: { messageId: (await floor.bob.post(here, 'a matter')).id } });
    expect((await decided(floor.bob, people.id, 'where does that come from?')).task).toBeUndefined();
  });

  test('[PAP-6] [C2A-12] of two agents that take part any is meant, and nobody else; once one is taken out, the other is', async () => {
    const { a, b, here } = await room();
    const c = await floor.agent(`C${n}`);
    await floor.ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
    const thread = await answered(here, a);
    await floor.ann.post(thread.id, `^${b.handle} and you?`);
    await floor.pass();
    await floor.say(
      b,
      (await floor.tasks(thread.id)).find(({ agentId }) => agentId === b.id)!,
      'answer',
      'fine as well',
    );
    const both = await decided(floor.bob, thread.id, 'can you check the logs?');
    expect([both.of(a)[2], both.of(b)[2], both.of(c)[2]]).toEqual(['any_agent', 'any_agent', 'ambient']);
    expect(both.task).toMatchObject({ agentId: null, addressedBy: 'any_agent', requesterId: floor.bob.id });
    await floor.pass();
    const take = (who: Person) => who.ask('startTask', { params: { taskId: both.task!.id } });
    expect((await take(c)).status).not.toBe(200);
    expect((await take(b)).status).toBe(200);
    const told = await decided(floor.ann, thread.id, 'works on my machine');
    expect([told.of(a)[2], told.of(b)[2], told.task]).toEqual(['ambient', 'ambient', undefined]);
    await floor.ann.call('removeFromConversation', { params: { conversationId: here, memberId: b.id } });
    expect((await decided(floor.bob, thread.id, 'can you check the logs?')).of(a)[2]).toBe('question');
  });

  test.each(['works on my machine', 'interesting point', 'same here', 'still red', 'good point', 'tests pass locally'])(
    '[PAP-6] %j in a thread wakes nobody',
    async (text) => {
      const { a, here } = await room();
      const thread = await answered(here, a);
      const said = await decided(floor.bob, thread.id, text);
      expect([said.of(a), said.task]).toEqual([['must_not_respond', 'tool_mailbox', 'ambient'], undefined]);
    },
  );

  test('[C2A-12] [PAP-9] an author who asked nobody by name goes on with the agent by a question or its name, and talks on with people', async () => {
    const { a, here } = await room();
    const thread = await answered(here, a);
    const asked = await decided(floor.bob, thread.id, 'who is on call this weekend?');
    expect(asked.task).toMatchObject({ addressedBy: 'question', unaddressed: true });
    await floor.pass();
    await floor.say(a, asked.task!, 'progress', 'let me look');
    const words = async (): Promise<string[]> =>
      (await floor.kit.hub.kernel.store.rows('task_words', { task_id: asked.task!.id }))
        .filter(({ kind }) => kind === 'follow_up')
        .map(({ message_id }) => message_id);
    for (const text of ['you know, I liked the old rota better', 'tell Eva I said hi', 'what a week']) {
      const said = await decided(floor.bob, thread.id, text);
      expect([said.of(a), said.foretold[0]?.reason, said.task], text).toEqual([
        ['must_not_respond', 'tool_mailbox', 'statement'],
        'statement',
        undefined,
      ]);
    }
    expect(await words()).toEqual([]);
    expect((await decided(floor.bob, thread.id, 'and when does the shift end?')).of(a)[2]).toBe('follow_up');
    expect((await decided(floor.bob, thread.id, `^${a.handle} the one in May`)).of(a)[2]).toBe('mention');
    expect(await words()).toHaveLength(2);
    // Its own question is answered by whatever comes.
    await floor.say(a, asked.task!, 'question', 'which May?');
    expect((await decided(floor.bob, thread.id, 'the coming one')).of(a)[2]).toBe('follow_up');
    expect((await floor.tasks(thread.id)).filter(({ requesterId }) => requesterId === floor.bob.id)).toHaveLength(1);
  });

  test('[C2A-12] so it is with a question that one of several agents took; what was asked of ^ANY goes on with anything', async () => {
    const { a, b, here } = await room();
    const thread = await answered(here, a);
    await floor.ann.post(thread.id, `^${b.handle} and you?`);
    await floor.pass();
    await floor.say(
      b,
      (await floor.tasks(thread.id)).find(({ agentId }) => agentId === b.id)!,
      'answer',
      'fine',
    );
    const take = async (text: string) => {
      const { task } = await decided(floor.bob, thread.id, text);
      await floor.pass();
      await b.call('startTask', { params: { taskId: task!.id } });
      await floor.say(b, task!, 'progress', 'let me look');
      return task!;
    };
    const first = await take('who is on call this weekend?');
    expect((await decided(floor.bob, thread.id, 'I liked the old rota better')).of(b)[2]).toBe('statement');
    await floor.say(b, first, 'answer', 'Eva is');
    const any = await take('^ANY who is on call in May?');
    expect(any.unaddressed).toBeUndefined();
    expect((await decided(floor.bob, thread.id, 'I liked the old rota better')).of(b)[2]).toBe('follow_up');
  });

  test('[PAP-6] [C2A-12] another person’s reply to an agent is a request where it is a direct question, and talk where not', async () => {
    const { a, here } = await room();
    const request = await floor.ann.post(here, `^${a.handle} go`);
    await floor.pass();
    const task = (await floor.tasks(here)).find(({ messageId }) => messageId === request.id)!;
    const word = (await floor.say(a, task, 'answer', 'It is 42.')).body as { id: string };
    const reply = async (who: Person, body: string) => {
      const { id } = await who.call('postMessage', { params: { conversationId: here }, body: { body, replyTo: word.id } });
      return (await floor.tasks(here))
        .filter(({ messageId }) => messageId === id)
        .map(({ addressedBy, requesterId }) => [addressedBy, requesterId]);
    };
    for (const talk of ['interesting point', 'You know how Martin gets when the printer jams.', 'tell Eva I said hi'])
      expect(await reply(floor.bob, talk), talk).toEqual([]);
    expect(await reply(floor.bob, 'where does the number come from?')).toEqual([['question', floor.bob.id]]);
    expect(await reply(floor.ann, 'interesting point')).toEqual([['reply', floor.ann.id]]);
  });

  test('[C2A-12] a reply of others in a thread, and a question edited after its answer, make no later statement a follow-up', async () => {
    const { a, here } = await room();
    const thread = await answered(here, a);
    const { task: named } = await decided(floor.ann, thread.id, `^${a.handle} and now?`);
    await floor.pass();
    const fine = (await floor.say(a, named!, 'answer', 'still fine')).body as { id: string };
    const asks = async (body: string, replyTo?: string): Promise<string> =>
      (
        await floor.bob.call('postMessage', {
          params: { conversationId: thread.id },
          body: { body, ...(replyTo === undefined ? {} : { replyTo }) },
        })
      ).id;
    const byReply = await asks('and where does that come from?', fine.id);
    await floor.pass();
    const first = (await floor.tasks(thread.id)).find(({ messageId }) => messageId === byReply);
    expect(first).toMatchObject({ addressedBy: 'question', unaddressed: true });
    await floor.say(a, first!, 'progress', 'let me look');
    expect((await decided(floor.bob, thread.id, 'tell Eva I said hi')).of(a)[2]).toBe('statement');
    await floor.say(a, first!, 'answer', 'from the log');

    const question = await asks('where are the logs?');
    await floor.pass();
    const asked = (await floor.tasks(thread.id)).find(({ messageId }) => messageId === question)!;
    await floor.say(a, asked, 'answer', 'in /var/log');
    await floor.bob.call('editMessage', { params: { messageId: question }, body: { body: 'where are the database backups?' } });
    await floor.pass();
    const again = (await floor.tasks(thread.id)).find(({ addressedBy }) => addressedBy === 'edit');
    expect(again).toMatchObject({ unaddressed: true });
    for (const text of ['tell Eva I said hi', 'what a week'])
      expect((await decided(floor.bob, thread.id, text)).of(a)[2], text).toBe('statement');
    expect((await decided(floor.bob, thread.id, 'and when were they made?')).of(a)[2]).toBe('follow_up');
  });

  test('[C2A-25] [C2A-12] a request by name that was edited after its answer goes on with anything, in whichever spelling', async () => {
    for (const sigil of ['^', '@']) {
      const { a, here } = await room();
      const thread = await answered(here, a);
      const { id } = await floor.bob.post(thread.id, `${sigil}${a.handle} where are the keys?`);
      await floor.pass();
      await floor.say(
        a,
        (await floor.tasks(thread.id)).find(({ messageId }) => messageId === id)!,
        'answer',
        'in the box',
      );
      await floor.bob.call('editMessage', { params: { messageId: id }, body: { body: `${sigil}${a.handle} where are the spare keys?` } });
      await floor.pass();
      expect((await decided(floor.bob, thread.id, 'I mean those of the van')).of(a)[2], sigil).toBe('follow_up');
    }
  });

  test('[PAP-6] a DM of several people is a room: nobody in it is woken who was not called', async () => {
    const [a, b] = [await floor.agent(`G${n}`), await floor.agent(`H${n++}`)];
    const dm = await floor.ann.call('openDm', { body: { memberIds: [floor.bob.id, a.id, b.id] } });
    expect((await decided(floor.ann, dm.id, 'can you check the logs?')).task).toBeUndefined();
    expect((await decided(floor.bob, dm.id, `^${a.handle} can you check the logs?`)).task).toMatchObject({ agentId: a.id });
  });

  test('[PAP-6] in a DM of one person and several agents one of them is woken, and the talk goes on with that one', async () => {
    const [a, b] = [await floor.agent(`G${n}`), await floor.agent(`H${n++}`)];
    const dm = await floor.ann.call('openDm', { body: { memberIds: [a.id, b.id] } });
    const first = await decided(floor.ann, dm.id, 'can you check the logs?');
    expect(first.task).toMatchObject({ agentId: null, addressedBy: 'any_agent' });
    await floor.pass();
    expect((await b.ask('startTask', { params: { taskId: first.task!.id } })).status).toBe(200);
    const more = await decided(floor.ann, dm.id, 'and of the night before?');
    expect([more.of(a)[2], more.of(b)[2], more.task]).toEqual(['ambient', 'follow_up', undefined]);
    expect(await floor.tasks(dm.id)).toHaveLength(1);
  });

  test('[C2A-12] an agent’s question in a thread wakes nobody by itself', async () => {
    const { a, b, here } = await room();
    const thread = await answered(here, a);
    await floor.ann.post(thread.id, `^${b.handle} and you?`);
    await floor.pass();
    const task = (await floor.tasks(thread.id)).find(({ agentId }) => agentId === b.id)!;
    await floor.say(b, task, 'progress', 'can somebody check the logs?');
    expect((await floor.tasks(thread.id)).filter(({ addressedBy }) => addressedBy === 'question')).toEqual([]);
  });

  test('[C2A-14] a status line is for the digest on both floors, wherever it is said', async () => {
    const { a, here } = await room();
    const thread = await answered(here, a);
    for (const next of ['polite', 'open'] as const) {
      await floor.ann.call('editConversation', { params: { conversationId: here }, body: { floor: next } });
      for (const where of [here, thread.id]) {
        const said = await decided(floor.bob, where, 'build 4711 passed in 3 min');
        expect([said.of(a), said.foretold[0]?.reason, said.task]).toEqual([['must_not_respond', 'digest', 'status'], 'status', undefined]);
      }
    }
    expect((await decided(floor.bob, thread.id, 'I like the second one better')).of(a)).toEqual(['may_respond', 'notify', 'thread']);
    expect((await decided(floor.bob, here, 'I like the second one better')).of(a)).toEqual(['may_respond', 'tool_mailbox', 'ambient']);
  });

  test('[SYS-4] the cost of a question in a thread does not grow with the room', async () => {
    const { store } = floor.kit.hub.kernel;
    /** How often the database is asked what a question means in the thread of the first of so many agents. */
    const cost = async (more: number): Promise<number> => {
      const { a, here } = await room();
      for (let i = 0; i < more; i++) {
        const { id } = await floor.agent(`M${n}-${i}`, { online: false });
        await floor.ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: id } });
      }
      const thread = await answered(here, a);
      const [conversation] = await store.rows('conversations', 'where id = ?', [thread.id]);
      const [home] = await store.rows('conversations', 'where id = ?', [here]);
      let times = 0;
      const reader = {
        rows: (...given: [never, never]) => {
          times++;
          return store.rows(...given);
        },
      } as unknown as typeof store;
      const author = { id: floor.bob.id, kind: 'human' } as const;
      const heard = {
        conversation: conversation!,
        home: home!,
        author,
        body: 'can you check the logs?',
        attachments: 0,
        replyTo: undefined,
      };
      const { called } = await readRows(reader, [], (set) => interpretMessage(heard, set, 0));
      expect(called).toMatchObject([{ agent: { id: a.id }, verdict: { reason: 'question' } }]);
      return times;
    };
    expect(await cost(8)).toBe(await cost(0));
  });
});
