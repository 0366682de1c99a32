// What a brain has said is not lost, and what an agent is told of itself and of the others.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { tool, worldFor } from '../../kit/models.ts';

onBothEngines('answers of brains', (engine) => {
  const world = worldFor(engine);

  test('[C2A-13] words beside a call are the answer where none come after them', async () => {
    const bot = await world.alone();
    world.tools.for = () => Promise.resolve([tool('file', () => 'filed')]);
    world.models.script(bot.handle, ({ called }) =>
      called === 0 ? { text: 'The invoice is 400 francs.', calls: [{ name: 'file', input: {} }] } : { text: '' },
    );
    await bot.ask('how much?');
    expect([await bot.last(), await bot.task()]).toMatchObject(['The invoice is 400 francs.', { state: 'completed' }]);
  });

  test('[C2A-13] words beside a question or a refusal are said with it', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, [{ text: 'I found two.', calls: [{ name: 'ask_requester', input: { question: 'Which one?' } }] }]);
    await bot.ask('find it');
    expect(await bot.last()).toBe('I found two.\n\nWhich one?');
    const other = await world.alone();
    world.models.script(other.handle, [{ text: 'I tried.', calls: [{ name: 'decline', input: { reason: 'It is locked.' } }] }]);
    await other.ask('open it');
    expect(await other.last()).toBe('I tried.\n\nIt is locked.');
  });

  test('[IAC-11] [IAC-17] an agent is told what it is for and who is in the DM; it finds everyone it may contact, by handle in any case', async () => {
    world.tools.for = (turn) => world.kit.hub.kernel.toolsFor(turn);
    const far = await world.agent('FARAWAY');
    await world.owner.call('editMember', { params: { memberId: far }, body: { about: 'knows the harbour' } });
    world.models.script('FARAWAY', [{ text: 'Low at noon.' }]);
    const bot = await world.alone();
    world.models.script(bot.handle, ({ called, told }) =>
      called === 0
        ? { calls: [{ name: 'query_workspace', input: { action: 'list_agents', channelId: null, member: null } }] }
        : called === 1
          ? {
              calls: [
                {
                  name: 'contact_agent',
                  input: { action: 'ask', agentId: '^faraway', message: 'The tide?', context: null, priority: null },
                },
              ],
            }
          : { text: told.at(-1)!.text },
    );
    await bot.ask('when is low tide?');
    expect(bot.asked()[1]!.told.at(-1)!.text).toContain(`"agentId": "${far}"`);
    expect(await bot.last()).toContain('Response from FARAWAY: Low at noon.');
    const asked = world.models.asked.find(({ model }) => model === 'FARAWAY')!;
    expect(asked.system).toContain(`"members":"^`);
    expect(asked.system).toContain('^FARAWAY');
    expect(asked.told[0]!.text).toMatch(/own about by \^FARAWAY \(agent\)\]\nknows the harbour\n/);
  });

  test('[IAC-6] resumed, a model is told what it has already done and what is still pending', async () => {
    const written: string[] = [];
    world.tools.for = async (turn) => [
      ...(await world.kit.hub.kernel.toolsFor(turn)),
      tool('write', () => (written.push('x'), 'written'), { readOnly: false }),
    ];
    await world.agent('FAST');
    // It is here, and does not say a word.
    const slow = await world.kit.agent('SLOW', world.owner);
    const { engine: hub, auth } = world.kit.hub.kernel;
    await hub.submit({ type: 'agent.connect', by: (await auth.principal(slow.token))!.by });
    world.models.script('FAST', [{ text: 'fast is done' }]);
    const bot = await world.alone();
    const give = (agentId: string) => ({ name: 'contact_agent', input: { action: 'delegate', agentId, message: `work for ${agentId}` } });
    world.models.script(bot.handle, ({ called }) =>
      called === 0 ? { calls: [{ name: 'write', input: { text: 'report' } }, give('fast'), give('slow')] } : { text: 'I wait.' },
    );
    await bot.ask('get both');
    const resumed = bot.asked().filter(({ called, told }) => called === 0 && told[0]!.text.includes('already made these calls'));
    expect(resumed.length).toBeGreaterThan(0);
    const { text } = resumed[0]!.told[0]!;
    expect(text).toMatch(/Pending: you delegated this to \^SLOW \(subtask tsk_\S+, \w+\)/);
    expect(text).toContain('You have already made these calls in this task: write (1), contact_agent (2). Do not repeat them.');
  });

  test('[IAC-3] a built-in agent that another asks answers, and the answer to a delegated question holds it', async () => {
    world.tools.for = (turn) => world.kit.hub.kernel.toolsFor(turn);
    const built = await world.kit.agent('BUILT', world.owner);
    await world.owner.call('editAgent', { params: { memberId: built.id }, body: { brain: 'builtin' } });
    const bot = await world.alone();
    world.models.script(bot.handle, ({ called, told }) =>
      called === 0
        ? { calls: [{ name: 'contact_agent', input: { action: 'ask', agentId: 'built', message: 'who is here?' } }] }
        : { text: told.at(-1)!.text },
    );
    await bot.ask('ask the other who is here');
    expect(await bot.last()).toContain('Response from BUILT: ');
  });
});
