// A model that never ends, behind an `ask`: the requester hears of it in time and goes on, and what it cost is counted.

import { type ModelCall, onBothEngines, type Reply } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { type Alone, worldFor } from '../../kit/models.ts';

/** Three millionths for a token read, fifteen for one written. */
const price = { inputMicrosPerMillionTokens: 3_000_000, outputMicrosPerMillionTokens: 15_000_000 };
const second = 1000;

onBothEngines('a model that never ends, behind an ask', (engine) => {
  let talker: Alone;
  const world = worldFor(engine);
  beforeAll(async () => {
    world.tools.for = (turn) => world.kit.hub.kernel.toolsFor(turn);
    // So many that its time is over before they are.
    talker = await world.alone({ price, maxOutputTokens: 4096 });
  });

  const rows = () => world.kit.hub.kernel.store;
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 30 * second) {
      world.clock.advance(Math.min(left, 30 * second));
      await world.kit.hub.kernel.timers.tick();
    }
  };
  const tooLate = () => `Error: ${talker.handle} did not respond within 120 seconds. Consider using 'delegate' for async processing.`;
  const tooLong = () => `Error: ${talker.handle} failed to respond: The model did not come to an end (anthropic)`;
  /** It asks, and says what came of it. */
  const asker = ({ told, called }: ModelCall): Reply =>
    called === 0
      ? { calls: [{ name: 'contact_agent', input: { action: 'ask', agentId: talker.id, message: 'What is it?' } }] }
      : { text: `I was told: ${told.at(-1)!.text.split('\n')[1]}` };
  const chainOf = async (chainId: string) => world.owner.call('getChain', { params: { chainId } });
  const newestOf = async (agentId: string) => (await rows().rows('tasks', 'where agent_id = ? order by seq desc limit 1', [agentId]))[0]!;
  const stateOf = async (taskId: string) => {
    const [contact] = await rows().rows('contacts', 'where task_id = ?', [taskId]);
    return `${(await rows().rows('tasks', 'where id = ?', [taskId]))[0]!.state} ${contact!.state}`;
  };

  test('[IAC-3] [SYS-10] asked by a model: the wait ends at 120 seconds, the asker goes on, and all of it is charged', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    world.models.script(bot.handle, asker);
    world.models.script(talker.handle, [{ fault: 'trickle' }]);
    const before = world.models.asked.length;
    await world.owner.post(bot.dm, 'find out');
    await world.models.heard(before + 2);
    const given = await newestOf(talker.id);
    expect(await stateOf(given.id)).toBe('active pending');
    await pass(119 * second);
    expect(await stateOf(given.id)).toBe('active pending');
    await pass(2 * second);
    // ModelCall once more, with what the call returned.
    await world.models.heard(before + 3);
    await expect.poll(() => bot.last()).toBe(`I was told: ${tooLate()}`);
    expect([(await bot.task()).state, await stateOf(given.id)]).toEqual(['completed', 'active late']);
    const meanwhile = await chainOf(given.chain_id);
    expect([meanwhile.endedAt, meanwhile.micros > 0, meanwhile.reservedMicros > 0]).toEqual([null, true, true]);
    // Its own time for one call is over, too; nobody waits for it any more.
    await pass(60 * second);
    await world.settled();
    expect(await stateOf(given.id)).toBe('failed late');
    const [turn] = await rows().rows('turns', 'where task_id = ?', [given.id]);
    expect(turn).toMatchObject({ state: 'done' });
    expect(turn!.spent_micros).toBeGreaterThan(0);
    const all = await rows().rows('turns', 'where task_id in (select id from tasks where chain_id = ?)', [given.chain_id]);
    const { endedAt, micros, tokens } = await chainOf(given.chain_id);
    expect([endedAt === null, micros]).toEqual([false, all.reduce((sum, { spent_micros }) => sum + spent_micros, 0)]);
    expect(tokens.output).toBeGreaterThan(20);
    // The asker was told once, and not resumed by what became of it.
    expect(bot.asked()).toHaveLength(2);
  });

  test('[IAC-3] [SYS-10] a model floods: it is cut off, the caller gets the reason, and its words are charged', async () => {
    const bot = await world.alone({ price, maxOutputTokens: 100 });
    world.models.script(bot.handle, asker);
    world.models.script(talker.handle, [{ fault: 'endless' }]);
    await bot.ask('find out');
    expect(await bot.last()).toBe(`I was told: ${tooLong()}`);
    const given = await newestOf(talker.id);
    const [turn] = await rows().rows('turns', 'where task_id = ?', [given.id]);
    expect([given.state, turn!.spent_micros > 0]).toEqual(['failed', true]);
    expect((await chainOf(given.chain_id)).micros).toBeGreaterThanOrEqual(turn!.spent_micros);
  });

  test('[IAC-3] asked over a socket: the same words, and the line is free meanwhile', async () => {
    const agent = await world.kit.agent('CALLER');
    const line = await Wire.hello(agent);
    const { id: dm } = await world.owner.call('openDm', { body: { memberIds: [agent.id] } });
    await world.owner.post(dm, 'find out');
    const { event } = await line.event('task');
    const held = { taskId: event.task.id, lease: event.lease! };
    world.models.script(talker.handle, [{ fault: 'trickle' }]);
    const before = world.models.asked.length;
    const outcome = line.call('contact', { ...held, action: 'ask', agentId: talker.id, message: 'What is it?' });
    await world.models.heard(before + 1);
    await line.call('say', { ...held, kind: 'progress', body: 'I have asked.' });
    await pass(121 * second);
    const given = await newestOf(talker.id);
    expect(await outcome).toEqual({ text: tooLate(), status: 'timed_out', taskId: given.id });
    const said = await line.call('say', { ...held, kind: 'answer', body: 'Nobody knows.' });
    expect(said.task?.kind).toBe('answer');
    await pass(60 * second);
    await world.settled();
    expect([await stateOf(given.id), (await chainOf(given.chain_id)).endedAt === null]).toEqual(['failed late', false]);
    await line.close();
  });
});
