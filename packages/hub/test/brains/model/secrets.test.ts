// A key is sent to the provider it is for, and seen nowhere else; nor is a prompt, where a provider's error repeats it.

import fs from 'node:fs';
import { onBothEngines, type Reply } from '@parley/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { tableNames } from '../../../src/store/tables.ts';
import { canary, type ModelWorld, providers, startWorld, tool } from '../../kit/models.ts';

const confidence = 'said-in-confidence-4711';

onBothEngines('keys of models', (engine) => {
  let world: ModelWorld | undefined;
  afterEach(async () => {
    vi.restoreAllMocks();
    await world?.stop();
    world = undefined;
  });

  test('[SYS-11] are in no table, no log and no answer, whatever providers say of them', async () => {
    const written: string[] = [];
    const write = fs.writeSync;
    vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, data: string | Buffer, ...rest: never[]) => {
      if (fd !== 2) return write(fd, data as string, ...rest);
      written.push(data.toString());
      return Buffer.byteLength(data);
    }) as typeof fs.writeSync);
    world = await startWorld(engine, { PARLEY_LOG: 'debug' });
    // It repeats what it was sent, as some do.
    const echo = (status: number): Reply => {
      const message = `Incorrect API key provided: ${canary}; you asked: ${confidence}`;
      return { status, body: JSON.stringify({ type: 'error', error: { type: 'authentication_error', message } }) };
    };
    world.tools.for = () => Promise.resolve([tool('spill', () => Promise.reject(new Error(`the tool had ${canary}`)))]);
    const told: unknown[] = [];
    // A provider's own code knows nothing of the database: on one of them all three have to do.
    for (const provider of engine === 'sqlite' ? providers : providers.slice(0, 1))
      for (const replies of [[echo(401)], [echo(400)], [{ calls: [{ name: 'spill', input: {} }] }, { text: 'well' }]]) {
        const bot = await world.alone({ provider });
        world.models.script(bot.handle, replies);
        await bot.ask(confidence);
        const task = await bot.task();
        told.push(await bot.told(), task, await world.owner.call('getChain', { params: { chainId: task.chainId } }));
        told.push(await world.owner.call('explainMessage', { params: { messageId: (await messageOf(task.id))! }, query: {} }));
        expect(bot.asked()[0]!.headers).toMatchObject(
          provider === 'anthropic' ? { 'x-api-key': canary } : { authorization: `Bearer ${canary}` },
        );
      }
    told.push(await world.owner.call('listAgents', {}), await world.owner.call('listMembers', { query: {} }));
    expect(JSON.stringify(told)).not.toContain(canary);
    expect(JSON.stringify(told)).toContain('The model’s server refused the key (anthropic, 401)');
    const { store } = world.kit.hub.kernel;
    const rows = await store.snapshot(async (scan) => {
      const all: unknown[] = [];
      for (const table of tableNames) for await (const page of scan(table)) all.push(...page);
      return JSON.stringify(all);
    });
    expect(rows).not.toContain(canary);
    expect(written.join('')).toContain('The model’s server refused the key');
    expect(written.join('')).not.toContain(canary);
    expect(written.join('')).not.toContain(confidence);
  });

  const messageOf = async (taskId: string): Promise<string | undefined> =>
    (await world!.kit.hub.kernel.store.rows('tasks', 'where id = ?', [taskId]))[0]?.message_id;
});
