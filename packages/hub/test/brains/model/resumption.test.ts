// A model that is resumed knows what it has done: with each provider's form, after results, answers to approvals, redirections
// and restarts; and what was deleted or is private does not come back with it.

import { onBothEngines } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Alone, type ModelWorld, providers, startWorld, tool } from '../../kit/models.ts';

const delegate = (agentId: string, message: string) => ({ name: 'contact_agent', input: { action: 'delegate', agentId, message } });

onBothEngines('resumed models', (engine) => {
  let world: ModelWorld;
  let written: string[];
  beforeEach(async () => {
    world = await startWorld(engine);
    written = [];
    world.tools.for = async (turn) => [
      ...(await world.kit.hub.kernel.toolsFor(turn)),
      tool('write', ({ text }) => (written.push(String(text)), `stored ${String(text)}`), { readOnly: false }),
    ];
  });
  afterEach(() => world.stop());

  /** A remote agent that is here and says nothing by itself. */
  const remote = async (handle: string) => {
    const agent = await world.kit.agent(handle, world.owner);
    const { engine: hub, auth } = world.kit.hub.kernel;
    const { by } = (await auth.principal(agent.token))!;
    await hub.submit({ type: 'agent.connect', by });
    const own = async () => (await world.kit.hub.kernel.store.rows('tasks', 'where agent_id = ? and open = 1', [agent.id]))[0]!;
    return {
      answer: async (body: string) => {
        const { id, lease } = await own();
        await world.kit.hub.kernel.engine.submit({ type: 'task.say', by, taskId: id, lease, kind: 'answer', body });
        await world.settled();
      },
    };
  };
  const children = async (bot: Alone) =>
    (await world.kit.hub.kernel.store.rows('tasks', 'where parent_id = ?', [(await bot.task()).id])).length;
  const journal = async (bot: Alone) => {
    const rows = await world.kit.hub.kernel.store.rows('journal', 'where turn_id in (select id from turns where task_id = ?)', [
      (await bot.task()).id,
    ]);
    return JSON.stringify(rows);
  };
  const prompts = (bot: Alone): string[] =>
    bot
      .asked()
      .filter(({ called }) => called === 0)
      .map(({ told }) => told[0]!.text);

  test.each(providers)('[IAC-6] %s: a model that delegates unless its prompt says that it did delegates once', async (provider) => {
    const helper = await remote('HELPER');
    const bot = await world.alone({ provider, baseUrl: world.models.baseUrl(provider) });
    const give = delegate('HELPER', 'count the boats');
    world.models.script(bot.handle, ({ called, told }) => {
      const knows = told[0]!.text.includes(`Arguments: ${JSON.stringify(give.input)}\nResult: Delegated to HELPER (subtask tsk_`);
      return called === 0 && !knows
        ? { calls: [{ name: 'write', input: { text: 'log' } }, give] }
        : { text: told[0]!.text.includes('there are nine') ? 'Nine boats.' : 'I wait.' };
    });
    await bot.ask('how many boats?');
    // Resumed by what its requester adds, while the work is pending.
    await bot.ask('and hurry');
    expect(prompts(bot).at(-1)).toContain('Pending: you delegated this to ^HELPER');
    await helper.answer('there are nine');
    expect([await bot.last(), await children(bot), written]).toEqual(['Nine boats.', 1, ['log']]);
    expect(prompts(bot).at(-1)).toContain('Arguments: {"text":"log"}\nResult: stored log');
  });

  test('[IAC-6] it is so after a restart of the hub as well, and after the end nothing of it is kept', async () => {
    const helper = await remote('HELPER');
    const bot = await world.alone();
    world.models.script(bot.handle, ({ called, told }) =>
      called === 0 && !told[0]!.text.includes('Arguments: {"text":"once"}')
        ? { calls: [{ name: 'write', input: { text: 'once' } }, delegate('HELPER', 'look it up')] }
        : { text: 'Done.' },
    );
    await bot.ask('do it');
    await world.kit.restart();
    await helper.answer('looked up');
    expect([written, await children(bot), (await bot.task()).state]).toEqual([['once'], 1, 'completed']);
    expect(await journal(bot)).not.toContain('once');
  });

  test('[IAC-6] [PAP-15] redirected in the middle of its turn, it knows what it had done by then', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, ({ called, told }) =>
      told[0]!.text.includes('in French')
        ? { text: told[0]!.text.includes('Arguments: {"text":"draft"}\nResult: stored draft') ? 'Voilà.' : 'It knows nothing.' }
        : called === 0
          ? { calls: [{ name: 'write', input: { text: 'draft' } }] }
          : { fault: 'hang' },
    );
    await world.owner.post(bot.dm, 'write it');
    await world.models.heard(2);
    await world.owner.call('redirectTask', { params: { taskId: (await bot.task()).id }, body: { instruction: 'in French' } });
    await world.settled();
    expect([await bot.last(), written]).toEqual(['Voilà.', ['draft']]);
  });

  test('[IAC-6] [IAC-14] resumed by one approval, it knows what was done and which approval is pending', async () => {
    const bot = await world.alone();
    const params = { memberId: bot.id };
    const { version, identity } = await world.owner.call('getIdentity', { params });
    await world.owner.call('putIdentity', { params, body: { ...identity, mode: 'supervised', version } });
    const write = (text: string) => ({ name: 'write', input: { text } });
    world.models.script(bot.handle, ({ called, told }) =>
      called === 0 && !told[0]!.text.includes('Pending') && !told[0]!.text.includes('Arguments')
        ? { calls: [write('one'), write('two')] }
        : { text: 'I wait.' },
    );
    await bot.ask('write both');
    const waiting = async () =>
      (await world.owner.call('listCheckpoints', { query: {} })).checkpoints.filter(({ kind }) => kind === 'approval');
    const approve = async () => {
      const { checkpoints } = { checkpoints: await waiting() };
      await world.owner.call('closeCheckpoint', { params: { checkpointId: checkpoints[0]!.id }, body: { choice: 'approve' } });
      await world.settled();
    };
    expect(await waiting()).toHaveLength(2);
    await approve();
    expect(prompts(bot).at(-1)).toMatch(/Pending: a person is asked to approve your call of write\. .*\n\{"text":"(one|two)"\}/);
    await approve();
    expect(written.toSorted()).toEqual(['one', 'two']);
    expect(prompts(bot).at(-1)).toMatch(/Arguments: \{"text":"(one|two)"\}\nResult: stored/);
  });

  test('[C2A-9] an approval interrupts the turn that goes on meanwhile, and the call is made once', async () => {
    const bot = await world.alone();
    const params = { memberId: bot.id };
    const { version, identity } = await world.owner.call('getIdentity', { params });
    await world.owner.call('putIdentity', { params, body: { ...identity, mode: 'supervised', version } });
    // Only the answer ends it: the turn that asked would think for ever.
    world.models.script(bot.handle, ({ called, told }) =>
      told[0]!.text.includes('stored one')
        ? { text: 'It is written.' }
        : called === 0
          ? { calls: [{ name: 'write', input: { text: 'one' } }] }
          : { fault: 'hang' },
    );
    await world.owner.post(bot.dm, 'write it');
    await world.models.heard(2);
    const [asked] = (await world.owner.call('listCheckpoints', { query: {} })).checkpoints;
    await world.owner.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'approve' } });
    await world.settled();
    expect([await bot.last(), written, (await bot.task()).state]).toEqual(['It is written.', ['one'], 'completed']);
  });

  test('[IAC-6] [SYS-14] words that were deleted do not come back in the calls made with them', async () => {
    const helper = await remote('HELPER');
    const bot = await world.alone();
    let running!: () => void;
    const isRunning = new Promise<void>((resolve) => (running = resolve));
    let goOn!: () => void;
    const deleted = new Promise<void>((resolve) => (goOn = resolve));
    world.models.script(bot.handle, async ({ called, told }) => {
      if (told[0]!.text.includes('looked up')) return { text: 'Done.' };
      const give = told[0]!.text.includes('Pending') ? [] : [delegate('HELPER', 'look')];
      if (called === 0) return { calls: [{ name: 'write', input: { text: 'hunter2' } }, ...give] };
      if (called > 0 && told[0]!.text.includes('once more')) {
        running();
        await deleted;
      }
      return { text: 'I wait.' };
    });
    await bot.ask('remember');
    const { id: said } = await world.owner.post(bot.dm, 'hunter2 is the word');
    await world.settled();
    expect(await journal(bot)).toContain('hunter2');
    await world.owner.call('deleteMessage', { params: { messageId: said } });
    await world.settled();
    expect(await journal(bot)).not.toContain('hunter2');
    // While a turn is under way its own steps are needed; with its end they are gone.
    const { id: again } = await world.owner.post(bot.dm, 'once more: hunter2');
    await isRunning;
    await world.owner.call('deleteMessage', { params: { messageId: again } });
    goOn();
    await world.settled();
    expect(await journal(bot)).not.toContain('hunter2');
    await helper.answer('looked up');
    expect(prompts(bot).at(-1)).not.toContain('hunter2');
    expect(prompts(bot).at(-1)).toContain(
      'Earlier in this task you called write. It was made. Its arguments and result are no longer kept.',
    );
  });

  test('[IAC-6] [SYS-6] private values that a call held are not repeated', async () => {
    const helper = await remote('HELPER');
    const bot = await world.alone({}, { memory: 'The safe opens with BLUE HERON 77.' });
    world.models.script(bot.handle, ({ called, told }) =>
      called === 0 && !told[0]!.text.includes('you called write')
        ? { calls: [{ name: 'write', input: { text: 'kept in mind: blueheron77' } }, delegate('HELPER', 'look')] }
        : { text: 'Done.' },
    );
    await bot.ask('remember it');
    await helper.answer('looked up');
    const last = prompts(bot).at(-1)!;
    expect(last).toContain('Earlier in this task you called write. It was made. Its arguments hold private values');
    expect(last).not.toContain('blueheron77');
  });
});
