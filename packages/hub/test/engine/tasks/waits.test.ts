// One task has waited as long as any may, though its chain has not: where the wait is shorter than the chain's outer
// limit it has a timer of its own.

import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { type Floor, floorOn } from '../../kit/floor.ts';

const minute = 60_000;
const hour = 60 * minute;

onBothEngines('waits', (engine) => {
  let floor: Floor;
  let ann: Person;
  let a: Person;
  let b: Person;
  let n = 0;
  beforeAll(async () => {
    // The chain's own time is long: what ends here ends by its wait alone.
    floor = await floorOn(engine, { limits: { ...workLimits, waitMs: hour, runMs: 5 * hour } });
    ({ ann } = floor);
    a = await floor.agent('A');
    b = await floor.agent('B');
  });
  afterAll(() => floor.kit.stop());
  const room = (...members: Person[]) => floor.channel(`waits-${n++}`, floor.bob, ...members);
  const ends = async (here: string) => (await floor.tasks(here)).map(({ state, cause }) => [state, cause]);
  /** What ann was told of the end of what she asked for here. */
  const told = async (here: string) =>
    (await floor.notices(ann))
      .filter(({ conversationId, kind }) => conversationId === here && kind === 'task_timed_out')
      .map(({ reason }) => reason);
  const waiting = async (here: string) => {
    const list = (await floor.tasks(here)).map(({ id }) => id);
    const timers = await floor.kit.hub.kernel.store.rows('timers', "where kind = 'task.wait'");
    return timers.filter(({ subject }) => list.includes(subject)).length;
  };
  const pause = async (agent: Person, taskId: string) => {
    const { store, auth, engine: commands } = floor.kit.hub.kernel;
    const [row] = await store.rows('tasks', 'where id = ?', [taskId]);
    await commands.submit({ type: 'task.pause', by: (await auth.principal(agent.token))!.by, taskId, lease: row!.lease });
  };

  describe('for an agent that is not there', () => {
    test('[PAP-17] a queued task is timed out as offline after the wait, over a restart, and the requester gets one notice', async () => {
      const here = await room(await floor.agent(`GONE${engine}`, { online: false }));
      await ann.post(here, `^GONE${engine} hello?`);
      await floor.pass(30 * minute);
      await floor.kit.restart();
      for (const agent of [a, b]) await floor.connect(agent);
      await floor.pass(29 * minute);
      expect([await ends(here), await waiting(here)]).toEqual([[['queued', null]], 1]);
      await floor.pass(2 * minute);
      expect([await ends(here), await waiting(here), await told(here)]).toEqual([[['timed_out', 'offline']], 0, ['offline']]);
    });

    test('[PAP-4] [PAP-17] so is what anyone may take and nobody came for', async () => {
      const here = await room();
      await ann.post(here, '^ANY anyone?');
      await floor.pass(59 * minute);
      expect(await ends(here)).toEqual([['queued', null]]);
      await floor.pass(2 * minute);
      expect([await ends(here), await told(here)]).toEqual([[['timed_out', 'offline']], ['offline']]);
    });

    test('[PAP-17] one that comes in time has it; when it goes again the wait begins again', async () => {
      const late = await floor.agent(`LATE${engine}`, { online: false });
      const here = await room(late);
      await ann.post(here, `^LATE${engine} hello?`);
      await floor.pass(50 * minute);
      await floor.connect(late);
      expect([await ends(here), await waiting(here)]).toEqual([[['active', null]], 0]);
      await floor.pass(50 * minute);
      expect(await ends(here)).toEqual([['active', null]]);
      await floor.disconnect(late);
      await floor.pass(59 * minute);
      expect([await ends(here), await waiting(here)]).toEqual([[['queued', null]], 1]);
      await floor.pass(2 * minute);
      expect([await ends(here), await told(here)]).toEqual([[['timed_out', 'offline']], ['offline']]);
    });
  });

  describe('for a person', () => {
    test('[PAP-7] [PAP-17] a question nobody answers ends its task after the wait, and the requester gets one notice', async () => {
      const here = await room(a);
      await ann.post(here, '^A prepare it');
      await floor.pass();
      await floor.say(a, (await floor.tasks(here))[0]!, 'question', 'which one?');
      await floor.pass(59 * minute);
      expect([await ends(here), await waiting(here)]).toEqual([[['waiting', null]], 1]);
      await floor.pass(2 * minute);
      expect([await ends(here), await told(here)]).toEqual([[['timed_out', 'waited_too_long']], ['waited_too_long']]);
      expect((await floor.say(a, (await floor.tasks(here))[0]!, 'answer', 'then this one')).body.error?.code).toBe('task_over');
    });

    test('[PAP-7] an answer ends the wait; the next question has a wait of its own', async () => {
      const here = await room(a);
      await ann.post(here, '^A prepare it');
      await floor.pass();
      for (const question of ['which one?', 'and by when?']) {
        await floor.say(a, (await floor.tasks(here))[0]!, 'question', question);
        await floor.pass(50 * minute);
        expect(await ends(here)).toEqual([['waiting', null]]);
        await ann.post(here, 'the second');
        await floor.pass();
        expect([await ends(here), await waiting(here)]).toEqual([[['active', null]], 0]);
      }
      await floor.pass(50 * minute);
      expect((await floor.say(a, (await floor.tasks(here))[0]!, 'answer', 'done')).status).toBe(200);
      expect(await told(here)).toEqual([]);
    });
  });

  describe('of a sub-task', () => {
    /** What the task above was told of what it gave on. */
    const results = async (taskId: string) =>
      (
        await floor.kit.hub.kernel.store.rows('facts', "where subject_id = ? and type in ('task.result', 'task.resume') order by seq", [
          taskId,
        ])
      ).map(({ type, data }) => [type, (JSON.parse(data) as { state: string }).state]);
    async function given(): Promise<string> {
      const here = await room(a, b);
      await ann.post(here, '^A do it');
      await floor.pass();
      await floor.say(a, (await floor.tasks(here))[0]!, 'progress', '^B please help');
      await floor.pass();
      expect(await ends(here)).toEqual([
        ['active', null],
        ['active', null],
      ]);
      return here;
    }

    test('[PAP-10] [PAP-17] an agent goes and does not come back: its sub-task ends alone, and the parent goes on with that', async () => {
      const here = await given();
      const [root] = await floor.tasks(here);
      await pause(a, root!.id);
      await floor.disconnect(b);
      await floor.pass(59 * minute);
      expect(await ends(here)).toEqual([
        ['awaiting_delegation', null],
        ['queued', null],
      ]);
      await floor.pass(2 * minute);
      expect(await ends(here)).toEqual([
        ['active', null],
        ['timed_out', 'offline'],
      ]);
      expect([await results(root!.id), await told(here)]).toEqual([[['task.resume', 'timed_out']], []]);
      expect((await floor.say(a, root!, 'answer', 'without B')).status).toBe(200);
      await floor.connect(b);
    });

    test('[PAP-7] [PAP-17] a sub-task’s question gets no answer from the parent: the sub-task ends alone, and the parent learns it', async () => {
      const here = await given();
      const [root, sub] = await floor.tasks(here);
      await floor.say(b, sub!, 'question', 'which one?');
      await floor.pass(59 * minute);
      expect(await ends(here)).toEqual([
        ['active', null],
        ['waiting', null],
      ]);
      await floor.pass(2 * minute);
      expect(await ends(here)).toEqual([
        ['active', null],
        ['timed_out', 'waited_too_long'],
      ]);
      expect(await results(root!.id)).toEqual([
        ['task.result', 'waiting'],
        ['task.result', 'timed_out'],
      ]);
      expect(await told(here)).toEqual([]);
      expect((await floor.say(a, root!, 'answer', 'without B')).status).toBe(200);
    });
  });
});
