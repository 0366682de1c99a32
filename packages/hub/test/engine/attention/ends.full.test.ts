// Whoever asks an agent something hears how it ended: an answer, a closing signal, a plain "not yet, because", or a
// failure that is told. One table of what can become of a request, and one look at everything that was asked.

import type { Notice, Task } from '@parley/protocol';
import { ParleyError } from '@parley/protocol';
import { onBothEngines, type Person, until } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultBudgets, isOpen } from '@parley/core';
import type { Brain, TurnOutcome, BrainTurn } from '../../../src/brains/brain.ts';
import { workLimits } from '../../../src/engine/limits.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type Floor, floorOn } from '../../kit/floor.ts';

const minute = 60_000;
const limits = {
  ...workLimits,
  runMs: 2 * minute,
  waitMs: 5 * minute,
  outerMs: 10 * minute,
  claimMs: minute,
  budgets: { ...defaultBudgets, chain: { turns: 4, micros: 1 } },
};

onBothEngines('every request has an end that is told', (engine) => {
  let floor: Floor;
  let ann: Person;
  let bob: Person;
  let a: Person;
  let here: string;
  let wire: Wire | undefined;
  let think: (turn: BrainTurn) => Promise<TurnOutcome>;
  let n = 0;
  const brain: Brain = { turn: (turn) => think(turn) };
  const never = () => new Promise<never>(() => {});

  beforeAll(async () => {
    floor = await floorOn(engine, { limits, brain });
    ({ ann, bob } = floor);
  });
  afterAll(async () => {
    await wire?.close();
    await floor.kit.stop();
  });
  beforeEach(async () => {
    await wire?.close();
    wire = undefined;
    n++;
    a = await floor.agent(`A${n}`);
    here = await floor.channel(`ends-${n}`, bob, a);
  });

  const builtIn = () => ann.call('editAgent', { params: { memberId: a.id }, body: { brain: 'builtin' } });
  /** Asks a brain that thinks for ever, and waits until it has begun. */
  const askAndReach = async () => {
    const reached = Promise.withResolvers<void>();
    think = () => {
      reached.resolve();
      return never();
    };
    await ask();
    await reached.promise;
  };
  const ask = (text = 'do it') => bob.post(here, `^${a.handle} ${text}`);
  /** As `pass`, without waiting for a turn that never ends. */
  async function wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 30_000) {
      floor.clock.advance(Math.min(left, 30_000));
      await floor.kit.hub.kernel.timers.tick();
    }
    await floor.kit.hub.kernel.tail.settled();
  }
  const stateOf = async (): Promise<[string, string | null][]> => (await floor.tasks(here)).map(({ state, cause }) => [state, cause]);

  /** What whoever asked sees of it: undefined is what must not be. */
  async function toldOf(task: Task, who: Person, notices: readonly Notice[]): Promise<string | undefined> {
    const store = floor.kit.hub.kernel.store;
    const words = await store.rows('task_words', 'where task_id = ?', [task.id]);
    const notice = notices.find(({ taskId, kind }) => taskId === task.id && !['agent_offline', 'nobody_available'].includes(kind));
    switch (task.state) {
      case 'completed': {
        const signals = await store.rows('reactions', 'where message_id = ? and member_id = ?', [task.messageId, task.agentId]);
        return task.answerId !== null ? 'answer' : signals.length > 0 ? 'signal' : undefined;
      }
      case 'declined': {
        const signals = await store.rows('reactions', 'where message_id = ? and member_id = ?', [task.messageId, task.agentId]);
        return words.some(({ kind }) => kind === 'decline') ? 'not, because' : signals.length > 0 ? 'signal' : undefined;
      }
      case 'waiting':
        return words.some(({ kind }) => kind === 'question') ? 'question' : notice && `notice ${notice.kind}`;
      case 'failed':
      case 'timed_out':
      case 'cancelled': {
        // Who ended it themselves knows.
        const [request] = await store.rows('messages', 'where id = ?', [task.messageId]);
        const own = task.cause === 'stopped' || (request?.author_id === who.id && request.deleted_at !== null);
        return notice ? `notice ${notice.kind}` : own ? 'by themselves' : undefined;
      }
      default:
        return undefined;
    }
  }
  const told = async () => {
    const notices = await floor.notices(bob);
    return Promise.all((await floor.tasks(here)).map((task) => toldOf(task, bob, notices)));
  };

  describe('an agent inside the hub', () => {
    beforeEach(builtIn);

    test.each<[string, TurnOutcome | Error, [string, string | null], string]>([
      ['answers', { kind: 'answer', text: 'done' }, ['completed', 'answered'], 'answer'],
      ['asks back', { kind: 'question', text: 'which?' }, ['waiting', null], 'question'],
      ['cannot yet', { kind: 'decline', outcome: 'blocked', reason: 'no key' }, ['declined', 'blocked'], 'not, because'],
      ['will not', { kind: 'decline', outcome: 'declined', reason: 'not mine' }, ['declined', 'declined'], 'not, because'],
      ['waits for nothing', { kind: 'pause' }, ['failed', 'brain_failed'], 'notice task_failed'],
      ['says nothing', { kind: 'answer', text: '' }, ['failed', 'brain_failed'], 'notice task_failed'],
      ['throws', new Error('boom'), ['failed', 'brain_failed'], 'notice task_failed'],
      ['is refused what it reads', new ParleyError('not_found'), ['failed', 'brain_failed'], 'notice task_failed'],
      ['is refused a thing it may not do', new ParleyError('forbidden'), ['failed', 'brain_failed'], 'notice task_failed'],
      ['meets a limit', new ParleyError('rate_limited'), ['failed', 'brain_failed'], 'notice task_failed'],
    ])('[C2A-13] %s', async (_, outcome, state, by) => {
      let turns = 0;
      think = () => {
        // It is not begun again and again with the same end.
        if (++turns > 3) return never();
        return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
      };
      await ask();
      await floor.kit.hub.kernel.scheduler.settled();
      expect([turns, await stateOf(), await told()]).toEqual([1, [state], [by]]);
    });

    test('[C2A-13] thinks for ever: the time runs out, and the requester gets a notice', async () => {
      think = never;
      await ask();
      await wait(3 * minute);
      expect([await stateOf(), await told()]).toEqual([[['timed_out', 'run_time']], ['notice task_timed_out']]);
    });

    test('[C2A-13] spends more turns than it may: told', async () => {
      think = (turn) => Promise.resolve({ kind: 'question', text: `which? ${turn.words.length}` });
      await ask();
      for (let i = 0; i < 4; i++) {
        await floor.pass();
        await bob.post(here, `that one ${i}`);
      }
      await floor.pass();
      expect([await stateOf(), await told()]).toEqual([[['failed', 'budget']], ['notice task_failed']]);
    });

    test('[C2A-13] [SYS-12] the hub goes in the middle: another takes the task up, and it is answered', async () => {
      await askAndReach();
      think = () => Promise.resolve({ kind: 'answer', text: 'done' });
      await floor.kit.restart();
      await floor.kit.hub.kernel.scheduler.settled();
      expect([await stateOf(), await told()]).toEqual([[['completed', 'answered']], ['answer']]);
    });

    test('[C2A-13] everything is stopped in the middle: it stays open, and is answered once that is over', async () => {
      await askAndReach();
      await floor.kit.owner.call('halt', {});
      await floor.kit.hub.kernel.scheduler.settled();
      expect((await floor.tasks(here)).every(({ state }) => isOpen(state))).toBe(true);
      think = () => Promise.resolve({ kind: 'answer', text: 'done' });
      await floor.kit.owner.call('release', {});
      await floor.kit.hub.kernel.scheduler.settled();
      expect([await stateOf(), await told()]).toEqual([[['completed', 'answered']], ['answer']]);
    });

    test('[C2A-13] would wait for one that asks meanwhile: it is begun again, and the question goes up', async () => {
      const b = await floor.agent(`B${n}`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: b.id } });
      const [reached, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let turns = 0;
      think = async (turn) => {
        if (++turns > 1) return { kind: 'question', text: turn.given[0]!.words ?? '' };
        await turn.say(`^${b.handle} help`);
        reached.resolve();
        await asked.promise;
        return { kind: 'pause' };
      };
      await ask();
      await reached.promise;
      const ofB = async () => (await floor.tasks(here)).find(({ agentId }) => agentId === b.id)!;
      await until(async () => {
        const isActive = (await ofB()).state === 'active';
        if (!isActive) await wait(1);
        return isActive;
      });
      await floor.say(b, await ofB(), 'question', 'which one?');
      asked.resolve();
      await floor.kit.hub.kernel.scheduler.settled();
      expect([turns, (await floor.bodies(here)).at(-1)]).toEqual([2, [a.handle, 'which one?']]);
    });

    test('[C2A-13] is turned into one outside that never comes: told in the end', async () => {
      think = never;
      await ask();
      await ann.call('editAgent', { params: { memberId: a.id }, body: { brain: 'remote' } });
      await wait(11 * minute);
      expect((await floor.tasks(here)).map(({ state }) => state)).toEqual(['timed_out']);
      expect(await told()).toEqual(['notice task_timed_out']);
    });

    test('[C2A-13] urgent words that it has no turn left for: told', async () => {
      const dm = (await bob.call('openDm', { body: { memberIds: [a.id] } })).id;
      let begun = Promise.withResolvers<void>();
      think = () => {
        begun.resolve();
        return never();
      };
      await bob.post(dm, 'do it');
      for (let i = 0; i < 4; i++) {
        await begun.promise;
        begun = Promise.withResolvers<void>();
        await bob.call('postMessage', { params: { conversationId: dm }, body: { body: `now ${i}`, urgent: true } });
      }
      await floor.kit.hub.kernel.scheduler.settled();
      const { tasks } = await bob.call('listTasks', { query: { conversationId: dm, state: 'all' } });
      expect(tasks.map(({ state, cause }) => [state, cause])).toEqual([['failed', 'budget']]);
      expect(await toldOf(tasks[0]!, bob, await floor.notices(bob))).toBe('notice task_failed');
    });
  });

  describe('an agent outside', () => {
    async function given() {
      await ask();
      await floor.pass();
      return (await floor.tasks(here)).at(-1)!;
    }
    const leaseOf = async (task: Task) => (await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task.id]))[0]!.lease;
    const signal = async (task: Task, glyph: 'agree' | 'done' | 'declined' | 'blocked' | 'unclear' | 'seen' | 'working') =>
      a.call('sendSignal', { params: { messageId: task.messageId }, body: { signal: glyph, lease: await leaseOf(task) } });
    const decline = async (task: Task, outcome: 'declined' | 'blocked') =>
      a.call('declineTask', { params: { taskId: task.id }, body: { lease: await leaseOf(task), outcome, reason: 'no key' } });

    test.each<[string, (task: Task) => Promise<unknown>, [string, string | null], string]>([
      ['answers', (task) => floor.say(a, task, 'answer', 'done'), ['completed', 'answered'], 'answer'],
      ['asks back', (task) => floor.say(a, task, 'question', 'which?'), ['waiting', null], 'question'],
      ['will not', (task) => decline(task, 'declined'), ['declined', 'declined'], 'not, because'],
      ['cannot yet', (task) => decline(task, 'blocked'), ['declined', 'blocked'], 'not, because'],
      ['marks it as done', (task) => signal(task, 'done'), ['completed', 'signalled'], 'signal'],
      ['agrees', (task) => signal(task, 'agree'), ['completed', 'signalled'], 'signal'],
      ['marks it as not its own', (task) => signal(task, 'declined'), ['declined', 'declined'], 'signal'],
      ['is blocked', (task) => signal(task, 'blocked'), ['waiting', null], 'notice agent_signalled'],
      ['does not understand', (task) => signal(task, 'unclear'), ['waiting', null], 'notice agent_signalled'],
      [
        'has seen it, and no more',
        (task) => signal(task, 'seen').then(() => wait(3 * minute)),
        ['timed_out', 'run_time'],
        'notice task_timed_out',
      ],
      [
        'is on it for ever',
        (task) => signal(task, 'working').then(() => wait(3 * minute)),
        ['timed_out', 'run_time'],
        'notice task_timed_out',
      ],
      ['says nothing', () => wait(3 * minute), ['timed_out', 'run_time'], 'notice task_timed_out'],
      [
        'goes and does not come back',
        () => floor.disconnect(a).then(() => wait(6 * minute)),
        ['timed_out', 'offline'],
        'notice task_timed_out',
      ],
      [
        'is asked back nothing',
        (task) => floor.say(a, task, 'question', 'which?').then(() => wait(6 * minute)),
        ['timed_out', 'waited_too_long'],
        'notice task_timed_out',
      ],
      [
        'is stopped by its owner',
        (task) => ann.call('stopTask', { params: { taskId: task.id } }),
        ['cancelled', 'stopped'],
        'notice task_stopped',
      ],
      [
        'is stopped by whoever asked',
        (task) => bob.call('stopTask', { params: { taskId: task.id } }),
        ['cancelled', 'stopped'],
        'by themselves',
      ],
      [
        'is asked to leave',
        () => ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } }),
        ['cancelled', 'asked_to_leave'],
        'notice task_stopped',
      ],
      [
        'is taken out',
        () => ann.call('removeFromConversation', { params: { conversationId: here, memberId: a.id } }),
        ['cancelled', 'agent_left'],
        'notice task_stopped',
      ],
      [
        'is deactivated',
        () => ann.call('deactivateMember', { params: { memberId: a.id } }),
        ['cancelled', 'agent_left'],
        'notice task_stopped',
      ],
      [
        'has its request deleted by a moderator',
        (task) => ann.call('deleteMessage', { params: { messageId: task.messageId } }),
        ['cancelled', 'request_deleted'],
        'notice task_stopped',
      ],
      [
        'has its request deleted by whoever asked',
        (task) => bob.call('deleteMessage', { params: { messageId: task.messageId } }),
        ['cancelled', 'request_deleted'],
        'by themselves',
      ],
    ])('[C2A-13] %s', async (_, end, state, by) => {
      const task = await given();
      await end(task);
      expect([await stateOf(), await told()]).toEqual([[state], [by]]);
    });

    test('[C2A-13] is away from the start: told when it was asked, and again when it did not come', async () => {
      await floor.disconnect(a);
      const before = (await floor.notices(bob)).length;
      await ask();
      await wait(6 * minute);
      expect((await floor.notices(bob)).slice(before).map(({ kind }) => kind)).toEqual(['agent_offline', 'task_timed_out']);
      expect([await stateOf(), await told()]).toEqual([[['timed_out', 'offline']], ['notice task_timed_out']]);
    });

    test('[C2A-13] is cut off in the middle, and the hub too: it is given again, and answered', async () => {
      wire = await Wire.hello(a);
      await ask();
      const first = await wire.event('task');
      await wire.cut();
      await floor.kit.restart();
      wire = await Wire.hello(a);
      const { event } = await wire.event('task', ({ lease }) => lease !== first.event.lease);
      await wire.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: 'done' });
      expect([await stateOf(), await told()]).toEqual([[['completed', 'answered']], ['answer']]);
    });

    test('[C2A-13] [C2A-15] nobody takes what anyone may: told', async () => {
      await bob.post(here, '^ANY do it');
      const [task] = await floor.tasks(here);
      await a.call('startTask', { params: { taskId: task!.id } });
      await wait(2 * minute);
      expect((await floor.notices(bob)).at(-1)).toMatchObject({ kind: 'nobody_took_it', taskId: task!.id });
      expect((await floor.tasks(here)).map(({ cause }) => cause)).toEqual(['nobody_took_it']);
    });

    test('[C2A-13] delegates, and both go: the requester gets a notice, whether person or agent', async () => {
      const b = await floor.agent(`B${n}`);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: b.id } });
      const task = await given();
      await floor.say(a, task, 'progress', `^${b.handle} help`);
      await floor.disconnect(b);
      await floor.disconnect(a);
      await wait(11 * minute);
      const all = await floor.tasks(here);
      expect(all.map(({ state }) => state)).toEqual(['timed_out', 'timed_out']);
      expect(await toldOf(all[0]!, bob, await floor.notices(bob))).toBe('notice task_timed_out');
    });
  });

  test('[C2A-13] of all requests here, none ended without a word to its requester', async () => {
    await wait(11 * minute);
    const rows = await floor.kit.hub.kernel.store.rows('tasks', 'where parent_id is null and requester_id = ?', [bob.id]);
    const { tasks } = await bob.call('listTasks', { query: { state: 'all', limit: 200 } });
    const asked = tasks.filter(({ parentId }) => parentId === null);
    const notices = await floor.notices(bob);
    expect([asked.length, asked.length > 40]).toEqual([rows.length, true]);
    const silent = [];
    for (const task of asked) if ((await toldOf(task, bob, notices)) === undefined) silent.push(task);
    expect(silent.map(({ id, state, cause }) => [id, state, cause])).toEqual([]);
  });
});
