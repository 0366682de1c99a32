// A runner that is no longer the one (SYS-12): whatever it still writes is refused, and whoever took its place goes on
// with the same turn and answers once. And one that waits for what has come already.

import { type Kernel, openDataDir, type Rows, startKernel } from '@parley/hub';
import { freshGround, type Ground, onEveryEngine, SimClock } from '@parley/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Brain } from '../../src/brains/brain.ts';
import { operator } from '../../src/engine/command.ts';
import { prompt } from '../kit/bare.ts';
import { addAnn } from '../kit/kernel-people.ts';

interface Running {
  kernel: Kernel;
  errors: unknown[];
}

async function kernelWith(ground: Ground, brain: Brain, clock?: SimClock): Promise<Running> {
  const errors: unknown[] = [];
  const kernel = await startKernel({
    dataDir: await openDataDir(ground.dataDir),
    databaseUrl: ground.databaseUrl,
    sync: false,
    brain,
    limits: prompt,
    onError: (error) => errors.push(error),
    ...(clock ? { clock } : {}),
  });
  return { kernel, errors };
}

/** A person asks in the channel everyone starts in; the message's id. */
async function askIn(kernel: Kernel, body: string): Promise<string> {
  const { message } = await kernel.engine.submit({ type: 'message.post', ...(await addAnn(kernel)), body, attachmentIds: [] });
  return message.id;
}

/** A kernel whose agents call one tool that is held until let go. */
async function kernelThat(name: string, ground: Ground, clock?: SimClock) {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const calls: string[] = [];
  const refused: string[] = [];
  const over = Promise.withResolvers<void>();
  const brain: Brain = {
    turn: async (turn) => {
      const result = await turn
        .step({ kind: 'tool', name: 'look', readOnly: true }, async (key) => {
          calls.push(key);
          reached.resolve();
          await go.promise;
          return name;
        })
        .catch((error: unknown) => {
          refused.push((error as { code?: string }).code ?? String(error));
          over.resolve();
          throw error;
        });
      return { kind: 'answer', text: `from ${result}` };
    },
  };
  const { kernel, errors } = await kernelWith(ground, brain, clock);
  return { kernel, reached: reached.promise, go: go.resolve, refusedOnce: over.promise, calls, refused, errors };
}

const taskOf = async ({ store }: Kernel, messageId: string): Promise<Rows['tasks']> =>
  (await store.rows('tasks', 'where message_id = ?', [messageId]))[0]!;

/** One answer, and what it is. */
async function answerIn({ store }: Kernel, task: Rows['tasks']): Promise<string | null> {
  const words = await store.rows('messages', 'where author_id = ?', [task.agent_id]);
  expect(words).toHaveLength(1);
  const [ended] = await store.rows('tasks', 'where id = ?', [task.id]);
  expect(ended).toMatchObject({ state: 'completed', answer_id: words[0]!.id });
  expect(await store.rows('facts', "where type = 'task.complete' and subject_id = ?", [task.id])).toHaveLength(1);
  return words[0]!.body;
}

onEveryEngine('a runner that was replaced', (kind) => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await freshGround(kind);
  });
  afterEach(() => ground.clear());

  describe('by a later lease', () => {
    test('[SYS-12] it is refused whatever it still writes; who has the lease goes on and answers once', async () => {
      const first = await kernelThat('first', ground);
      const { engine, store } = first.kernel;
      const messageId = await askIn(first.kernel, '^ORAC go');
      await first.reached;
      const task = await taskOf(first.kernel, messageId);
      const [turn] = await store.rows('turns', 'where task_id = ?', [task.id]);
      expect(task).toMatchObject({ state: 'active', lease: 1 });

      // Another takes it while the first one's tool has not come back yet.
      const { task: taken } = await engine.submit({ type: 'task.begin', by: operator, taskId: task.id, agentId: task.agent_id! });
      expect(taken.lease).toBeGreaterThan(task.lease);
      const stale = { by: operator, taskId: task.id, lease: task.lease, agentId: task.agent_id!, turnId: turn!.id };
      const more = { kind: 'tool', name: 'more', readOnly: true, stepKey: null, input: 'null' } as const;
      const late = [
        () => engine.submit({ type: 'turn.done', ...stale, n: 0, result: '"first"' }),
        () => engine.submit({ type: 'turn.intend', ...stale, n: 1, ...more }),
        () => engine.submit({ type: 'turn.unknown', ...stale, n: 0 }),
        () => engine.submit({ type: 'task.say', ...stale, kind: 'progress', body: 'late' }),
        () => engine.submit({ type: 'task.say', ...stale, kind: 'answer', body: 'late' }),
        () => engine.submit({ type: 'task.decline', ...stale, outcome: 'declined', reason: 'late' }),
        () => engine.submit({ type: 'task.yield', ...stale }),
        () => engine.submit({ type: 'task.pause', ...stale }),
        () => engine.submit({ type: 'task.fail', ...stale }),
      ];
      for (const write of late) await expect(write()).rejects.toMatchObject({ code: 'stale_lease' });

      first.go();
      await first.refusedOnce;
      await first.kernel.scheduler.settled();
      expect(await answerIn(first.kernel, task)).toBe('from first');
      // The turn that was begun again called under the same key; what the one before it brought back was not taken.
      expect([first.calls.length, new Set(first.calls).size, first.refused]).toEqual([2, 1, ['stale_lease']]);
      expect(first.errors).toEqual([]);
      await first.kernel.stop();
    });
  });

  // On SQLite there is one hub to a data folder.
  describe.runIf(kind === 'postgres')('by another kernel on the same database', () => {
    const leader =
      "from pg_locks where locktype = 'advisory' and objid = 7440001 and database = (select oid from pg_database where datname = current_database())";

    test('[SYS-12] the first loses the lead in the middle of a step: the other one takes the turn up and answers, the first is refused', async () => {
      const clock = new SimClock();
      const first = await kernelThat('first', ground, clock);
      const second = await kernelThat('second', ground, clock);
      const messageId = await askIn(second.kernel, '^ORAC go');
      await first.reached;
      const task = await taskOf(second.kernel, messageId);
      expect([task.lease, second.calls]).toEqual([1, []]);

      // The connection that makes it the leader dies, as when its machine is cut off; so does each by which it comes back first.
      const { store } = second.kernel;
      const [led] = await store.all<{ pid: number }>(`select pid ${leader}`);
      const [other] = await store.all<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_lock%' and pid not in (?, pg_backend_pid())",
        [led!.pid],
      );
      while (second.calls.length === 0) {
        await store.all(`select pg_terminate_backend(pid) ${leader} and pid <> ?`, [other!.pid]);
        clock.advance(5_000);
        // Each step is one try for the lead: a clock that runs ahead of the tries would end the task.
        await Promise.race([second.reached, second.kernel.scheduler.settled()]);
      }
      expect((await taskOf(second.kernel, messageId)).lease).toBeGreaterThan(task.lease);
      expect(second.calls).toEqual(first.calls);

      first.go();
      await first.refusedOnce;
      expect(first.refused).toEqual(['stale_lease']);
      expect(await store.rows('messages', 'where author_id = ?', [task.agent_id])).toEqual([]);
      second.go();
      await second.kernel.scheduler.settled();
      await first.kernel.scheduler.settled();
      expect(await answerIn(second.kernel, task)).toBe('from second');
      expect([first.calls.length, second.calls.length, second.refused]).toEqual([1, 1, []]);
      expect([...first.errors, ...second.errors]).toEqual([]);
      await first.kernel.stop();
      await second.kernel.stop();
    });
  });
});

onEveryEngine('a turn that waits for what has come already', (kind) => {
  test('[SYS-12] [PAP-10] it goes on in a new turn with the result, and answers', async () => {
    const ground = await freshGround(kind);
    const answered = Promise.withResolvers<void>();
    const turns: string[] = [];
    const brain: Brain = {
      turn: async (turn) => {
        if (turn.me.handle === 'STEF') return { kind: 'answer', text: 'here it is' };
        turns.push(turn.given.map((child) => child.words).join());
        // Were it begun again and again, this would be where it shows.
        if (turns.length > 5) return { kind: 'decline', outcome: 'blocked', reason: 'I am begun again and again' };
        if (turn.given.some((child) => child.words !== undefined)) return { kind: 'answer', text: `I was told: ${turn.given[0]!.words}` };
        await turn.say('^STEF please');
        await answered.promise;
        return { kind: 'pause' };
      },
    };
    const { kernel, errors } = await kernelWith(ground, brain);
    kernel.tail.listen((facts) => {
      if (facts.some((fact) => fact.type === 'task.complete')) answered.resolve();
    });
    try {
      await askIn(kernel, '^ORAC ask');
      await answered.promise;
      await kernel.scheduler.settled();
      const [root] = await kernel.store.rows('tasks', 'where depth = 0');
      expect([root!.state, root!.cause, turns, errors]).toEqual(['completed', 'answered', ['', 'here it is'], []]);
    } finally {
      await kernel.stop();
      await ground.clear();
    }
  });
});
