// What happens to a request while it is still being written (C2A-4): it is stopped, turned, taken back, its hub goes down.

import { openDataDir, startKernel, type Kernel } from '@parley/hub';
import type { Task } from '@parley/protocol';
import { ChildHub, Ear, freshGround, onBothEngines, Person, SimClock, often } from '@parley/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { Brain } from '../../../src/brains/brain.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { quiet, short, type Waiting, waitingOn } from '../../kit/composing-windows.ts';
import { addAnn } from '../../kit/kernel-people.ts';

/** Says what it was given to go by. */
const echo: Brain = { turn: async ({ words }) => ({ kind: 'answer', text: words.map(({ text }) => text).join(' | ') }) };

onBothEngines('while it is being written', (engine) => {
  let floor: Waiting;
  afterEach(() => floor.kit.stop());
  const scene = async () => {
    floor = await waitingOn(engine);
    const a = await floor.agent('A');
    const b = await floor.agent('B');
    return { a, b, here: await floor.channel('room', floor.bob, a, b) };
  };
  const facts = async (type: string) => (await floor.kit.hub.kernel.store.rows('facts', 'where type = ?', [type])).length;

  test('[C2A-4] [PAP-15] stopped: nothing is waited for, and nothing begins', async () => {
    const { here } = await scene();
    await floor.ann.post(here, '^A check');
    const [task] = await floor.tasks(here);
    await floor.ann.call('stopTask', { params: { taskId: task!.id } });
    expect([await floor.states(here), await floor.rows()]).toEqual([['cancelled'], { windows: 0, timers: 0 }]);
    await floor.ann.post(here, 'the deploy');
    await floor.pass(quiet);
    expect([await floor.words(here), await facts('task.ready')]).toEqual([[['^A check']], 0]);
  });

  test('[C2A-4] [C2A-27] deleted: the same; a piece that is deleted leaves the rest', async () => {
    const { here } = await scene();
    await floor.ann.post(here, '^A check');
    const piece = await floor.ann.post(here, 'my secret');
    await floor.ann.post(here, 'the deploy');
    await floor.ann.call('deleteMessage', { params: { messageId: piece.id } });
    await floor.pass(quiet);
    expect([await floor.states(here), await floor.words(here)]).toEqual([['active'], [['^A check', 'the deploy']]]);
    const request = await floor.ann.post(here, '^B check');
    await floor.ann.call('deleteMessage', { params: { messageId: request.id } });
    expect([await floor.states(here), await floor.rows()]).toEqual([['active', 'cancelled'], { windows: 0, timers: 0 }]);
  });

  test('[C2A-4] [PAP-15] turned to another: that one begins at once', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, '^A check');
    await floor.pass(1000);
    const [task] = await floor.tasks(here);
    // Somebody else's instruction is added, and waits no longer than the request does.
    await floor.kit.owner.call('joinConversation', { params: { conversationId: here } });
    await floor.kit.owner.call('redirectTask', { params: { taskId: task!.id }, body: { instruction: 'be quick' } });
    expect(await floor.states(here)).toEqual(['queued for 1500']);
    await floor.ann.call('redirectTask', { params: { taskId: task!.id }, body: { instruction: 'you do it', agentId: b.id } });
    await floor.pass();
    expect((await floor.tasks(here)).map(({ agentId, state }) => [agentId, state])).toEqual([
      [a.id, 'cancelled'],
      [b.id, 'active'],
    ]);
  });

  test('[C2A-4] [SYS-10] while everything is stopped it becomes ready, and begins when it is released', async () => {
    const { here } = await scene();
    await floor.ann.post(here, '^A check');
    await floor.kit.owner.call('halt', {});
    await floor.ann.post(here, 'the deploy');
    await floor.pass(quiet);
    expect([await floor.states(here), await facts('task.ready')]).toEqual([['queued'], 1]);
    await floor.kit.owner.call('release', {});
    await floor.pass();
    expect([await floor.states(here), await floor.words(here)]).toEqual([['active'], [['^A check', 'the deploy']]]);
  });

  test('[C2A-4] [PAP-17] an agent that is away has it when it comes back', async () => {
    const { a, here } = await scene();
    await floor.disconnect(a);
    await floor.ann.post(here, '^A check');
    await floor.connect(a);
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`]);
    await floor.disconnect(a);
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['queued']);
    await floor.connect(a);
    expect(await floor.states(here)).toEqual(['active']);
  });

  test('[C2A-4] [C2A-30] an agent on a socket gets one event with all fragments', async () => {
    floor = await waitingOn(engine);
    const a = await floor.agent('A', { online: false });
    const here = await floor.channel('room', a);
    const wire = await Wire.hello(a);
    try {
      await floor.ann.post(here, '^A check');
      await floor.ann.post(here, 'the deploy');
      await floor.pass(quiet);
      const { event } = await wire.event('task');
      expect(event.words.map(({ kind, content }) => [kind, content])).toEqual([
        ['request', '^A check'],
        ['request', 'the deploy'],
      ]);
      await floor.ann.post(here, '^ANY who else');
      await floor.ann.post(here, 'has time?');
      // A question looks finished.
      await floor.pass(short - 1);
      await wire.ask('any answer comes after what was sent before');
      expect(wire.events.map((one) => one.event.kind)).toEqual(['task']);
      await floor.pass(1);
      expect((await wire.event('offer')).event.content).toBe('^ANY who else');
    } finally {
      await wire.close();
    }
  });

  test('[C2A-28] a built-in agent is given all of it, and what comes while it thinks begins the turn again', async () => {
    const thinking = Promise.withResolvers<void>();
    let turns = 0;
    const brain: Brain = {
      turn: async (turn) => {
        turns++;
        if (turn.words.length < 3) {
          thinking.resolve();
          await new Promise(() => {});
        }
        return echo.turn(turn);
      },
    };
    floor = await waitingOn(engine, { brain, agents: [{ handle: 'ORAC', displayName: 'Orac', about: '' }] });
    const orac = (await floor.ann.call('listAgents', {})).agents[0]!;
    const dm = (await floor.ann.call('openDm', { body: { memberIds: [orac.id] } })).id;
    await floor.ann.post(dm, 'check');
    await floor.ann.post(dm, 'the deploy');
    floor.clock.advance(quiet);
    await floor.kit.hub.kernel.timers.tick();
    await thinking.promise;
    await floor.ann.post(dm, 'of today');
    await floor.pass(quiet);
    expect([turns, (await floor.bodies(dm)).at(-1)]).toEqual([2, ['?', 'check | the deploy | of today']]);
  });

  test('[C2A-4] [SYS-12] a restart in the middle loses nothing, and it becomes ready once; also when its time passed meanwhile', async () => {
    const { a, here } = await scene();
    await floor.ann.post(here, '^A check');
    await floor.pass(1000);
    await floor.kit.restart();
    await floor.connect(a);
    expect(await floor.states(here)).toEqual(['queued for 1500']);
    await floor.ann.post(here, 'the deploy');
    await floor.pass(quiet - 1);
    expect(await floor.states(here)).toEqual(['queued for 1']);
    await floor.pass(1);
    expect([await floor.states(here), await facts('task.ready')]).toEqual([['active'], 1]);

    await floor.ann.post(here, '^B check');
    const stopping = floor.kit.hub.stop.bind(floor.kit.hub);
    floor.kit.hub.stop = async () => {
      await stopping();
      floor.clock.jump(10_000);
    };
    await floor.kit.restart();
    await floor.pass();
    expect([(await floor.states(here))[1], await floor.rows(), await facts('task.ready')]).toEqual([
      'active',
      { windows: 0, timers: 0 },
      2,
    ]);
  });
});

describe('two hubs on one database', () => {
  test('[C2A-4] a composing window ends once, whichever hub sees it', async () => {
    const ground = await freshGround('postgres');
    const clock = new SimClock();
    const open = async (): Promise<Kernel> =>
      startKernel({
        dataDir: await openDataDir(ground.dataDir),
        databaseUrl: ground.databaseUrl,
        clock,
        brain: echo,
        onError: (error) => expect.soft(error).toBeUndefined(),
      });
    const hubs = [await open(), await open()];
    const { store } = hubs[0]!;
    const ann = await addAnn(hubs[0]!);
    const post = (hub: Kernel, body: string) => hub.engine.submit({ type: 'message.post', ...ann, body, attachmentIds: [] });
    for (let n = 0; n < 5; n++) {
      await post(hubs[0]!, `^ORAC ask ${n}`);
      await post(hubs[1]!, `and ${n}`);
    }
    clock.advance(30_000);
    await Promise.all(hubs.map((hub) => hub.timers.tick()));
    for (const hub of hubs) await hub.scheduler.settled();
    const count = async (type: string) => (await store.rows('facts', 'where type = ?', [type])).length;
    expect([await count('task.opened'), await count('task.ready'), await count('task.begin')]).toEqual([1, 1, 1]);
    const answers = await store.rows('messages', 'where author_id <> ?', [ann.by.memberId]);
    expect(answers.map(({ body }) => body?.split(' | '))).toEqual([[0, 1, 2, 3, 4].flatMap((n) => [`^ORAC ask ${n}`, `and ${n}`])]);
    for (const hub of hubs) await hub.stop();
    await ground.clear();
  });
});

onBothEngines('a hub that is killed while somebody writes', (engine) => {
  test('[C2A-4] [SYS-12] nothing is lost and nothing doubled', async () => {
    const ground = await freshGround(engine);
    const hub = new ChildHub({ ground, sync: false, env: { PARLEY_COMPOSE_MS: '5000' } });
    await hub.start();
    const ann = await hub.person('ann', 'owner');
    const me = async (): Promise<Person> => new Person((await hub.up()).url, ann.token, ann.id, 'ann');
    const general = (await ann.call('listConversations', { query: {} })).conversations[0]!.id;
    const pieces = ['^ORAC what is', 'going', 'on?'];
    for (const piece of pieces) await ann.post(general, piece);
    // Whether its time passes while there is no hub, or in one that is killed again, is as it comes.
    for (let kills = 0; kills < often(1, 10, 3); kills++) {
      await hub.kill();
      await hub.start();
    }
    const person = await me();
    const ear = new Ear(person);
    await ear.ready();
    const isOver = ({ endedAt }: Task): boolean => endedAt !== null;
    for (let heard = 0; ;) {
      const { tasks } = await person.call('listTasks', { query: { state: 'all' } });
      expect(tasks).toHaveLength(1);
      if (tasks.every(isOver)) break;
      heard = await ear.until((events) => (events.length > heard ? events.length : undefined));
    }
    ear.close();
    const { messages } = await person.call('listMessages', { params: { conversationId: general }, query: {} });
    expect(messages.slice(0, 3).map(({ body }) => body)).toEqual(pieces);
    expect(messages.slice(3)).toMatchObject([{ task: { kind: 'answer' } }]);
    await hub.end();
    await ground.clear();
  });
});
