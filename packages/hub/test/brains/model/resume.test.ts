// A turn of a model outlives the hub: what was done is not done again, what was said is not asked for again.

import { ParleyError } from '@parley/protocol';
import { onBothEngines } from '@parley/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelWorld, startWorld, tool } from '../../kit/models.ts';

onBothEngines('turns of models, taken up again', (engine) => {
  let world: ModelWorld;
  beforeEach(async () => {
    world = await startWorld(engine);
  });
  afterEach(() => world.stop());

  test('[SYS-12] results are replayed: neither the model nor the tool is asked a second time', async () => {
    const bot = await world.alone();
    let counted = 0;
    world.tools.for = () => Promise.resolve([tool('count', () => String(++counted), { readOnly: false, keyed: true })]);
    world.models.script(bot.handle, [{ calls: [{ name: 'count', input: {} }] }, { fault: 'hang' }, { text: 'counted' }]);
    await world.owner.post(bot.dm, 'count');
    await world.models.heard(2);
    await world.kit.restart();
    await world.settled();
    expect([await bot.last(), counted, bot.asked().length]).toEqual(['counted', 1, 3]);
    // Given again what it had: the call and its result.
    expect(bot.asked()[2]).toMatchObject({ called: 1 });
    expect(bot.asked()[2]!.told.at(-1)!.text).toContain('\n1\n');
  });

  test('[SYS-12] a call that may have happened is not repeated: a person is asked, and the model is told what they say', async () => {
    const bot = await world.alone();
    let paid = 0;
    let lost = true;
    let reached!: () => void;
    const paying = new Promise<void>((resolve) => (reached = resolve));
    const pay = async (): Promise<string> => {
      paid++;
      reached();
      if (lost) await new Promise(() => {});
      return 'paid';
    };
    world.tools.for = () => Promise.resolve([tool('pay', pay, { readOnly: false })]);
    world.models.script(bot.handle, [{ calls: [{ name: 'pay', input: { to: 'ann' } }] }, { text: 'Then it is done.' }]);
    await world.owner.post(bot.dm, 'pay ann');
    await paying;
    lost = false;
    await world.kit.restart();
    await world.settled();
    expect([(await bot.task()).state, paid]).toEqual(['awaiting_approval', 1]);
    const [asked] = (await world.owner.call('listCheckpoints', { query: {} })).checkpoints;
    await world.owner.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'did' } });
    await world.settled();
    expect([await bot.last(), paid, bot.asked().length]).toEqual(['Then it is done.', 1, 2]);
    expect(bot.asked()[1]!.told.at(-1)!.text).toContain('A person confirmed that pay happened. Its result is not known.');
  });

  test('[SYS-12] what it had read is gone, and read again leads elsewhere: another turn goes on, and nothing is done twice', async () => {
    const bot = await world.alone();
    let counted = 0;
    world.tools.for = () =>
      Promise.resolve([tool('count', () => String(++counted), { readOnly: false, keyed: true }), tool('look', () => 'nothing')]);
    world.models.script(bot.handle, [
      { calls: [{ name: 'count', input: {} }] },
      { fault: 'hang' },
      { calls: [{ name: 'look', input: {} }] },
      { calls: [{ name: 'count', input: {} }] },
      { text: 'after all' },
    ]);
    const { id } = await world.owner.post(world.general, 'to be forgotten');
    await world.owner.post(bot.dm, 'count');
    await world.models.heard(2);
    await world.owner.call('deleteMessage', { params: { messageId: id } });
    await world.kit.restart();
    await world.settled();
    expect([await bot.last(), counted, (await bot.task()).state]).toEqual(['after all', 1, 'completed']);
  });

  test('[C2A-13] [SYS-12] the hub is lost after a model has found its last words and before they are posted: they are, once', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, [{ text: 'The tide turns at noon.' }, { text: 'Something else.' }]);
    const { engine: hub } = world.kit.hub.kernel;
    const submit = hub.submit.bind(hub);
    let isLost = false;
    const reached = new Promise<void>((resolve) => {
      hub.submit = ((command: Parameters<typeof submit>[0]) => {
        if (command.type === 'task.say') isLost = true;
        if (!isLost) return submit(command);
        resolve();
        return Promise.reject(new ParleyError('unavailable'));
      }) as typeof hub.submit;
    });
    await world.owner.post(bot.dm, 'when?');
    await reached;
    await world.kit.restart();
    await world.settled();
    expect([await world.bodies(bot.dm), bot.asked().length]).toEqual([['when?', 'The tide turns at noon.'], 1]);
    expect((await bot.task()).state).toBe('completed');
  });

  test('[PAP-9] more is said before it has acted: it is asked again with all of it', async () => {
    const bot = await world.alone();
    world.models.script(bot.handle, (asked) => (asked.told[0]!.text.includes('and this') ? { text: 'both' } : { fault: 'hang' }));
    await world.owner.post(bot.dm, 'do that');
    await world.models.heard(1);
    await bot.ask('and this');
    expect([await bot.last(), (await bot.task()).state]).toEqual(['both', 'completed']);
  });
});
