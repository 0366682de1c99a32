// ^ANY is one task and has one owner (PAP-4): agents claim it in the same millisecond, round after round, in one group,
// in two engines on one database, through HTTP and through their sockets.

import { often, onBothEngines, type Person, Random, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, operator } from '../../../src/engine/command.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type Bare, outcome, printedSeed, rich, type Someone, startBare, withoutStacks } from '../../kit/bare.ts';

/** Rounds through the engine, two lots of `atOnce` each time; PostgreSQL pays a network round trip for each of its statements. */
const rounds = { sqlite: often(100, 10_000, 1_200), postgres: often(100, 10_000, 400) };
const atOnce = often(50, 200, 200);

onBothEngines('^ANY claimed at the same moment', (kind) => {
  const random = new Random(printedSeed(`claims (${kind})`));

  withoutStacks();
  let bare: Bare;
  let engines: Engine[];
  let asker: Someone;
  let agents: Someone[];
  let room: string;
  beforeAll(async () => {
    bare = await startBare(kind);
    engines = [bare.engine, await bare.another()];
    asker = await bare.person('ann');
    agents = [];
    for (const handle of ['one', 'two', 'three']) agents.push(await bare.agent(handle, asker));
    for (const { id } of agents)
      await bare.engine.submit({ type: 'agent.edit', by: operator, memberId: id, change: { maxConcurrent: 1_000_000 } });
    room = await bare.channel(asker, 'room', agents);
  });
  afterAll(() => bare.stop());

  /** Words of losers. */
  let tries = 0;

  /** Who takes part, and which engine each of them reaches. */
  interface Rival {
    agent: Someone;
    engine: Engine;
  }

  /** What did not come out as it must; to look at each with `expect` would cost more than the round. */
  async function round(rivals: Rival[][]): Promise<unknown[]> {
    const wrong: unknown[] = [];
    const posts = await Promise.all(
      rivals.map((_, i) =>
        bare.engine.submit({ type: 'message.post', by: asker.by, conversationId: room, body: `^ANY take ${i}`, attachmentIds: [] }),
      ),
    );
    const rows = await bare.store.rows(
      'tasks',
      `where message_id in (${posts.map(() => '?').join(', ')})`,
      posts.map(({ message }) => message.id),
    );
    const taskOf = new Map(rows.map((task) => [task.message_id, task]));
    if (rows.length !== posts.length) wrong.push([`${posts.length} requests`, rows]);
    // Every claim of every round is submitted before any of them is answered.
    const claims = await Promise.all(
      rivals.map((some, i) =>
        Promise.all(
          some.map(async ({ agent, engine }) => {
            const taskId = taskOf.get(posts[i]!.message.id)!.id;
            return { agent, engine, taskId, claim: await outcome(engine, { type: 'task.begin', by: agent.by, taskId }) };
          }),
        ),
      ),
    );
    const said: Promise<unknown>[] = [];
    for (const rivalsOfOne of claims) {
      const winners = rivalsOfOne.filter(({ claim }) => claim.ok);
      if (winners.length !== 1) wrong.push([`${winners.length} winners`, rivalsOfOne]);
      const [winner] = winners;
      if (!winner) continue;
      const lease = winner.claim.ok ? winner.claim.result.task.lease : -1;
      for (const { agent, engine, taskId, claim } of rivalsOfOne) {
        if (agent === winner.agent) continue;
        if (claim.ok || claim.code !== 'already_claimed') wrong.push(['a loser', claim]);
        // Not with a guess at the lease, not as its last word, not as a refusal of it.
        const words: Command = {
          type: 'task.say',
          by: agent.by,
          taskId,
          lease: random.pick([undefined, 0, lease]),
          kind: random.pick(['progress', 'answer', 'question'] as const),
          body: 'lost',
          ...(random.next() < 0.5 ? { conversationId: room } : {}),
        };
        const refusal: Command = { type: 'task.decline', by: agent.by, taskId, lease, outcome: 'declined', reason: 'lost' };
        tries += 2;
        for (const command of [words, refusal])
          said.push(
            outcome(engine, command).then((tried) => (tried.ok || tried.code !== 'task_of_another') && wrong.push([command, tried])),
          );
      }
      said.push(
        winner.engine
          .submit({ type: 'task.say', by: winner.agent.by, taskId: winner.taskId, lease, kind: 'answer', body: 'won' })
          .then(({ message }) => message.author_id !== winner.agent.id && wrong.push(['the winner’s word', message])),
      );
    }
    await Promise.all(said);
    return wrong;
  }

  const all = rounds[kind];
  test(`[PAP-4] two and three agents, one engine and two on one database, ${all.toLocaleString('en')} rounds: one winner each, everyone else refused`, async () => {
    const batch = (): Promise<unknown[]> => {
      const apart = random.next() < 0.5;
      return round(
        Array.from({ length: atOnce }, () => {
          const some = [...agents].sort(() => random.next() - 0.5).slice(0, 2 + random.int(2));
          return some.map((agent, i) => ({ agent, engine: apart ? engines[i % 2]! : engines[0]! }));
        }),
      );
    };
    // Two under way: while one is asked for, the other is claimed.
    for (let done = 0; done < all; done += 2 * atOnce) expect((await Promise.all([batch(), batch()])).flat()).toEqual([]);
    // From the facts: one claim and one end for every task that was opened; one answer; not one word of a loser.
    const count = async (sql: string) => (await bare.store.all<{ n: number }>(`select count(*) as n from ${sql}`))[0]!.n;
    expect(await count(`facts where type = 'task.opened'`)).toBe(all);
    expect(await count(`facts where type = 'task.claim'`)).toBe(all);
    expect(await count(`(select distinct subject_id from facts where type = 'task.claim') as claimed`)).toBe(all);
    expect(await count(`facts where type = 'task.complete'`)).toBe(all);
    expect(await count(`tasks where open = 1`)).toBe(0);
    expect(await count(`messages where body = 'won'`)).toBe(all);
    expect(await count(`messages where body = 'lost'`)).toBe(0);
    expect(await count(`task_words`)).toBe(all);
    // Each try of a loser was recorded, with its reason.
    expect(await count(`facts where type = 'post.refused'`)).toBe(tries);
    expect(await count(`facts where type = 'post.refused' and data like '%"task_of_another"%'`)).toBe(tries);
    expect(bare.errors).toEqual([]);
  });
});

onBothEngines('^ANY claimed at the doors', (kind) => {
  const random = new Random(printedSeed(`claims at the doors (${kind})`));
  const times = often(20, 200, 60);
  const atOnce = 20;
  let kit: TestHub;
  let room: string;
  let agents: Person[];
  beforeAll(async () => {
    kit = await startTestHub(kind, { agents: [], sync: false, limits: rich });
    room = (await kit.owner.call('createChannel', { body: { name: 'room', visibility: 'private' } })).id;
    agents = [];
    for (const handle of ['one', 'two', 'three']) {
      const agent = await kit.agent(handle);
      await kit.owner.call('addToConversation', { params: { conversationId: room }, body: { memberId: agent.id } });
      await kit.hub.kernel.engine.submit({ type: 'agent.edit', by: operator, memberId: agent.id, change: { maxConcurrent: 1000 } });
      agents.push(agent);
    }
  });
  afterAll(() => kit.stop());

  const asked = async (): Promise<string> => {
    const { id } = await kit.owner.post(room, '^ANY take it');
    const [task] = await kit.hub.kernel.store.rows('tasks', 'where message_id = ?', [id]);
    return task!.id;
  };
  const words = async () =>
    (await kit.hub.kernel.store.rows('messages', 'where conversation_id = ? order by seq', [room])).filter(
      ({ author_id }) => author_id !== kit.owner.id,
    );
  const inBatches = async (round: () => Promise<void>): Promise<void> => {
    for (let done = 0; done < times; done += atOnce) await Promise.all(Array.from({ length: atOnce }, round));
  };

  test(`[PAP-4] through HTTP, ${times} rounds: one start succeeds, every other gets already_claimed and cannot speak`, async () => {
    await inBatches(async () => {
      const taskId = await asked();
      const rivals = [...agents].sort(() => random.next() - 0.5).slice(0, 2 + random.int(2));
      const started = await Promise.all(rivals.map((agent) => agent.ask('startTask', { params: { taskId } })));
      const winners = rivals.filter((_, i) => started[i]!.status === 200);
      expect(winners).toHaveLength(1);
      const { lease } = started.find(({ status }) => status === 200)!.body;
      for (const [i, agent] of rivals.entries()) {
        if (agent === winners[0]) continue;
        expect(started[i]).toMatchObject({ status: 409, body: { error: { code: 'already_claimed' } } });
        const said = { body: 'lost', task: { id: taskId, lease, kind: 'answer' as const } };
        const tried = await agent.ask('postMessage', { params: { conversationId: room }, body: said });
        expect(tried.body.error?.code).toBe('task_of_another');
      }
      const said = { body: 'won', task: { id: taskId, lease, kind: 'answer' as const } };
      await winners[0]!.call('postMessage', { params: { conversationId: room }, body: said });
    });
    expect((await words()).map(({ body }) => body)).toEqual(Array.from({ length: times }, () => 'won'));
  });

  test('[PAP-4] through HTTP, an agent that comes a moment later gets already_claimed too, not that there is no such task', async () => {
    const taskId = await asked();
    const { lease } = await agents[0]!.call('startTask', { params: { taskId } });
    for (const late of agents.slice(1)) {
      const tried = await late.ask('startTask', { params: { taskId } });
      expect([tried.status, tried.body.error?.code]).toEqual([409, 'already_claimed']);
    }
    const said = { body: 'won', task: { id: taskId, lease, kind: 'answer' as const } };
    await agents[0]!.call('postMessage', { params: { conversationId: room }, body: said });
  });

  test(`[PAP-4] through the agent socket, ${times} rounds: offered to all, one claim succeeds`, async () => {
    const before = (await words()).length;
    const lines = await Promise.all(agents.map((agent) => Wire.hello(agent)));
    try {
      await inBatches(async () => {
        const taskId = await asked();
        // Each has been told of it before any of them answers.
        await Promise.all(lines.map((line) => line.event('offer', ({ task }) => task.id === taskId)));
        const claims = await Promise.all(lines.map((line) => line.tried('claim', { taskId })));
        const winners = lines.filter((_, i) => claims[i]!.ok);
        expect(winners).toHaveLength(1);
        for (const [i, line] of lines.entries()) {
          const claim = claims[i]!;
          if (claim.ok) continue;
          expect(claim.code).toBe('already_claimed');
          const tried = await line.tried('say', { taskId, lease: 1, kind: 'answer', body: 'lost' });
          expect(tried).toMatchObject({ ok: false, code: 'task_of_another' });
        }
        const won = claims.find((claim) => claim.ok)!;
        const lease = won.ok ? won.result.lease : -1;
        expect(await winners[0]!.tried('say', { taskId, lease, kind: 'answer', body: 'won' })).toMatchObject({ ok: true });
      });
    } finally {
      await Promise.all(lines.map((line) => line.close()));
    }
    expect((await words()).slice(before).map(({ body }) => body)).toEqual(Array.from({ length: times }, () => 'won'));
  });
});
