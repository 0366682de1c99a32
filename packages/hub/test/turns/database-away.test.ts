// The database is away for a moment, or its disk is full: what was to begin begins when it is back.

import { StoreAwayError, tailOf } from '@parley/hub';
import { ParleyError } from '@parley/protocol';
import { onBothEngines, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import type { Brain } from '../../src/brains/brain.ts';

onBothEngines('turns while the database is away', (engine) => {
  let kit: TestHub | undefined;
  afterEach(async () => {
    await kit?.stop();
    kit = undefined;
  });

  async function start(brain: Brain = { turn: () => Promise.resolve({ kind: 'answer', text: 'here' }) }) {
    const clock = new SimClock();
    kit = await startTestHub(engine, { brain, clock }, { PARLEY_LOG: 'silent' });
    const { store, engine: commands, scheduler } = kit.hub.kernel;
    const { owner } = kit;
    const general = await kit.general();
    const tasks = async () => (await owner.call('listTasks', { query: { state: 'all' } })).tasks.map(({ state }) => state);
    return { clock, store, commands, owner, general, tasks, settle: () => scheduler.settled() };
  }

  test('[SYS-4] a look that failed is taken again', async () => {
    const { clock, store, owner, general, tasks, settle } = await start();
    const rows = store.rows.bind(store);
    let away = true;
    store.rows = (table, ...query) =>
      away && table === 'agents' && tailOf(query).tail === 'where member_id = ?'
        ? Promise.reject(new StoreAwayError('gone'))
        : rows(table, ...query);
    await owner.post(general, '^ORAC go');
    await owner.post(general, '^STEF go');
    await settle();
    expect(await tasks()).toEqual(['queued', 'queued']);
    clock.advance(1000);
    await settle();
    expect(await tasks()).toEqual(['queued', 'queued']);
    away = false;
    clock.advance(60_000);
    await settle();
    expect(await tasks()).toEqual(['completed', 'completed']);
  });

  test('[SYS-4] so is a look at everything that is open', async () => {
    const { clock, store, owner, general, tasks, settle } = await start();
    await owner.call('halt', {});
    await owner.post(general, '^ORAC go');
    await settle();
    const all = store.all.bind(store);
    let away = true;
    store.all = (sql, ...rest) => (away && sql.includes('min(id)') ? Promise.reject(new StoreAwayError('gone')) : all(sql, ...rest));
    await owner.call('release', {});
    await settle();
    away = false;
    clock.advance(60_000);
    await settle();
    expect(await tasks()).toEqual(['completed']);
  });

  test.each(['unavailable', 'storage_full'] as const)('[SYS-4] a beginning that could not be stored (%s) is tried again', async (code) => {
    const { clock, commands, owner, general, tasks, settle } = await start();
    const submit = commands.submit.bind(commands);
    let away = true;
    commands.submit = (command) => (away && command.type === 'task.begin' ? Promise.reject(new ParleyError(code)) : submit(command));
    await owner.post(general, '^ORAC go');
    await settle();
    expect(await tasks()).toEqual(['queued']);
    away = false;
    clock.advance(60_000);
    await settle();
    expect(await tasks()).toEqual(['completed']);
  });

  test.each(['unavailable', 'storage_full'] as const)(
    '[SYS-12] an answer that could not be stored (%s) does not fail the task',
    async (code) => {
      const { clock, commands, owner, general, tasks, settle } = await start();
      const submit = commands.submit.bind(commands);
      let away = true;
      commands.submit = (command) => (away && command.type === 'task.say' ? Promise.reject(new ParleyError(code)) : submit(command));
      await owner.post(general, '^ORAC go');
      await settle();
      expect(await tasks()).toEqual(['active']);
      away = false;
      clock.advance(60_000);
      await settle();
      expect(await tasks()).toEqual(['completed']);
    },
  );

  test('[SYS-12] a turn that begins while the hub stops is not waited for', async () => {
    const { commands, owner, general } = await start({ turn: () => new Promise(() => {}) });
    const submit = commands.submit.bind(commands);
    const asked = Promise.withResolvers<void>();
    const begin = Promise.withResolvers<void>();
    commands.submit = async (command) => {
      if (command.type === 'task.begin') {
        asked.resolve();
        await begin.promise;
      }
      return submit(command);
    };
    await owner.post(general, '^ORAC go');
    await asked.promise;
    const stopped = kit!.hub.kernel.scheduler.stop();
    begin.resolve();
    await stopped;
  }, 20_000);
});
