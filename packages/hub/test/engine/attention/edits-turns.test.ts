// What is edited, deleted or added while a turn inside the hub is under way.

import { ParleyError } from '@parley/protocol';
import { onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import type { Brain, BrainTurn } from '../../../src/brains/brain.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { bodiesOf, oracDm, tasksOf } from '../../kit/brain-turns.ts';

onBothEngines('edits and turns', (engine) => {
  let kit: TestHub | undefined;
  let wire: Wire | undefined;
  afterEach(async () => {
    await wire?.close();
    await kit?.stop();
    kit = wire = undefined;
  });

  const asked = (turn: BrainTurn) => turn.words.map(({ kind, text, edited }) => `${edited ? 'edited ' : ''}${kind}: ${text}`).join(' | ');
  const edit = (by: Person, messageId: string, body: string) => by.call('editMessage', { params: { messageId }, body: { body } });
  const remove = (by: Person, messageId: string) => by.call('deleteMessage', { params: { messageId } });

  async function withBrain(brain: Brain) {
    const clock = new SimClock();
    kit = await startTestHub(engine, { brain, clock });
    const { owner } = kit;
    const dm = await oracDm(owner);
    const pass = async () => {
      clock.advance(5000);
      await kit!.hub.kernel.timers.tick();
    };
    const settle = async () => {
      await pass();
      await kit!.hub.kernel.scheduler.settled();
    };
    return { owner, dm, settle, pass };
  }

  /** Its first turn does something and then thinks until it is taken away; every other answers. */
  function thinker(first: (turn: BrainTurn) => Promise<unknown> = () => Promise.resolve()) {
    const reached = Promise.withResolvers<void>();
    const seen: string[] = [];
    const go = Promise.withResolvers<void>();
    let aborted = 0;
    const brain: Brain = {
      turn: async (turn) => {
        seen.push(asked(turn));
        if (seen.length === 1) {
          await first(turn);
          turn.signal.addEventListener('abort', () => aborted++);
          reached.resolve();
          await go.promise;
        }
        return { kind: 'answer', text: asked(turn) };
      },
    };
    return { brain, seen, reached: reached.promise, go: () => go.resolve(), aborted: () => aborted };
  }
  const step = (kind: 'model' | 'tool', readOnly: boolean) => (turn: BrainTurn) =>
    turn.step({ kind, name: 'look', readOnly }, () => Promise.resolve(1));

  test.each([
    ['nothing', () => Promise.resolve()],
    ['read something', step('tool', true)],
    ['thought', step('model', false)],
  ] as const)('[C2A-25] [C2A-28] a turn that has %s is begun anew with the new text', async (_, first) => {
    const { brain, seen, reached, aborted } = thinker(first);
    const { owner, dm, settle, pass } = await withBrain(brain);
    const request = await owner.post(dm, 'do that');
    await pass();
    await reached;
    await edit(owner, request.id, 'do this');
    await settle();
    expect([seen, aborted()]).toEqual([['request: do that', 'edited request: do this'], 1]);
    expect(await bodiesOf(owner, dm)).toEqual(['do this', 'edited request: do this']);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  test.each([
    ['said something', (turn: BrainTurn) => turn.say('on it')],
    ['changed something outside', step('tool', false)],
  ] as const)('[C2A-28] a turn that has %s goes on, and another answers the edit', async (_, first) => {
    const { brain, seen, reached, go } = thinker(first);
    const { owner, dm, settle, pass } = await withBrain(brain);
    const request = await owner.post(dm, 'do that');
    await pass();
    await reached;
    await edit(owner, request.id, 'do this');
    go();
    await settle();
    expect(seen).toHaveLength(2);
    expect(seen[1]).toContain('edited request: do this');
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
    // What the first had to say is there, and the last word is about the new text.
    expect((await bodiesOf(owner, dm)).slice(-2)).toEqual(['request: do that', seen[1]]);
  });

  test.each([
    ['read something begins it anew', step('tool', true), false],
    ['changed something outside is a follow-up', step('tool', false), true],
  ] as const)('[C2A-28] a fragment for a turn that has %s', async (_, first, acts) => {
    const { brain, seen, reached, go } = thinker(first);
    const { owner, dm, settle, pass } = await withBrain(brain);
    await owner.post(dm, 'do that');
    await pass();
    await reached;
    await owner.post(dm, 'and this');
    if (acts) {
      await kit!.hub.kernel.tail.settled();
      go();
    }
    await settle();
    expect(seen).toHaveLength(2);
    expect((await bodiesOf(owner, dm)).includes('request: do that')).toBe(acts);
    expect(seen[1]).toContain('request: do that | follow_up: and this');
  });

  test('[C2A-25] [SYS-4] a hub that stops after the edit and before the new turn begins it when it is back', async () => {
    const { brain, seen, reached } = thinker();
    const { owner, dm, settle, pass } = await withBrain(brain);
    const request = await owner.post(dm, 'do that');
    await pass();
    await reached;
    const { engine: commands } = kit!.hub.kernel;
    const submit = commands.submit.bind(commands);
    commands.submit = (command) => (command.type === 'task.begin' ? Promise.reject(new ParleyError('task_over')) : submit(command));
    await edit(owner, request.id, 'do this');
    expect(await tasksOf(owner)).toMatchObject([{ state: 'queued' }]);
    await kit!.restart();
    await settle();
    expect(seen).toEqual(['request: do that', 'edited request: do this']);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  test('[C2A-28] [SYS-12] a turn that had acted when its hub was lost is taken up again, and another answers the edit', async () => {
    const { brain, seen, reached, go } = thinker((turn) => turn.say('on it'));
    const { owner, dm, settle, pass } = await withBrain(brain);
    const request = await owner.post(dm, 'do that');
    await pass();
    await reached;
    await edit(owner, request.id, 'do this');
    await kit!.restart();
    go();
    await settle();
    expect(seen.at(-1)).toContain('edited request: do this');
    expect((await bodiesOf(owner, dm)).filter((body) => body === 'on it')).toHaveLength(1);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  test('[C2A-27] deleted before the answer, the running turn is taken away and everybody sees why', async () => {
    const { brain, seen, reached, aborted } = thinker();
    const { owner, dm, settle, pass } = await withBrain(brain);
    const request = await owner.post(dm, 'do that');
    await pass();
    await reached;
    await remove(owner, request.id);
    await settle();
    expect([seen.length, aborted()]).toEqual([1, 1]);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'cancelled', cause: 'request_deleted' }]);
    expect(await bodiesOf(owner, dm)).toEqual([null]);
  });

  test('[C2A-27] deleted after the answer, nothing is cancelled', async () => {
    const { owner, dm, settle } = await withBrain({ turn: () => Promise.resolve({ kind: 'answer', text: 'done' }) });
    const request = await owner.post(dm, 'do that');
    await settle();
    await remove(owner, request.id);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed', cause: 'answered' }]);
    expect(await bodiesOf(owner, dm)).toEqual([null, 'done']);
  });

  test('[C2A-27] a remote agent learns that its task ended and why, its sub-tasks end, and its answer is refused', async () => {
    const { owner, settle, pass } = await withBrain({ turn: () => new Promise(() => {}) });
    const [bot, mary] = [await kit!.agent('BOT'), await kit!.person('mary', 'member')];
    const here = (await owner.call('createChannel', { body: { name: 'here' } })).id;
    const orac = (await owner.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!;
    for (const memberId of [bot.id, mary.id, orac.id])
      await owner.call('addToConversation', { params: { conversationId: here }, body: { memberId } });
    wire = await Wire.hello(bot);
    const request = await mary.post(here, '^BOT go');
    await pass();
    const { event } = await wire.event('task');
    const at = { taskId: event.task.id, lease: event.lease! };
    await wire.call('say', { ...at, kind: 'progress', body: '^ORAC help' });
    // A moderator deletes it: whoever asked is told.
    await remove(owner, request.id);
    expect((await wire.event('ended')).event).toMatchObject({ cause: 'request_deleted', content: null, mode: 'immediate' });
    const { error } = await wire.ask('say', { ...at, kind: 'answer', body: 'gone' });
    expect(error?.data).toMatchObject({ code: 'task_over', reason: 'request_deleted' });
    await settle();
    expect(new Set((await tasksOf(owner)).map(({ cause }) => cause))).toEqual(new Set(['parent_ended', 'request_deleted']));
    expect((await mary.call('listNotices', { query: {} })).notices).toMatchObject([{ kind: 'task_stopped', reason: 'request_deleted' }]);
    expect(await bodiesOf(mary, here)).toEqual([null, '^ORAC help']);
  });
});
