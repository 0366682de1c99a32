// Urgent words for a turn inside the hub: it is taken away, and what it did is neither lost nor done again.

import { ParleyError } from '@parley/protocol';
import { onBothEngines, type Person, SimClock, hubFor } from '@parley/testkit';
import { beforeEach, expect, test } from 'vitest';
import type { Brain, TurnOutcome, BrainTurn } from '../../../src/brains/brain.ts';

onBothEngines('urgent words and turns', (engine) => {
  let owner: Person;
  let dm: string;
  let turnOf: (turn: BrainTurn, nth: number) => Promise<TurnOutcome>;
  let seen: string[];
  /** Of each turn, in order. */
  let signals: AbortSignal[];
  let n = 0;

  const asked = (turn: BrainTurn) => turn.words.map(({ kind, text }) => `${kind}: ${text}`).join(' | ');
  const brain: Brain = {
    turn: (turn) => {
      // Only what the test at hand asks for; what another left is answered.
      if (turn.requester?.id !== owner.id) return Promise.resolve({ kind: 'answer', text: 'done' });
      signals.push(turn.signal);
      seen.push(asked(turn));
      return turnOf(turn, seen.length);
    },
  };
  const kit = hubFor(engine, { brain, clock: new SimClock() });
  beforeEach(async () => {
    n++;
    owner = await kit.person(`p${n}`, 'owner');
    [seen, signals] = [[], []];
    dm = (await owner.call('openDm', { body: { memberIds: [await agentId('ORAC')] } })).id;
  });

  const agentId = async (handle: string) => (await kit.owner.call('listAgents', {})).agents.find((one) => one.handle === handle)!.id;
  const settle = () => kit.hub.kernel.scheduler.settled();
  const urgent = (body: string, conversationId = dm) =>
    owner.call('postMessage', { params: { conversationId }, body: { body, urgent: true } });
  const bodies = async (conversationId = dm) =>
    (await owner.call('listMessages', { params: { conversationId }, query: {} })).messages.map(({ body }) => body);
  const tasks = async (conversationId = dm) => (await owner.call('listTasks', { query: { state: 'all', conversationId } })).tasks;
  const notices = async () => (await owner.call('listNotices', { query: {} })).notices;
  const never = () => new Promise<never>(() => {});
  /** Its first turn does this and then thinks until it is taken away; every other does it and answers. */
  function thinks(first: (turn: BrainTurn, nth: number) => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const reached = Promise.withResolvers<void>();
    turnOf = async (turn, nth) => {
      await first(turn, nth);
      if (nth > 1) return { kind: 'answer', text: asked(turn) };
      reached.resolve();
      return never();
    };
    return reached.promise;
  }

  test('[C2A-9] [C2A-28] before it has acted it is begun again with all of it', async () => {
    const reached = thinks((turn) => turn.step({ kind: 'model', name: 'think', readOnly: false }, () => Promise.resolve(1)));
    await owner.post(dm, 'restart the site');
    await reached;
    await urgent('not that one');
    await settle();
    expect(seen).toEqual(['request: restart the site', 'request: restart the site | follow_up: not that one']);
    expect(signals[0]!.aborted).toBe(true);
    expect(await tasks()).toMatchObject([{ state: 'completed' }]);
    expect(await bodies()).toEqual(['restart the site', 'not that one', seen[1]]);
  });

  test('[C2A-9] [SYS-12] after it has acted another goes on: what was done is not done again, what was said not said again', async () => {
    let [restarts, stops] = [0, 0];
    const results: unknown[] = [];
    const reached = thinks(async (turn, nth) => {
      await turn.say('on it');
      const restart = (site: string) =>
        turn.step({ kind: 'tool', name: 'restart', readOnly: false, input: site }, () => Promise.resolve(`${site} ${++restarts}`));
      results.push(await restart('site 1'));
      if (nth === 1) return;
      results.push(await restart('site 2'), await restart('site 1'));
      await turn.step({ kind: 'tool', name: 'stop', readOnly: false, input: 'site 1' }, () => Promise.resolve(++stops));
    });
    await owner.post(dm, 'restart the site');
    await reached;
    await urgent('stop that one');
    await settle();
    // The second time it meant to: once more is once more.
    expect(results).toEqual(['site 1 1', 'site 1 1', 'site 2 2', 'site 1 3']);
    expect([restarts, stops, signals[0]!.aborted]).toEqual([3, 1, true]);
    expect(seen[1]).toBe('request: restart the site | progress: on it | follow_up: stop that one');
    expect((await bodies()).filter((body) => body === 'on it')).toHaveLength(1);
    expect(await tasks()).toMatchObject([{ state: 'completed' }]);
    const turns = await kit.hub.kernel.store.rows('turns', 'where task_id = ? order by lease', [(await tasks())[0]!.id]);
    expect(turns.map(({ state }) => state)).toEqual(['interrupted', 'done']);
  });

  test('[C2A-9] [SYS-12] interrupted twice, and by a hub that stopped, it still knows what was done', async () => {
    let restarts = 0;
    const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    turnOf = async (turn, nth) => {
      await turn.step({ kind: 'tool', name: 'restart', readOnly: false }, () => Promise.resolve(++restarts));
      if (nth > 2) return { kind: 'answer', text: asked(turn) };
      waits[nth - 1]!.resolve();
      return never();
    };
    await owner.post(dm, 'restart the site');
    await waits[0]!.promise;
    await urgent('stop');
    await waits[1]!.promise;
    // The words are placed, and the hub is gone before another turn begins.
    const { engine: commands } = kit.hub.kernel;
    const submit = commands.submit.bind(commands);
    commands.submit = (command) => (command.type === 'task.begin' ? Promise.reject(new ParleyError('task_over')) : submit(command));
    await urgent('really');
    expect(await tasks()).toMatchObject([{ state: 'queued' }]);
    await kit.restart();
    await settle();
    expect([restarts, seen.at(-1)]).toEqual([1, 'request: restart the site | follow_up: stop | follow_up: really']);
    expect(await tasks()).toMatchObject([{ state: 'completed' }]);
  });

  test('[C2A-9] [SYS-12] a call that cannot be repeated is not cut: the words come when it is done', async () => {
    let calls = 0;
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const results: unknown[] = [];
    turnOf = async (turn, nth) => {
      const restarted = await turn.step({ kind: 'tool', name: 'restart', readOnly: false }, async () => {
        reached.resolve();
        await go.promise;
        return ++calls;
      });
      results.push(restarted);
      if (nth > 1) return { kind: 'answer', text: asked(turn) };
      await turn.step({ kind: 'tool', name: 'restart', readOnly: false, input: 'the other' }, () => Promise.resolve(++calls));
      return { kind: 'answer', text: 'both' };
    };
    await owner.post(dm, 'restart the site');
    await reached.promise;
    await urgent('not the other');
    expect([signals[0]!.aborted, (await tasks())[0]!.state]).toEqual([false, 'active']);
    go.resolve();
    await settle();
    expect([calls, results]).toEqual([1, [1, 1]]);
    expect((await bodies()).at(-1)).toBe('request: restart the site | follow_up: not the other');
    expect(await tasks()).toMatchObject([{ state: 'completed' }]);
    expect(await notices()).toEqual([]);
  });

  test('[C2A-9] [SYS-12] a step that carries our key is done once more under the same key', async () => {
    const keys: string[] = [];
    const reached = Promise.withResolvers<void>();
    turnOf = async (turn) => {
      await turn.step({ kind: 'tool', name: 'pay', readOnly: false, keyed: true, input: 5 }, (key) => {
        keys.push(key);
        if (keys.length > 1) return Promise.resolve('paid');
        reached.resolve();
        return never();
      });
      return { kind: 'answer', text: 'paid' };
    };
    await owner.post(dm, 'pay');
    await reached.promise;
    await urgent('quickly');
    await settle();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(await bodies()).toEqual(['pay', 'quickly', 'paid']);
  });

  test('[C2A-9] another task of the same agent goes on undisturbed', async () => {
    const other = (await owner.call('createChannel', { body: { name: `other-${n}` } })).id;
    await owner.call('addToConversation', { params: { conversationId: other }, body: { memberId: await agentId('ORAC') } });
    const [busy, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const thinking = Promise.withResolvers<void>();
    turnOf = async (turn, nth) => {
      if (turn.task.conversation_id !== other) {
        if (nth > 2) return { kind: 'answer', text: asked(turn) };
        thinking.resolve();
        return never();
      }
      busy.resolve();
      await go.promise;
      return { kind: 'answer', text: 'counted' };
    };
    await owner.post(other, '^ORAC count the users');
    await busy.promise;
    await owner.post(dm, 'restart the site');
    await thinking.promise;
    await urgent('not that one');
    await kit.hub.kernel.tail.settled();
    expect(signals.slice(0, 2).map((signal) => signal.aborted)).toEqual([false, true]);
    go.resolve();
    await settle();
    expect(await bodies(other)).toEqual(['^ORAC count the users', 'counted']);
    expect(await tasks()).toMatchObject([{ state: 'completed' }]);
  });

  test('[C2A-9] stopped, its call is aborted at once, and nothing of it is said', async () => {
    const reached = thinks();
    await owner.post(dm, 'restart the site');
    await reached;
    const [task] = await tasks();
    await owner.call('stopTask', { params: { taskId: task!.id } });
    await settle();
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(await tasks()).toMatchObject([{ state: 'cancelled', cause: 'stopped' }]);
    expect(await bodies()).toEqual(['restart the site']);
  });
});
