// More is said while an agent works: its answer is the last word only when it could know of everything said before it.

import { onBothEngines, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import type { Brain, BrainTurn } from '../../src/brains/brain.ts';
import { Wire } from '../kit/agent-wire.ts';
import { bodiesOf, bothAnswered, oracDm, tasksOf } from '../kit/brain-turns.ts';

onBothEngines('more is said meanwhile', (engine) => {
  let kit: TestHub | undefined;
  let wire: Wire | undefined;
  afterEach(async () => {
    await wire?.close();
    await kit?.stop();
    kit = wire = undefined;
  });

  const asked = (turn: BrainTurn) => turn.words.map(({ kind, text }) => `${kind}: ${text}`).join(' | ');

  async function withBrain(brain: Brain) {
    kit = await startTestHub(engine, { brain });
    const { owner } = kit;
    const dm = await oracDm(owner);
    return { owner, dm, settle: () => kit!.hub.kernel.scheduler.settled() };
  }

  test('[PAP-9] [SYS-12] a turn that is taken up again does not know of it, and answers that too in another', async () => {
    let lost = true;
    const reached = Promise.withResolvers<void>();
    const { owner, dm, settle } = await withBrain({
      turn: async (turn) => {
        const words = asked(turn);
        if (!words.includes('and this')) await turn.say('working');
        if (lost) {
          reached.resolve();
          await new Promise(() => {});
        }
        return { kind: 'answer', text: words };
      },
    });
    await owner.post(dm, 'do that');
    await reached.promise;
    await owner.post(dm, 'and this');
    lost = false;
    await kit!.restart();
    await settle();
    expect(await bodiesOf(owner, dm)).toEqual(bothAnswered);
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  test('[PAP-9] a message stored before the answer counts, whether the agent has got it or not', async () => {
    let more: (() => Promise<unknown>) | undefined;
    const { owner, dm, settle } = await withBrain({
      turn: async (turn) => {
        await turn.say('working');
        await more?.();
        more = undefined;
        return { kind: 'answer', text: asked(turn) };
      },
    });
    // The scheduler is told of it only after the turn has ended.
    const ended = Promise.withResolvers<void>();
    const { engine: commands, tail } = kit!.hub.kernel;
    const submit = commands.submit.bind(commands);
    tail.listen((facts) => (facts.some(({ type }) => type === 'task.continued') ? ended.promise : undefined));
    const heard = [...(tail as unknown as { listeners: Set<unknown> }).listeners];
    const listeners = (tail as unknown as { listeners: Set<unknown> }).listeners;
    listeners.clear();
    for (const one of [heard.at(-1), ...heard.slice(0, -1)]) listeners.add(one);
    commands.submit = async (command) => {
      const result = await submit(command);
      if (command.type === 'task.say' && command.kind === 'answer') ended.resolve();
      return result;
    };
    more = () => owner.post(dm, 'and this');
    await owner.post(dm, 'do that');
    await ended.promise;
    await settle();
    expect((await bodiesOf(owner, dm)).at(-1)).toContain('follow_up: and this');
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  async function remote() {
    kit = await startTestHub(engine, { agents: [] });
    const { owner } = kit;
    const bot = await kit.agent('BOT');
    const { id: dm } = await owner.call('openDm', { body: { memberIds: [bot.id] } });
    wire = await Wire.hello(bot);
    await owner.post(dm, 'do that');
    const { event, cursor } = await wire.event('task');
    return { owner, bot, dm, wire, cursor, at: { taskId: event.task.id, lease: event.lease! } };
  }

  test('[PAP-9] [PAP-14] a remote agent’s answer over what it has not acknowledged is kept as progress, and the task comes again', async () => {
    const { owner, dm, wire: line, cursor, at } = await remote();
    await line.call('ack', { cursor });
    await owner.post(dm, 'and this');
    await line.event('follow_up');
    const words = { ...at, kind: 'answer' as const, body: 'that', key: 'k' };
    const first = await line.call('say', words);
    expect(first.task).toMatchObject({ kind: 'progress' });
    const { event } = await line.event('task', ({ lease }) => lease === 2);
    expect(event.words.map(({ kind, content }) => [kind, content])).toEqual([
      ['request', 'do that'],
      ['follow_up', 'and this'],
      ['progress', 'that'],
    ]);
    // Repeated, it is the same message and ends nothing.
    expect(await line.call('say', { ...words, lease: 2 })).toMatchObject({ id: first.id, task: { kind: 'progress' } });
    expect(await tasksOf(owner)).toMatchObject([{ state: 'active' }]);
    expect(await line.call('say', { ...at, lease: 2, kind: 'answer', body: 'that and this' })).toMatchObject({ task: { kind: 'answer' } });
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed', cause: 'answered' }]);
    expect(await bodiesOf(owner, dm)).toEqual(['do that', 'and this', 'that', 'that and this']);
  });

  test('[PAP-9] a message that the agent has acknowledged, or that was taken back, does not keep the task open', async () => {
    const { owner, dm, wire: line, at } = await remote();
    await owner.post(dm, 'and this');
    const { cursor } = await line.event('follow_up');
    await line.call('ack', { cursor });
    const slip = await owner.post(dm, 'oh, and');
    await owner.call('deleteMessage', { params: { messageId: slip.id } });
    expect(await line.call('say', { ...at, kind: 'answer', body: 'both' })).toMatchObject({ task: { kind: 'answer' } });
    expect(await tasksOf(owner)).toMatchObject([{ state: 'completed' }]);
  });

  test('[PAP-10] an address in an answer that does not end the task gives nothing on', async () => {
    const { owner, bot, wire: line, at } = await remote();
    const stef = await kit!.agent('STEF');
    const { id } = await owner.call('createChannel', { body: { name: 'shared' } });
    for (const { id: memberId } of [bot, stef])
      await owner.call('addToConversation', { params: { conversationId: id }, body: { memberId } });
    const request = await owner.post(id, '^BOT go');
    const { event } = await line.event('task', ({ conversation }) => conversation.id === id);
    const thread = await owner.call('openThread', { params: { messageId: request.id } });
    await owner.post(thread.id, 'quickly');
    await line.event('follow_up');
    const said = await line.call('say', { taskId: event.task.id, lease: event.lease!, kind: 'answer', body: '^STEF did it' });
    expect(said.task).toMatchObject({ kind: 'progress' });
    expect((await line.event('flagged')).event.cause).toBeTruthy();
    expect((await tasksOf(owner)).map(({ agentId }) => agentId)).toEqual([bot.id, bot.id]);
    expect(at.taskId).not.toBe(event.task.id);
  });

  test('[PAP-9] a word deleted before the turn began is not among what a brain is given', async () => {
    const seen: string[] = [];
    const { owner, dm, settle } = await withBrain({
      turn: async (turn) => {
        seen.push(asked(turn));
        return Promise.resolve({ kind: 'answer', text: 'done' });
      },
    });
    await owner.call('halt', {});
    await owner.post(dm, 'do that');
    const slip = await owner.post(dm, 'my password is');
    await owner.call('deleteMessage', { params: { messageId: slip.id } });
    await owner.call('release', {});
    await settle();
    expect(seen).toEqual(['request: do that']);
  });
});
