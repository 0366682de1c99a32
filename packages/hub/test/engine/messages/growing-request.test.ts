// A request that goes on after its turn has begun (C2A-28): in a channel as in a DM, for agents in the hub and outside.

import { makeOnce, onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { quiet, waitingOn } from '../../kit/composing-windows.ts';

onBothEngines('a request that is still growing', (engine) => {
  const floor = makeOnce(
    () => waitingOn(engine),
    (made) => made.kit.stop(),
  );
  let rooms = 0;
  const scene = async () => {
    const n = ++rooms;
    const agents = [await floor.agent(`A${n}`), await floor.agent(`B${n}`)] as const;
    const here = await floor.channel(`growing-${n}`, floor.bob, ...agents);
    return { a: agents[0], b: agents[1], here };
  };
  const leaseOf = async (id: string) => (await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [id]))[0]!.lease;
  const reasons = async (here: string, body: string) =>
    (await floor.ann.call('previewMessage', { params: { conversationId: here }, body: { body } })).agents.map(({ reason }) => reason);

  test('[C2A-28] the second piece comes after the turn has begun: the turn restarts with both, and the old lease is refused', async () => {
    const { a, here } = await scene();
    await floor.ann.post(here, `^${a.handle} can you`);
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    expect(task!.state).toBe('active');
    const old = await leaseOf(task!.id);
    await floor.pass(800);
    expect(await reasons(here, 'check the deploy')).toContain('fragment');
    await floor.ann.post(here, 'check the deploy');
    const late = await a.ask('postMessage', {
      params: { conversationId: here },
      body: { body: 'Can I what?', task: { id: task!.id, lease: old, kind: 'answer' } },
    });
    expect(late.body.error?.code).toBe('stale_lease');
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['active']);
    expect(await leaseOf(task!.id)).toBeGreaterThan(old);
    expect(await floor.words(here)).toEqual([[`^${a.handle} can you`, 'check the deploy']]);
    expect((await floor.say(a, task!, 'answer', 'It is fine.')).status).toBe(200);
    expect(await floor.states(here)).toEqual(['completed']);
  });

  test('[C2A-28] not after the agent’s first word, nor after half a minute, nor after somebody else’s post', async () => {
    for (const between of [
      async (_here: string, say: () => Promise<unknown>) => say(),
      async (_here: string) => floor.pass(30_000),
      async (here: string) => floor.bob.post(here, 'lunch?'),
      async (here: string) => floor.ann.post(here, '@bob lunch?'),
    ]) {
      const { a, here } = await scene();
      await floor.ann.post(here, `^${a.handle} check the deploy.`);
      await floor.pass(quiet);
      const [task] = await floor.tasks(here);
      const lease = await leaseOf(task!.id);
      await between(here, () => floor.say(a, task!, 'progress', 'Looking.'));
      await floor.ann.post(here, 'and staging too');
      await floor.pass(quiet);
      expect(await leaseOf(task!.id)).toBe(lease);
      expect((await floor.words(here)).flat()).not.toContain('and staging too');
    }
  });

  test('[C2A-28] a message that names or answers somebody else is theirs, and a second call by name is a request of its own', async () => {
    const { a, b, here } = await scene();
    const said = await floor.bob.post(here, 'the deploy is red');
    await floor.ann.post(here, `^${a.handle} check the deploy.`);
    await floor.pass(quiet);
    await floor.ann.call('postMessage', { params: { conversationId: here }, body: { body: 'since when?', replyTo: said.id } });
    await floor.ann.post(here, `^${b.handle} check staging.`);
    await floor.pass(quiet);
    expect(await floor.words(here)).toEqual([[`^${a.handle} check the deploy.`], [`^${b.handle} check staging.`]]);
    // Its author has turned to the other one since.
    await floor.ann.post(here, 'and the logs');
    await floor.pass(quiet);
    expect((await floor.words(here)).map((words) => words.length)).toEqual([1, 2]);
    await floor.ann.post(here, `^${b.handle} what time is it?`);
    expect(await floor.tasks(here)).toHaveLength(3);
  });

  test('[C2A-28] three restarts wait for the piece alone; from then on each piece waits long', async () => {
    const { a, here } = await scene();
    await floor.ann.post(here, `^${a.handle} check the deploy.`);
    await floor.pass(quiet);
    const waits: string[] = [];
    for (const piece of ['Then check staging.', 'Then check the logs.', 'Then check the mail.', 'Then check the queue.']) {
      await floor.ann.post(here, piece);
      waits.push(...(await floor.states(here)));
      await floor.pass(quiet);
      expect(await floor.states(here)).toEqual(['active']);
    }
    expect(waits).toEqual([...Array<string>(3).fill('queued for 600'), `queued for ${quiet}`]);
    expect((await floor.words(here))[0]).toHaveLength(5);
  });

  test('[C2A-28] an agent in the hub, a DM, a thread, and a request to anyone restart as well', async () => {
    const { a, here } = await scene();
    const dm = (await floor.ann.call('openDm', { body: { memberIds: [a.id] } })).id;
    const root = await floor.ann.post(here, 'a topic');
    const thread = (await floor.ann.call('openThread', { params: { messageId: root.id } })).id;
    for (const [place, first] of [
      [dm, 'check the deploy.'],
      [thread, `^${a.handle} check the deploy.`],
    ] as const) {
      await floor.ann.post(place, first);
      await floor.pass(quiet);
      const [task] = await floor.tasks(place);
      const lease = await leaseOf(task!.id);
      await floor.ann.post(place, 'and staging too');
      await floor.pass(quiet);
      expect(await floor.words(place)).toEqual([[first, 'and staging too']]);
      expect(await leaseOf(task!.id)).toBeGreaterThan(lease);
    }
    const other = await scene();
    await floor.ann.post(other.here, '^ANY check the deploy.');
    await floor.pass(quiet);
    expect(await floor.states(other.here)).toEqual(['offered']);
    await floor.ann.post(other.here, 'and staging too');
    await floor.pass(quiet);
    expect([await floor.states(other.here), await floor.words(other.here)]).toEqual([
      ['offered'],
      [['^ANY check the deploy.', 'and staging too']],
    ]);
  });

  test('[C2A-28] an answer to a question may go on, too', async () => {
    const { a, here } = await scene();
    await floor.ann.post(here, `^${a.handle} check the deploy.`);
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    await floor.say(a, task!, 'question', 'Which one?');
    await floor.ann.post(here, 'the newest of them.');
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['active']);
    const lease = await leaseOf(task!.id);
    await floor.ann.post(here, 'no, the one before');
    await floor.pass(quiet);
    expect((await floor.words(here))[0]!.slice(-2)).toEqual(['the newest of them.', 'no, the one before']);
    expect(await leaseOf(task!.id)).toBeGreaterThan(lease);
  });

  test('[PAP-15] [C2A-9] a redirect restarts the turn under a new lease: the answer to the old instruction is refused', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, `^${a.handle} check the deploy.`);
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    await floor.say(a, task!, 'progress', 'Checking the deploy.');
    const old = await leaseOf(task!.id);
    const redirect = (body: object) => floor.ann.call('redirectTask', { params: { taskId: task!.id }, body: body as never });
    await redirect({ instruction: 'check staging instead' });
    await floor.pass();
    const late = await a.ask('postMessage', {
      params: { conversationId: here },
      body: { body: 'The deploy is fine.', task: { id: task!.id, lease: old, kind: 'answer' } },
    });
    expect([late.body.error?.code, await floor.states(here)]).toEqual(['stale_lease', ['active']]);
    expect(await leaseOf(task!.id)).toBeGreaterThan(old);
    // Turned to another agent, the old task ends and the new one begins at once, in the same chain.
    await redirect({ instruction: 'you check it', agentId: b.id });
    await floor.pass();
    expect(await floor.states(here)).toEqual(['cancelled', 'active']);
    const tasks = await floor.tasks(here);
    expect(tasks[1]).toMatchObject({ chainId: task!.chainId, agentId: b.id });
    expect((await floor.say(a, task!, 'answer', 'Staging is fine.')).body).toMatchObject({ error: { code: 'task_over' } });
  });

  test('[C2A-19] the same progress in a task is shown once, however often it is posted', async () => {
    const { a, here } = await scene();
    await floor.ann.post(here, `^${a.handle} check the deploy.`);
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    for (let n = 0; n < 20; n++) expect((await floor.say(a, task!, 'progress', 'Working on it.')).status).toBe(200);
    await floor.say(a, task!, 'progress', 'Half way.');
    await floor.say(a, task!, 'progress', 'Working on it.');
    expect((await floor.bodies(here)).slice(1).map(([, body]) => body)).toEqual(['Working on it.', 'Half way.']);
  });
});
