// Tools that hang, flood, lie, fail and die in a model's hands: each call comes to words that the model reads, the turn goes on,
// and whoever asked has an answer.

import { type ModelCall, type McpHttp, onBothEngines, startMcpHttp } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Alone, type ModelWorld, startWorld } from '../kit/models.ts';

onBothEngines('tools that misbehave, in a model’s hands', (engine) => {
  let world: ModelWorld;
  let http: McpHttp;
  let bot: Alone;
  beforeAll(async () => {
    [world, http] = [await startWorld(engine), await startMcpHttp()];
    world.tools.for = (turn) => world.kit.hub.kernel.toolsFor(turn);
    await world.owner.call('setToolServer', {
      params: { name: 'files' },
      body: { url: http.url, timeoutMs: 1500, maxOutput: 1000, tools: { liar: 'write' } },
    });
    bot = await world.alone();
    const params = { memberId: bot.id };
    const { version, identity } = await world.owner.call('getIdentity', { params });
    await world.owner.call('putIdentity', { params, body: { ...identity, tools: ['mcp://files'], version } });
  });
  afterAll(async () => {
    await world.stop();
    await http.stop();
  });

  const results = ({ told }: ModelCall): string[] =>
    told.filter(({ kind }) => kind === 'tool').map(({ text }) => text.split('\n').slice(1, -1).join('\n'));
  const serverNow = async () => (await world.owner.call('listToolServers', {})).servers.find(({ name }) => name === 'files')!;

  test('[SYS-12] [SYS-13] each comes to an end of its own, and the model goes on with what it reads of it', async () => {
    const calls = [
      { name: 'files__echo', input: { text: 'first' } },
      { name: 'files__hang', input: {} },
      { name: 'files__flood', input: {} },
      { name: 'files__wrong_output', input: {} },
      { name: 'files__fail', input: {} },
      { name: 'files__echo', input: { text: 7 } },
      { name: 'files__unusable', input: { a: 1 } },
    ];
    world.models.script(bot.handle, (asked) => {
      if (asked.called < calls.length) return { calls: calls.slice(asked.called) };
      // It only said that it reads: whoever configured it knows better, and the turn has read what is from outside.
      if (asked.called === calls.length) return { calls: [{ name: 'files__liar', input: { text: 'lied' } }] };
      return { text: 'I have what I could get.' };
    });
    await bot.ask('try them all');
    const last = bot.asked().at(-1)!;
    const came = results(last);
    expect(came[0]).toBe('first');
    expect(came[1]).toMatch(/^Error: .*hang of files did not answer within 1\.5 seconds\. Whether it did anything is not known\./);
    expect(came[2]).toMatch(/^x{1000}\n\[Cut off: 1000 of 1000000 characters\.\]$/);
    expect(came[3]).toMatch(/^Error: .*something else than its schema says/);
    expect(came[4]).toBe('it did not work');
    expect(came[5]).toMatch(/^Error: .*does not take these arguments/);
    expect(came[6]).toBe('Error: There is no such tool.');
    expect(came[7]).toBe('This action requires approval. Waiting for approval...');
    expect([http.tools.written, (await bot.task()).state, await bot.last()]).toEqual([[], 'awaiting_approval', 'I have what I could get.']);
    await world.owner.call('stopTask', { params: { taskId: (await bot.task()).id } });
  });

  test('[SYS-12] one that dies in the middle of a call is reported and reached again; the turn ends as any other', async () => {
    world.models.script(bot.handle, (asked) =>
      asked.called === 0 ? { calls: [{ name: 'files__die', input: {} }] } : { text: `I was told: ${results(asked).at(-1)}` },
    );
    await bot.ask('use it');
    expect([(await bot.task()).state, await bot.last()]).toEqual(['completed', expect.stringContaining('lost in the middle of the call')]);
    expect(await serverNow()).toMatchObject({ state: 'down', problem: expect.stringMatching(/./) });
    world.clock.advance(1000);
    await expect.poll(async () => (await serverNow()).state).toBe('up');
    world.models.script(bot.handle, (asked) =>
      asked.called === 0
        ? { calls: [{ name: 'files__echo', input: { text: 'again' } }] }
        : { text: `I was told: ${results(asked).at(-1)}` },
    );
    await bot.ask('once more');
    expect(await bot.last()).toBe('I was told: again');
  });
});
